/** HTML of the pages that people see. Everything that came from outside goes through {@link html}. */

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escapeText = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character]!)

/** Markup that may be put into a page as it is. */
export interface Markup {
  readonly markup: string
}

type Part = string | number | Markup | readonly Markup[]

const put = (part: Part): string => {
  if (typeof part === 'string' || typeof part === 'number') return escapeText(String(part))
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('')
}

/** Tagged template: every value is escaped unless it is Markup itself. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Markup => ({
  markup: strings.map((text, at) => (at === 0 ? text : put(parts[at - 1]!) + text)).join(''),
})

/** No markup at all. */
export const NOTHING: Markup = html``

/** What a page may load beside its own script and style; sources as in Content-Security-Policy. */
export interface PageRights {
  readonly images?: string
  readonly media?: string
  readonly connect?: string
}

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Headers of a page: it runs and loads what this service holds, and nothing else unless that is listed. */
export const pageHeaders = ({ images, media, connect }: PageRights = {}): Readonly<Record<string, string>> => ({
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': [
    POLICY,
    `img-src 'self'${images === undefined ? '' : ` ${images}`}`,
    ...(media === undefined ? [] : [`media-src ${media}`]),
    ...(connect === undefined ? [] : [`connect-src ${connect}`]),
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
})

/** One page; `root` is the path of the service on the page's own origin, without a slash at its end. */
export interface Page {
  readonly title: string
  readonly root: string
  readonly body: Markup
  /** Name of its script under `/-/page/`. */
  readonly script?: string
  /** Read by the script, from the attribute `data-setup` of the body. */
  readonly setup?: unknown
}

/** A whole page. */
export const page = ({ title, root, body, script, setup }: Page): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>${title}</title><link rel="icon" href="${root}/-/page/icon.svg"><link rel="stylesheet" href="${root}/-/page/page.css">${script === undefined ? NOTHING : html`<script type="module" src="${root}/-/page/${script}"></script>`}</head><body${setup === undefined ? NOTHING : html` data-setup="${JSON.stringify(setup)}"`}><header class="masthead"><a class="brand" href="${root}/"><img src="${root}/-/page/icon.svg" alt="" width="28" height="28">Whittle</a></header>
${body}
</body></html>
`.markup

/** A page that is mostly text. */
export const textPage = (about: Omit<Page, 'body'>, body: Markup): string =>
  page({ ...about, body: html`<main class="text"><h1>${about.title}</h1>${body}</main>` })

/** The page of a failure. */
export const failurePage = (root: string, status: number, text: string): string =>
  textPage({ title: `${status}: this did not work`, root }, html`<p class="wrong">${text}</p>`)

/** What there is to see at the base address where the playground is off. */
export const homePage = (root: string, base: string): string =>
  textPage(
    { title: 'Images as small as they can be', root },
    html`<p>This service makes images as small as they can be at a guaranteed perceived quality. Programs call it:</p>
<pre>curl -X POST -o small.jpg ${base}/<em>username</em>/full/https://example.com/image.png
curl -F file=@image.png -o small.jpg ${base}/<em>username</em>/800x600,2x</pre>
<p>Open such an address in a browser to see how its options are read.</p>`,
  )
