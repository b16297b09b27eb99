/** Findings of an audit on one image, decided only from measurements. */
import type { ImageUse } from './page-content.ts'

/** One image file with every mention of it, and its measurement. */
export interface AuditedImage {
  readonly url: string
  /** Pages that mention it. */
  readonly pages: readonly string[]
  readonly uses: readonly ImageUse[]
  readonly measured: Measured | { readonly kind: 'failed'; readonly reason: string }
}

export interface Measured {
  readonly kind: 'measured'
  readonly format: string
  readonly bytes: number
  /** px of the upright image. */
  readonly width: number
  readonly height: number
  /** IJG quality of a JPEG, estimated from its tables. */
  readonly jpegQuality?: number
  /** Whittle's result at the audit's preset and the size that pages show. */
  readonly result: {
    readonly options: string
    readonly format: string
    readonly contentType: string
    readonly bytes: number
    readonly width: number
    readonly height: number
    /** SSIMULACRA 2.1 and Butteraugli's 3-norm against the source. Absent without a comparison. */
    readonly score?: number
    readonly butteraugli?: number
  }
}

export type Finding =
  | { readonly kind: 'smaller'; readonly savedBytes: number }
  | { readonly kind: 'oversize'; readonly shownWidth: number }
  | { readonly kind: 'no-size' }
  | { readonly kind: 'lazy-largest' }
  | { readonly kind: 'failed'; readonly reason: string }

/** Device px per CSS px that results are made for. */
export const DENSITY = 2

/** Minimum bytes of a reported saving, about one TCP packet. */
const MIN_SAVING = 1400

/** The largest width in CSS px at which an image is shown. undefined if any mention has no width. */
const shownWidthOf = (uses: readonly ImageUse[]): number | undefined => {
  const widths = uses.filter(({ role }) => role === 'img').map(({ shown }) => shown.width)
  return widths.length === 0 || widths.includes(undefined)
    ? undefined
    : widths.reduce<number>((widest, width) => Math.max(widest, width ?? 0), 0)
}

/** The option list for the result of an image. `width`: px of the file. */
export const optionsFor = (uses: readonly ImageUse[], width: number, preset: string): string => {
  const shown = shownWidthOf(uses)
  const size = shown !== undefined && shown * DENSITY < width ? `${shown},${DENSITY}x` : 'full'
  return `${size},quality=${preset}`
}

/** Bytes that the result saves. 0 if it is not smaller. */
export const savedBytes = ({ measured }: AuditedImage): number =>
  measured.kind === 'failed' ? 0 : Math.max(0, measured.bytes - measured.result.bytes)

/** CSS px² of an image on its page. The file's own size if the page states none. */
const shownArea = ({ uses, measured }: AuditedImage): number => {
  if (measured.kind === 'failed') return 0
  return uses
    .filter(({ role }) => role === 'img' || role === 'background' || role === 'poster')
    .map(({ shown }) => {
      const width =
        shown.width ?? (shown.height === undefined ? measured.width : (shown.height * measured.width) / measured.height)
      return width * (shown.height ?? (width * measured.height) / measured.width)
    })
    .reduce((largest, area) => Math.max(largest, area), 0)
}

/** The probable largest contentful paint: the image that a browser reported, else the one with the largest area. */
export const largestOf = (images: readonly AuditedImage[]): AuditedImage | undefined =>
  images.find(({ uses }) => uses.some(({ isLargest }) => isLargest === true)) ??
  images.filter((image) => shownArea(image) > 0).toSorted((a, b) => shownArea(b) - shownArea(a))[0]

/** Sorts images: the probable largest contentful paint first, then by bytes saved. */
export const inOrder = (images: readonly AuditedImage[]): readonly AuditedImage[] => {
  const largest = largestOf(images)
  return images.toSorted((a, b) => Number(b === largest) - Number(a === largest) || savedBytes(b) - savedBytes(a))
}

/** Returns the findings about an image: bytes to save, too many pixels, no reserved space, lazy loading of the largest image. */
export const findingsOf = (image: AuditedImage, isLargest: boolean): readonly Finding[] => {
  const { measured, uses } = image
  if (measured.kind === 'failed') return [{ kind: 'failed', reason: measured.reason }]
  const saved = savedBytes(image)
  const shown = shownWidthOf(uses)
  const onPage = uses.filter(({ role }) => role === 'img')
  const found: Finding[] = []
  if (saved >= MIN_SAVING) found.push({ kind: 'smaller', savedBytes: saved })
  if (shown !== undefined && shown * DENSITY < measured.width) found.push({ kind: 'oversize', shownWidth: shown })
  if (onPage.some(({ reservesSpace }) => !reservesSpace)) found.push({ kind: 'no-size' })
  if (isLargest && onPage.some(({ lazy }) => lazy)) found.push({ kind: 'lazy-largest' })
  return found
}

/** Sums over all images of an audit. `bytes` and `afterBytes` count measured images only. */
export interface AuditTotals {
  readonly images: number
  readonly failed: number
  readonly bytes: number
  readonly afterBytes: number
  /** Percentage of `bytes`, 0..100. */
  readonly savedPercent: number
}

/** Returns the sums over images. */
export const totalsOf = (images: readonly AuditedImage[]): AuditTotals => {
  const measured = images.flatMap((image) => (image.measured.kind === 'measured' ? [image] : []))
  const bytes = measured.reduce((sum, { measured: m }) => sum + (m.kind === 'measured' ? m.bytes : 0), 0)
  const saved = measured.reduce((sum, image) => sum + savedBytes(image), 0)
  return {
    images: images.length,
    failed: images.length - measured.length,
    bytes,
    afterBytes: bytes - saved,
    savedPercent: bytes === 0 ? 0 : (saved / bytes) * 100,
  }
}
