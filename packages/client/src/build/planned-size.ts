import type { Variant } from '../variant.ts'
import type { ImageSize } from './image-size.ts'

type Extent = Pick<ImageSize, 'width' | 'height'>

/** Predicts the size of a variant in pixels, so that pages of a development server can reserve its space. Ignores `trim`. */
export const plannedSize = ({ width, height, density = 1, ...method }: Variant, source: Extent): Extent => {
  if (width === undefined && height === undefined) return source
  const box = { width: (width ?? Infinity) * density, height: (height ?? Infinity) * density }
  if ((method.crop !== undefined || method.pad === true) && width !== undefined && height !== undefined) return box
  const scale = Math.min(box.width / source.width, box.height / source.height)
  const factor = method.fit === true ? scale : Math.min(1, scale)
  return {
    width: Math.max(1, Math.round(source.width * factor)),
    height: Math.max(1, Math.round(source.height * factor)),
  }
}
