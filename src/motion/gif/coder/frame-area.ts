import type { Box, Extent } from '../../../core/image.ts'

/** Grows around pixels. */
export interface Area {
  readonly add: (pixel: number) => void
  /** The least box around all of them; one pixel where there were none: GIF has no empty frames. */
  readonly box: () => Box
}

export const openArea = ({ width, height }: Extent): Area => {
  let [left, right, top, bottom] = [width, -1, height, -1]
  return {
    add: (pixel) => {
      const x = pixel % width
      const y = (pixel - x) / width
      if (x < left) left = x
      if (x > right) right = x
      if (y < top) top = y
      if (y > bottom) bottom = y
    },
    box: () =>
      right < 0
        ? { left: 0, top: 0, width: 1, height: 1 }
        : { left, top, width: right - left + 1, height: bottom - top + 1 },
  }
}
