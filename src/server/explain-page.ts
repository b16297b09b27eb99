import type { DescriptionLine, ItemDescription } from '../options/describe.ts'
import type { PreviewSetup } from '../playground/preview-setup.ts'
import type { Account } from '../ports/accounts.ts'
import { html, type Markup, NOTHING, textPage } from './pages.ts'

/** What is said about an address that was opened instead of posted to (§1.8). */
export interface Explanation {
  readonly status: number
  /** What is wrong as a whole, if anything is. */
  readonly problem?: string
  readonly items: readonly ItemDescription[]
  readonly plan: readonly DescriptionLine[]
  readonly warnings: readonly string[]
  /** The canonical option list. */
  readonly list?: string
  /** As it was sent. */
  readonly imageUrl?: string
  /** As it is read, or was probably meant. */
  readonly source?: string
  readonly account?: Account
  /** The address as it was probably meant, where it differs from the one that was opened. */
  readonly corrected?: string
  /** A command that works; absent where nobody can tell what was meant. */
  readonly curl?: string
}

const KINDS: Readonly<Record<ItemDescription['kind'], string>> = {
  right: 'right',
  'slightly wrong': 'slight',
  wrong: 'wrong',
  empty: 'slight',
}

/** Drawn, since a page may hold no style of its own. */
const swatch = (colour: string): Markup =>
  html`<svg class="swatch" viewBox="0 0 1 1" aria-hidden="true"><rect width="1" height="1" fill="#${colour}"/></svg>`

const itemRow = ({ item, kind, meaning, warning, colour }: ItemDescription): Markup =>
  html`<tr><td><span class="chip ${KINDS[kind]}"><code>${item === '' ? '(nothing)' : item}</code></span></td><td>${colour === undefined ? NOTHING : swatch(colour)}${meaning}${warning === undefined ? NOTHING : html`<small class="${KINDS[kind]}">${warning}</small>`}</td></tr>`

const planRow = ({ name, value }: DescriptionLine): Markup =>
  html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`

const card = (title: string, body: Markup): Markup => html`<section class="card"><h2>${title}</h2>${body}</section>`

const table = (title: string, rows: readonly Markup[]): Markup =>
  rows.length === 0 ? NOTHING : card(title, html`<table>${rows}</table>`)

const copyable = (title: string, text: string | undefined): Markup =>
  text === undefined ? NOTHING : card(title, html`<div class="copyable"><pre>${text}</pre></div>`)

const sayQuota = ({ quota, used, period }: Account): string => {
  if (quota === undefined) return `${used} images so far, no limit`
  return `${used} of ${quota} images used ${period === 'month' ? 'this month' : 'in all'}`
}

const accountRows = (account: Account): readonly Markup[] => [
  planRow({ name: 'Account', value: account.username }),
  planRow({ name: 'Plan', value: account.plan }),
  planRow({ name: 'Quota', value: sayQuota(account) }),
]

const warningList = (warnings: readonly string[]): Markup =>
  warnings.length === 0
    ? NOTHING
    : card('Warnings', html`<div class="told">${warnings.map((text) => html`<p class="slight">${text}</p>`)}</div>`)

const imageCard = (imageUrl: string | undefined): Markup =>
  imageUrl === undefined ? NOTHING : card('Image', html`<div class="preview"><code>${imageUrl}</code></div>`)

/** Which methods an address that works answers. */
const answersLine = (account: Account | undefined): Markup =>
  account?.delivery === undefined
    ? html`<p>It answers <code>POST</code>: opened in a browser it only explains itself.</p>`
    : html`<p>It answers <code>POST</code>, and <code>&lt;img&gt;</code> where the account delivers it: opened in a browser it only explains itself.</p>`

/** The page that explains an address. */
export const explainPage = (told: Explanation, setup: PreviewSetup): string =>
  textPage(
    {
      title: told.problem === undefined ? 'This address works' : 'This address does not work',
      root: setup.root,
      script: 'explanation.js',
      setup,
    },
    html`${told.problem === undefined ? answersLine(told.account) : html`<p class="wrong">${told.problem}</p>`}
${told.corrected === undefined ? NOTHING : copyable(told.problem === undefined ? 'Better written as' : 'Probably meant', told.corrected)}
${table('How the options are read', told.items.map(itemRow))}
${warningList(told.warnings)}
${table('What will be done', told.plan.map(planRow))}
${imageCard(told.imageUrl)}
${copyable('Try it', told.curl)}
${told.account === undefined ? NOTHING : table('Account', accountRows(told.account))}`,
  )
