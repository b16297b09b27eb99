import { OPTIONS_TABLE } from '../options/table.ts'
import { html, type Markup, textPage } from './pages.ts'

/** Converts backticks, as in the options table, to `<code>`. */
const withCode = (text: string): readonly Markup[] =>
  text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))

const row = ({ name, help }: { readonly name: string; readonly help: string }): Markup =>
  html`<tr><th scope="row"><code>${name}</code></th><td>${withCode(help)}</td></tr>`

/** Returns the reference of all options, with example calls. `root`: path of the service. `base`: its address for programs. */
export const optionsPage = (root: string, base: string): string =>
  textPage(
    { title: 'Options', root },
    html`<p>Programs send an image, or its address, with a list of options. Options are joined by commas.</p>
<pre>curl -fL -F file=@image.png -o small.jpg ${base}/<em>username</em>/800x600,crop=auto,2x
curl -fL -X POST -o small.jpg ${base}/<em>username</em>/full,quality=high/https://example.com/image.png</pre>
<p>Open such an address in a browser to see how its options are read. For generators of clients: <a href="${root}/-/openapi.json">the interface as OpenAPI</a>.</p>
<table><thead><tr><th scope="col">Option</th><th scope="col">Meaning</th></tr></thead><tbody>${OPTIONS_TABLE.map(row)}</tbody></table>`,
  )
