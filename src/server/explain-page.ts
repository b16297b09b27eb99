import type { DescriptionLine, ItemDescription } from '../options/describe.ts'
import type { PreviewSetup } from '../playground/preview-setup.ts'
import type { Account } from '../ports/accounts.ts'
import { html, type Markup, NOTHING, textPage } from './pages.ts'

/** The explanation of an address that was opened in a browser (§1.8). */
export interface Explanation {
  readonly status: number
  /** The error of the whole address, if there is one. */
  readonly problem?: string
  readonly items: readonly ItemDescription[]
  readonly plan: readonly DescriptionLine[]
  readonly warnings: readonly string[]
  /** The canonical option list. */
  readonly list?: string
  /** The image address as sent. */
  readonly imageUrl?: string
  /** The image address that the service reads, or that was probably meant. */
  readonly source?: string
  readonly account?: Account
  /** The address that was probably meant, if it differs from the opened one. */
  readonly corrected?: string
  /** A working command. Absent when the intended address is unclear. */
  readonly curl?: string
}

const KINDS: Readonly<Record<ItemDescription['kind'], string>> = {
  right: 'right',
  'slightly wrong': 'slight',
  wrong: 'wrong',
  empty: 'slight',
}

/** An SVG, since the page's policy allows no inline styles. */
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

const describeQuota = ({ quota, used, period }: Account): string => {
  if (quota === undefined) return `${used} images so far, no limit`
  return `${used} of ${quota} images used ${period === 'month' ? 'this month' : 'in total'}`
}

const accountRows = (account: Account): readonly Markup[] => [
  planRow({ name: 'Account', value: account.username }),
  planRow({ name: 'Plan', value: account.plan }),
  planRow({ name: 'Quota', value: describeQuota(account) }),
]

const warningList = (warnings: readonly string[]): Markup =>
  warnings.length === 0
    ? NOTHING
    : card('Warnings', html`<div class="messages">${warnings.map((text) => html`<p class="slight">${text}</p>`)}</div>`)

const imageCard = (imageUrl: string | undefined): Markup =>
  imageUrl === undefined ? NOTHING : card('Image', html`<div class="preview"><code>${imageUrl}</code></div>`)

/** The methods that a working address supports. */
const answersLine = (account: Account | undefined): Markup =>
  account?.delivery === undefined
    ? html`<p>This address accepts <code>POST</code>. A browser shows this explanation instead of an image.</p>`
    : html`<p>This address accepts <code>POST</code>, and works in <code>&lt;img&gt;</code> if the account delivers the image. A browser shows this explanation instead.</p>`

/** Returns the page that explains an address. */
export const explainPage = (explanation: Explanation, setup: PreviewSetup): string =>
  textPage(
    {
      title: explanation.problem === undefined ? 'This address works' : 'This address does not work',
      root: setup.root,
      script: 'explanation.js',
      setup,
    },
    html`${explanation.problem === undefined ? answersLine(explanation.account) : html`<p class="wrong">${explanation.problem}</p>`}
${explanation.corrected === undefined ? NOTHING : copyable(explanation.problem === undefined ? 'Better written as' : 'Probably meant', explanation.corrected)}
${table('How the options are read', explanation.items.map(itemRow))}
${warningList(explanation.warnings)}
${table('What will be done', explanation.plan.map(planRow))}
${imageCard(explanation.imageUrl)}
${copyable('Try it', explanation.curl)}
${explanation.account === undefined ? NOTHING : table('Account', accountRows(explanation.account))}`,
  )
