/** The audit as one HTML file without scripts: before and after, savings, and what to change. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CONTENT_TYPES } from '../core/image.ts'
import { escapeHtml } from '../support/escape-html.ts'
import { adviceOn, bytesText, shownAddress, shownText } from './advice.ts'
import { type Audit, keptNames } from './audit.ts'
import { type AuditedImage, findingsOf, largestOf, savedBytes, totalsOf } from './findings.ts'
import { savedAMonth } from './text-report.ts'

/** Maximum bytes of embedded images. Further images are listed without a picture. */
const MAX_EMBEDDED_BYTES = 20e6

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 72rem; margin: 0 auto; padding: 1rem; }
.totals { display: flex; flex-wrap: wrap; gap: 1rem 3rem; margin: 1.5rem 0; padding: 0; list-style: none; }
.totals b { display: block; font-size: 1.8rem; line-height: 1.2; }
article { border-top: 1px solid #8886; padding: 1.25rem 0; }
h1, h2, li { overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; }
h2 { font-size: 1rem; margin: 0 0 .5rem; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 1rem; }
figure { margin: 0; }
figure img { max-width: 100%; max-height: 24rem; height: auto; object-fit: contain; background: repeating-conic-gradient(#8883 0 25%, #8881 0 50%) 0 0/16px 16px; }
figcaption { font-size: .9rem; }
.mark { background: #0a7; color: #fff; border-radius: .25rem; padding: .1rem .4rem; font-size: .8rem; }
@media print { article { break-inside: avoid; } }
`

interface Pictures {
  readonly source: string
  readonly result: string
}

const dataUrl = (type: string, bytes: Uint8Array): string =>
  `data:${type};base64,${Buffer.from(bytes).toString('base64')}`

const picturesOf = async (image: AuditedImage, keptIn: string): Promise<(Pictures & { bytes: number }) | undefined> => {
  const { measured, url } = image
  if (measured.kind === 'failed') return undefined
  const names = keptNames(url)
  const [source, result] = await Promise.all([
    readFile(join(keptIn, names.source)),
    readFile(join(keptIn, names.result)),
  ])
  const types: Readonly<Record<string, string>> = CONTENT_TYPES
  return {
    source: dataUrl(types[measured.format]!, source),
    result: dataUrl(measured.result.contentType, result),
    bytes: source.length + result.length,
  }
}

const figure = (picture: string | undefined, caption: string): string =>
  `<figure>${picture === undefined ? '' : `<img src="${picture}" alt="" loading="lazy">`}<figcaption>${escapeHtml(caption)}</figcaption></figure>`

const articleFor = (image: AuditedImage, isLargest: boolean, pictures: Pictures | undefined): string => {
  const { measured, url, pages } = image
  const advice = findingsOf(image, isLargest).map((finding) => `<li>${escapeHtml(adviceOn(finding, image))}</li>`)
  const heading = `<h2>${escapeHtml(shownAddress(url))}${isLargest ? ' <span class="mark">probably seen first</span>' : ''}</h2>`
  const shown = shownText(image.uses)
  const size = shown === '' ? '' : `, shown at ${shown} CSS px`
  const on = `<p>On ${pages.length} ${pages.length === 1 ? 'page' : 'pages'}${size}.</p>`
  if (measured.kind === 'failed') return `<article>${heading}<ul>${advice.join('')}</ul></article>`
  const { result } = measured
  const before = `Now: ${bytesText(measured.bytes)}, ${measured.format}, ${measured.width} x ${measured.height} px${measured.jpegQuality === undefined ? '' : `, quality about ${measured.jpegQuality}`}`
  const score = result.score === undefined ? '' : `, SSIMULACRA 2.1 ${result.score.toFixed(1)}`
  const butteraugli = result.butteraugli === undefined ? '' : `, Butteraugli ${result.butteraugli.toFixed(2)}`
  const saves = savedBytes(image) === 0 ? ' (not smaller: keep the file)' : ''
  const after = `After: ${bytesText(result.bytes)}, ${result.format}, ${result.width} x ${result.height} px${score}${butteraugli}${saves}`
  return `<article>${heading}<div class="pair">${figure(pictures?.source, before)}${figure(pictures?.result, after)}</div>${advice.length === 0 ? '<p>Nothing to change.</p>' : `<ul>${advice.join('')}</ul>`}${on}</article>`
}

/** The HTML of the report. `keptIn`: the directory with the audit's sources and results. `views`: page views per month. */
export const htmlReport = async (audit: Audit, views: number, keptIn: string): Promise<string> => {
  const { images, pages, target, preset, problems } = audit
  const largest = largestOf(images)
  const totals = totalsOf(images)
  const articles: string[] = []
  let embedded = 0
  for (const image of images) {
    const pictures = embedded < MAX_EMBEDDED_BYTES ? await picturesOf(image, keptIn) : undefined
    const fits = pictures !== undefined && embedded + pictures.bytes <= MAX_EMBEDDED_BYTES
    if (fits) embedded += pictures.bytes
    articles.push(articleFor(image, image === largest, fits ? pictures : undefined))
  }
  const monthly = savedAMonth(audit, views)
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>Images of ${escapeHtml(target)}</title><style>${STYLE}</style></head><body>
<h1>Images of ${escapeHtml(target)}</h1>
<p>Each result was decoded and measured. It keeps the promise of the quality "${escapeHtml(preset)}".</p>
<ul class="totals"><li><b>${bytesText(totals.bytes)}</b>now, ${totals.images} images on ${pages.length} pages</li>
<li><b>${bytesText(totals.afterBytes)}</b>after</li><li><b>${totals.savedPercent.toFixed(0)} %</b>saved</li>
<li><b>${bytesText(monthly)}</b>less traffic a month at ${views.toLocaleString('en-US')} views</li></ul>
${articles.join('\n')}
${problems.length === 0 ? '' : `<h1>Not read</h1><ul>${problems.map(({ url, reason }) => `<li>${escapeHtml(shownAddress(url))}: ${escapeHtml(reason)}</li>`).join('')}</ul>`}
</body></html>
`
}
