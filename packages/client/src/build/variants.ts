import type { Format } from '../tables.ts'
import type { Variant } from '../variant.ts'
import type { ImageSize } from './image-size.ts'

/** `auto` is the service's choice: JPEG or PNG, whichever is smaller. */
export type WantedFormat = Format | 'auto'

/** Several variants of one image. A list that is absent or empty takes the value of the variant that they share. */
export interface VariantLists {
  readonly widths?: readonly number[]
  readonly densities?: readonly (1 | 2 | 3)[]
  readonly formats?: readonly WantedFormat[]
}

/** Default formats of `<picture>`, modern ones first, because browsers take the first that they know. Animations stay animations, drawings stay drawings. */
export const pictureFormats = (source: ImageSize | undefined): readonly WantedFormat[] => {
  if (source?.format === 'svg') return ['auto']
  if (source?.animated === true) return source.format === 'gif' ? ['webp', 'auto'] : ['auto']
  return ['avif', 'webp', 'auto']
}

const orOnly = <Item>(list: readonly Item[] | undefined, only: Item): readonly Item[] =>
  list === undefined || list.length === 0 ? [only] : list

/** Nothing wider than the source is asked for, as it would not get wider; drawings and what is enlarged do. */
const mostWidth = ({ fit, pad }: Variant, source: ImageSize | undefined): number =>
  source === undefined || source.format === 'svg' || fit === true || pad === true
    ? Number.POSITIVE_INFINITY
    : source.width

/** A box keeps its shape; a height alone stays. */
const heightAt = ({ width, height }: Variant, now: number | undefined): number | undefined =>
  height === undefined || width === undefined || now === undefined
    ? height
    : Math.max(1, Math.round((now * height) / width))

/** One variant for each format, width and density: formats in their order, then widths ascending. */
export const variantsOf = (shared: Variant, lists: VariantLists, source: ImageSize | undefined): readonly Variant[] => {
  const most = mostWidth(shared, source)
  const clamped = orOnly(lists.widths, shared.width).map((width) => width && Math.min(width, most))
  const widths = [...new Set(clamped)].toSorted((one = 0, other = 0) => one - other)
  const { width: _w, height: _h, density: _d, format: _f, ...rest } = shared
  return orOnly(lists.formats, shared.format ?? 'auto').flatMap((format) =>
    widths.flatMap((width) =>
      orOnly(lists.densities, shared.density).map((density) => {
        const height = heightAt(shared, width)
        return {
          ...rest,
          ...(width === undefined ? {} : { width }),
          ...(height === undefined ? {} : { height }),
          ...(density === undefined ? {} : { density }),
          ...(format === 'auto' ? {} : { format }),
        }
      }),
    ),
  )
}
