/** HTML of the pages. {@link html} escapes all text. */
import { escapeHtml } from '../support/escape-html.ts'

/** Markup that {@link html} inserts without escaping. */
export interface Markup {
  readonly markup: string
}

type Part = string | number | Markup | readonly Markup[]

const toMarkup = (part: Part): string => {
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part))
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('')
}

/** Tagged template that escapes every value except Markup. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Markup => ({
  markup: strings.map((text, at) => (at === 0 ? text : toMarkup(parts[at - 1]!) + text)).join(''),
})

/** Empty markup. */
export const NOTHING: Markup = html``

/** Sources that a page may load from besides its own script and style, as in Content-Security-Policy. */
export interface PageRights {
  readonly images?: string
  readonly media?: string
  readonly connect?: string
}

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Origins that are safe in a policy. The host of an address may contain `;` and `,`, which would add directives. */
const ORIGIN = /^(?:https?:\/\/)?(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i

const sources = (directive: string, list: string | undefined): readonly string[] => {
  const safe = (list ?? '')
    .split(' ')
    .filter((source) => ORIGIN.test(source) || /^(?:'self'|blob:|data:)$/.test(source))
  return safe.length === 0 ? [] : [`${directive} ${safe.join(' ')}`]
}

/** Returns the headers of a page. It may load only files of this service and listed sources. */
export const pageHeaders = ({ images, media, connect }: PageRights = {}): Readonly<Record<string, string>> => ({
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': [
    POLICY,
    ...sources('img-src', `'self' ${images ?? ''}`),
    ...sources('media-src', media),
    ...sources('connect-src', connect),
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
})

/** One page. `root`: the path of the service on the page's origin, without a slash at its end. */
export interface Page {
  readonly title: string
  readonly root: string
  readonly body: Markup
  /** File name of its script under `/-/page/`. */
  readonly script?: string
  /** Data for the script, in the attribute `data-setup` of the body. */
  readonly setup?: unknown
}

/** Returns a complete page. */
export const page = ({ title, root, body, script, setup }: Page): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>${title}</title><link rel="icon" href="${root}/-/page/icon.svg"><link rel="stylesheet" href="${root}/-/page/page.css">${script === undefined ? NOTHING : html`<script type="module" src="${root}/-/page/${script}"></script>`}</head><body${setup === undefined ? NOTHING : html` data-setup="${JSON.stringify(setup)}"`}><header class="masthead"><a class="brand" href="${root}/"><img src="${root}/-/page/icon.svg" alt="" width="28" height="28">Whittle</a></header>
${body}
</body></html>
`.markup

/** Returns a page with a title and text. */
export const textPage = (about: Omit<Page, 'body'>, body: Markup): string =>
  page({ ...about, body: html`<main class="text"><h1>${about.title}</h1>${body}</main>` })

/** Returns the page of a failure. */
export const failurePage = (root: string, status: number, text: string): string =>
  textPage({ title: `${status}: the request failed`, root }, html`<p class="wrong">${text}</p>`)

/** Returns the page at the base address without the playground. */
export const homePage = (root: string, base: string): string =>
  textPage(
    { title: 'Images as small as they can be', root },
    html`<p>This service makes images as small as they can be at a guaranteed perceived quality. Programs call it:</p>
<pre>curl -fL -X POST -o small.jpg ${base}/<em>username</em>/full/https://example.com/image.png
curl -fL -F file=@image.png -o small.jpg ${base}/<em>username</em>/800x600,2x</pre>
<p>Open such an address in a browser to see how its options are read. <a href="${root}/-/options">All options</a>, <a href="${root}/-/openapi.json">the interface as OpenAPI</a>.</p>`,
  )
