import type { Box, Extent } from '../core/image.ts'
import type { Geometry } from './plan.ts'

/** The part of an upright source that a result shows, as fractions 0..1 of its sides. */
export type ShownWindow = Box

/** The part that a geometry shows. `trimmed`: the part of the source that trimming kept. undefined when a canvas surrounds the image. */
export const shownWindow = (
  { extract, scaleTo, crop, canvas }: Geometry,
  { source, trimmed }: { readonly source: Extent; readonly trimmed: Box | undefined },
): ShownWindow | undefined => {
  if (canvas !== undefined) return undefined
  const image = trimmed ?? { left: 0, top: 0, ...source }
  const part = extract ?? { left: 0, top: 0, width: image.width, height: image.height }
  const shown = crop ?? { left: 0, top: 0, ...scaleTo }
  const [across, down] = [part.width / scaleTo.width, part.height / scaleTo.height]
  return {
    left: (image.left + part.left + shown.left * across) / source.width,
    top: (image.top + part.top + shown.top * down) / source.height,
    width: (shown.width * across) / source.width,
    height: (shown.height * down) / source.height,
  }
}
