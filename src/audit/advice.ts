/** Texts about findings, for every kind of report. */
import { unreachable } from '../core/unreachable.ts'
import { type AuditedImage, DENSITY, type Finding } from './findings.ts'

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** Bytes in decimal units with at least two digits, such as `1.4 kB`. */
export const bytesText = (bytes: number): string => {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes * 1.0005) / 3))
  const value = bytes / 1000 ** power
  return `${value.toFixed(power > 0 && value < 10 ? 1 : 0)} ${UNITS[power]}`
}

/** An address for a report. Files of a folder are shown by their path. */
export const shownAddress = (url: string): string => url.replace(/^file:\/\/\//, '')

/** The largest size at which pages show an image, in CSS px: `300x200`, or `300` without a stated height. Empty if unknown. */
export const shownText = (uses: AuditedImage['uses']): string => {
  const shown = uses.filter(({ role }) => role === 'img').map(({ shown }) => shown)
  const widest = shown.toSorted((a, b) => (b.width ?? 0) - (a.width ?? 0))[0]
  if (widest?.width === undefined) return ''
  return widest.height === undefined ? `${widest.width}` : `${widest.width}x${widest.height}`
}

/** Advice on a finding in one sentence. */
export const adviceOn = (finding: Finding, { measured }: AuditedImage): string => {
  if (finding.kind === 'failed') return `Not measured: ${finding.reason}`
  if (measured.kind === 'failed') return ''
  switch (finding.kind) {
    case 'smaller':
      return `Store it as ${bytesText(measured.result.bytes)} ${measured.result.format.toUpperCase()} (options ${measured.result.options}): saves ${bytesText(finding.savedBytes)}.`
    case 'oversize':
      return `It has ${measured.width} px of width and is shown at ${finding.shownWidth} CSS px: ${finding.shownWidth * DENSITY} px are enough for screens of density ${DENSITY}.`
    case 'no-size':
      return `Give the element width="${measured.width}" and height="${measured.height}", so that the page does not jump.`
    case 'lazy-largest':
      return 'Remove loading="lazy": this is probably the largest image that is seen first.'
    default:
      return unreachable(finding)
  }
}
