/** HTML of the few pages that people see. Everything that came from outside goes through {@link html}. */

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

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}' +
  'h1{font-size:1.4rem}table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0;border-bottom:1px solid #ddd}' +
  'code,pre{font:14px ui-monospace,monospace;background:#f4f4f4;border-radius:4px}code{padding:.1rem .3rem;overflow-wrap:anywhere}pre{padding:.8rem;white-space:pre-wrap;overflow-wrap:anywhere}' +
  '.wrong{color:#a00}.slight{color:#850}@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}code,pre{background:#282828}th,td{border-color:#444}.wrong{color:#f88}.slight{color:#fc6}}'

/** Pages run no script, load nothing and send nothing. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
}

/** A whole page. */
export const page = (title: string, body: Markup): string =>
  html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${{ markup: STYLE }}</style></head><body><h1>${title}</h1>${body}</body></html>
`.markup

/** The page of a failure. */
export const failurePage = (status: number, text: string): string =>
  page(`${status}: this did not work`, html`<p>${text}</p>`)

/** What there is to see at the base address. */
export const homePage = (base: string): string =>
  page(
    'Whittle',
    html`<p>This service makes images as small as they can be at a guaranteed perceived quality. Programs call it; there is nothing to click here.</p>
<pre>curl -X POST -o small.jpg ${base}/<em>username</em>/full/https://example.com/image.png
curl -F file=@image.png -o small.jpg ${base}/<em>username</em>/800x600,2x</pre>
<p>Open such an address in a browser to see how its options are read.</p>`,
  )
