import type { DescriptionLine, ItemDescription } from '../options/describe.ts'
import { html, type Markup, page } from './pages.ts'

/** What is said about an address that was opened instead of posted to (§1.8). */
export interface Explanation {
  readonly status: number
  /** What is wrong as a whole, if anything is. */
  readonly problem?: string
  readonly items: readonly ItemDescription[]
  readonly plan: readonly DescriptionLine[]
  readonly warnings: readonly string[]
  readonly imageUrl?: string
  readonly curl: string
}

const KINDS: Readonly<Record<ItemDescription['kind'], string>> = {
  right: '',
  'slightly wrong': 'slight',
  wrong: 'wrong',
  empty: 'slight',
}

const itemRow = ({ item, kind, meaning, remark }: ItemDescription): Markup =>
  html`<tr><td><code>${item}</code></td><td class="${KINDS[kind]}">${meaning}${remark === undefined ? '' : html`<br>${remark}`}</td></tr>`

const planRow = ({ name, value }: DescriptionLine): Markup => html`<tr><td>${name}</td><td>${value}</td></tr>`

const section = (title: string, rows: readonly Markup[]): Markup =>
  rows.length === 0 ? html`` : html`<h2>${title}</h2><table>${rows}</table>`

/** The page that explains an address. */
export const explainPage = (told: Explanation): string =>
  page(
    told.problem === undefined ? 'This address works' : 'This address does not work',
    html`${told.problem === undefined ? html`<p>It answers <code>POST</code>: opened in a browser it only explains itself.</p>` : html`<p class="wrong">${told.problem}</p>`}
${section('How the options are read', told.items.map(itemRow))}
${section('What will be done', told.plan.map(planRow))}
${told.warnings.length === 0 ? html`` : html`<h2>Warnings</h2><ul>${told.warnings.map((warning) => html`<li class="slight">${warning}</li>`)}</ul>`}
${told.imageUrl === undefined ? html`` : html`<h2>Image</h2><p><code>${told.imageUrl}</code></p>`}
<h2>Try it</h2><pre>${told.curl}</pre>`,
  )
