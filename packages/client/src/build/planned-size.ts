import type { Variant } from '../variant.ts'
import type { ImageSize } from './image-size.ts'

type Extent = Pick<ImageSize, 'width' | 'height'>

/** About how large a variant will be in pixels, before it is made: what pages of a development server reserve room for. Trimming is not foreseen. */
export const plannedSize = ({ width, height, density = 1, ...how }: Variant, source: Extent): Extent => {
  if (width === undefined && height === undefined) return source
  const box = { width: (width ?? Infinity) * density, height: (height ?? Infinity) * density }
  if ((how.crop !== undefined || how.pad === true) && width !== undefined && height !== undefined) return box
  const scale = Math.min(box.width / source.width, box.height / source.height)
  const most = how.fit === true ? scale : Math.min(1, scale)
  return { width: Math.max(1, Math.round(source.width * most)), height: Math.max(1, Math.round(source.height * most)) }
}
