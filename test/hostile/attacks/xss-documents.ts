/** Script of the documents: `alert` is seen by the browser's driver, a request to `/hit` by the server of the page. */
const RUN = 'alert(1)'
const LOAD = '/hit'

const svg = (content: string, attributes = ''): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="50" height="50" ${attributes}>${content}<rect width="9" height="9"/></svg>`

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const HTML = 'xmlns="http://www.w3.org/1999/xhtml"'

/** Text that is harmless in UTF-8, and a script where `label` is believed. */
const inEncoding = (label: string, content: string): string =>
  `<?xml version="1.0"${' '.repeat(200)}encoding="${label}"?>${svg(content)}`

/** SVG documents that run a script or load something, by what they try. */
export const ACTIVE_DOCUMENTS: readonly (readonly [string, string])[] = [
  ['script', svg(`<script>${RUN}</script>`)],
  ['script in CDATA', svg(`<script><![CDATA[${RUN}]]></script>`)],
  [
    'script by prefix',
    `<s:svg xmlns:s="http://www.w3.org/2000/svg" width="9" height="9"><s:script>${RUN}</s:script></s:svg>`,
  ],
  ['script with a reference', svg(`<script href="${LOAD}"/><script xlink:href="${LOAD}"/>`)],
  ['script of data', svg(`<script href="data:text/javascript,${RUN}"/>`)],
  ['script in XHTML', svg(`<script ${HTML}>${RUN}</script>`)],
  ['script by an entity', `<!DOCTYPE svg [<!ENTITY s "<script>${RUN}</script>">]>${svg('&s;')}`],
  [
    'script by entities of entities',
    `<!DOCTYPE svg [<!ENTITY a "scr"><!ENTITY b "<&a;ipt>${RUN}</&a;ipt>">]>${svg('&b;')}`,
  ],
  ['handler on load', svg('', `onload="${RUN}"`)],
  ['handler in capitals', svg('', `ONLOAD="${RUN}" OnLoad="${RUN}"`)],
  ['handler of an image', svg(`<image href="x" onerror="${RUN}"/>`)],
  [
    'handler of an animation',
    svg(`<animate attributeName="x" dur="1s" onbegin="${RUN}"/><set attributeName="x" to="1" onbegin="${RUN}"/>`),
  ],
  ['handler by an entity', `<!DOCTYPE svg [<!ENTITY h "${RUN}">]>${svg('', 'onload="&h;"')}`],
  ['handler by a default attribute', `<!DOCTYPE svg [<!ATTLIST svg onload CDATA "${RUN}">]>${svg('')}`],
  ['handler that an animation sets', svg(`<g><set attributeName="onclick" to="${RUN}"/></g>`)],
  [
    'foreign object',
    svg(`<foreignObject width="9" height="9"><body ${HTML}><img src="x" onerror="${RUN}"/></body></foreignObject>`),
  ],
  [
    'frame in a foreign object',
    svg(`<foreignObject width="9" height="9"><iframe ${HTML} src="javascript:${RUN}"/></foreignObject>`),
  ],
  [
    'HTML without a foreign object',
    svg(`<iframe ${HTML} srcdoc="&lt;script&gt;${RUN}&lt;/script&gt;"/><embed ${HTML} src="${LOAD}"/>`),
  ],
  ['image of XHTML', svg(`<img ${HTML} src="x" onerror="${RUN}"/><video ${HTML} src="x" onerror="${RUN}"/>`)],
  ['link', svg(`<a href="javascript:${RUN}"><text y="9">x</text></a>`)],
  [
    'link that hides its scheme',
    svg(`<a href="java&#10;script:${RUN}"><text y="9">x</text></a><a href="&#1;javascript:${RUN}"/>`),
  ],
  [
    'link that an animation sets',
    svg(`<a href="#"><animate attributeName="href" values="javascript:${RUN}"/><text y="9">x</text></a>`),
  ],
  ['use from outside', svg(`<use href="${LOAD}#x"/><use xlink:href="${LOAD}#x"/>`)],
  ['use of data', svg(`<use href="data:image/svg+xml;base64,${base64(svg('', `id="x" onload="${RUN}"`))}#x"/>`)],
  ['image from outside', svg(`<image href="${LOAD}" width="9" height="9"/><feImage href="${LOAD}"/>`)],
  [
    'image of active SVG',
    svg(
      `<image width="9" height="9" href="data:image/svg+xml;base64,${base64(svg(`<script>${RUN}</script><image href="${LOAD}"/>`))}"/>`,
    ),
  ],
  ['style that imports', svg(`<style>@import url(${LOAD});</style>`)],
  ['style that imports in escapes', svg(String.raw`<style>@\69mport "${LOAD}"; @im\port '${LOAD}';</style>`)],
  [
    'style with a picture',
    svg(`<style>rect{fill:url(${LOAD}#a);mask:url("${LOAD}");background:image-set("${LOAD}" 1x)}</style>`),
  ],
  [
    'style with a font',
    svg(`<style>@font-face{font-family:x;src:url(${LOAD})}text{font-family:x}</style><text>x</text>`),
  ],
  ['style attribute', svg(`<rect width="9" height="9" style="filter:url(${LOAD}#f);cursor:url(${LOAD})"/>`)],
  [
    'attribute with an address',
    svg(`<rect width="9" height="9" fill="url(${LOAD}#a)" clip-path="url('${LOAD}#c')" cursor="url(${LOAD}),auto"/>`),
  ],
  ['style sheet of the document', `<?xml-stylesheet href="${LOAD}" type="text/css"?>${svg('')}`],
  [
    'transformation of the document',
    `<?xml-stylesheet href="data:text/xsl,${encodeURIComponent(`<x:stylesheet version="1.0" xmlns:x="http://www.w3.org/1999/XSL/Transform"><x:template match="/"><script ${HTML}>${RUN}</script></x:template></x:stylesheet>`)}" type="text/xsl"?>${svg('')}`,
  ],
  ['comment that HTML ends early', svg(`<!--><img src=x onerror=${RUN}>-->`)],
  ['section that HTML does not know', svg(`<desc><![CDATA[</desc><img src=x onerror=${RUN}>]]></desc>`)],
  [
    'title that HTML takes for its own',
    svg(`<desc><title><g class="&lt;/title>&lt;img src=x onerror=${RUN}>"/></title></desc>`),
  ],
  ['style that HTML takes for text', svg(`<desc><style><![CDATA[</style><img src=x onerror=${RUN}>]]></style></desc>`)],
  ['style in a title', svg(`<title><style>&lt;/style>&lt;img src=x onerror=${RUN}></style></title>`)],
  [
    'text that looks like markup',
    svg(`<text>&lt;img src=x onerror=${RUN}&gt;&lt;/svg&gt;&lt;script&gt;${RUN}&lt;/script&gt;</text>`),
  ],
  [
    'Japanese that only browsers read',
    inEncoding('ISO-2022-JP', `<title>\x1b$B</title><desc>\x1b(B<image href="x" onerror="${RUN}"/></desc>`),
  ],
  ['UTF-7 that only browsers read', inEncoding('UTF-7', `+ADw-script+AD4-${RUN}+ADw-/script+AD4-`)],
  [
    'listener of XML events',
    svg(
      `<ev:listener xmlns:ev="http://www.w3.org/2001/xml-events" event="load" handler="data:text/javascript,${RUN}"/><handler type="text/ecmascript">${RUN}</handler>`,
    ),
  ],
  ['base that moves references', svg(`<g xml:base="${LOAD}/"><use href="#x"/><image href="#y"/></g>`)],
]

/** Documents that do run, so that it is known that running would be seen. */
export const CONTROLS: readonly string[] = [
  svg(`<script>${RUN}</script>`),
  svg(`<image href="${LOAD}" width="9" height="9"/>`),
]
