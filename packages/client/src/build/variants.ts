import type { Format } from '../tables.ts'
import type { Variant } from '../variant.ts'
import type { ImageSize } from './image-size.ts'

/** `auto` lets the service choose JPEG or PNG. */
export type RequestedFormat = Format | 'auto'

/** Lists of values; each combination becomes a variant. Without a list, or with an empty one, the value of the shared variant applies. */
export interface VariantLists {
  readonly widths?: readonly number[]
  readonly densities?: readonly (1 | 2 | 3)[]
  readonly formats?: readonly RequestedFormat[]
}

/** Default formats of `<picture>`. Modern formats come first, since browsers use the first one they support. Animations get animated formats only, SVG gets SVG only. */
export const pictureFormats = (source: ImageSize | undefined): readonly RequestedFormat[] => {
  if (source?.format === 'svg') return ['auto']
  if (source?.animated === true) return source.format === 'gif' ? ['webp', 'auto'] : ['auto']
  return ['avif', 'webp', 'auto']
}

const orSingle = <Item>(list: readonly Item[] | undefined, single: Item): readonly Item[] =>
  list === undefined || list.length === 0 ? [single] : list

/** Returns the largest useful width in CSS pixels: that of the source. SVG, `fit` and `pad` have no limit. */
const maxWidth = ({ fit, pad }: Variant, source: ImageSize | undefined): number =>
  source === undefined || source.format === 'svg' || fit === true || pad === true
    ? Number.POSITIVE_INFINITY
    : source.width

/** Returns the height of a variant: a box keeps its aspect ratio, a height alone does not change. */
const heightAt = ({ width, height }: Variant, newWidth: number | undefined): number | undefined =>
  height === undefined || width === undefined || newWidth === undefined
    ? height
    : Math.max(1, Math.round((newWidth * height) / width))

/** Returns one variant for each format, width and density. Sorts by the order of the formats, then by ascending width. */
export const variantsOf = (shared: Variant, lists: VariantLists, source: ImageSize | undefined): readonly Variant[] => {
  const limit = maxWidth(shared, source)
  const clamped = orSingle(lists.widths, shared.width).map((width) => width && Math.min(width, limit))
  const widths = [...new Set(clamped)].toSorted((one = 0, other = 0) => one - other)
  const { width: _w, height: _h, density: _d, format: _f, ...rest } = shared
  return orSingle(lists.formats, shared.format ?? 'auto').flatMap((format) =>
    widths.flatMap((width) =>
      orSingle(lists.densities, shared.density).map((density) => {
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
