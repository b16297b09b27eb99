/** The audit as a table for a terminal. */
import { adviceOn, bytesText, shownAddress, shownText } from './advice.ts'
import type { Audit } from './audit.ts'
import { type AuditedImage, findingsOf, largestOf, savedBytes, totalsOf } from './findings.ts'

/** Replaces control characters, which could control the terminal. */
export const printable = (text: string): string =>
  text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, '\ufffd')

const percent = (part: number, whole: number): string => (whole === 0 ? '' : `-${Math.round((part / whole) * 100)} %`)

const columnsOf = (image: AuditedImage): readonly string[] => {
  const { measured } = image
  if (measured.kind === 'failed') return ['', '', '', '', '', '', printable(shownAddress(image.url))]
  const { result } = measured
  const saved = savedBytes(image)
  return [
    bytesText(measured.bytes),
    saved === 0 ? '' : bytesText(result.bytes),
    saved === 0 ? 'fine' : percent(saved, measured.bytes),
    result.score === undefined ? '' : result.score.toFixed(0),
    `${measured.width}x${measured.height} ${measured.format}`,
    shownText(image.uses),
    printable(shownAddress(image.url)),
  ]
}

const HEAD = ['now', 'after', 'saves', 'score', 'size', 'shown', 'image'] as const

const aligned = (rows: readonly (readonly string[])[]): string => {
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column < 4 ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`

/** A table with one line per image, the advice below each, and the totals. `views`: page views per month. */
export const textReport = (audit: Audit, views: number): string => {
  const { images, pages, problems, leftOut, cutShort, preset } = audit
  const largest = largestOf(images)
  const totals = totalsOf(images)
  const lines = aligned([HEAD, ...images.map(columnsOf)]).split('\n')
  const body = images.flatMap((image, index) => [
    `${lines[index + 1]}${image === largest ? '  (probably seen first)' : ''}`,
    ...findingsOf(image, image === largest).map((finding) => `    ${printable(adviceOn(finding, image))}`),
  ])
  return [
    lines[0]!,
    ...body,
    '',
    `${plural(pages.length, 'page')}, ${plural(totals.images, 'image')}: ${bytesText(totals.bytes)} now, ${bytesText(totals.afterBytes)} at quality "${preset}" (-${totals.savedPercent.toFixed(0)} %).`,
    `At ${views.toLocaleString('en-US')} views a month that saves ${bytesText(savedAMonth(audit, views))} of traffic.`,
    ...(totals.failed === 0 ? [] : [`${plural(totals.failed, 'image')} could not be measured.`]),
    ...(leftOut === 0
      ? []
      : [
          `${plural(leftOut, 'image')} more were left out: ${cutShort ? '--max-seconds' : '--images'} raises the limit.`,
        ]),
    ...problems.map(({ url, reason }) => `Not read: ${printable(shownAddress(url))}: ${printable(reason)}`),
    '',
  ].join('\n')
}

/** Bytes of traffic that `views` page views per month would save, for an average page of the audit. */
export const savedAMonth = ({ images, pages }: Audit, views: number): number => {
  const { bytes, afterBytes } = totalsOf(images)
  return ((bytes - afterBytes) / Math.max(1, pages.length)) * views
}

/** The audit as JSON: the figures of the table, findings and totals. `views`: page views per month. */
export const jsonReport = (audit: Audit, views: number): string => {
  const largest = largestOf(audit.images)
  const images = audit.images.map((image) => ({
    ...image,
    isLargest: image === largest,
    savedBytes: savedBytes(image),
    findings: findingsOf(image, image === largest).map((finding) => ({ ...finding, advice: adviceOn(finding, image) })),
  }))
  return `${JSON.stringify({ ...audit, totals: totalsOf(audit.images), views, savedBytesAMonth: savedAMonth(audit, views), images }, undefined, 2)}\n`
}
