import type { Box, Extent } from '../core/image.ts'

type Draw = (canvas: Uint8Array, extent: Extent, pixels: Uint8Array, box: Box) => void

const eachRow = (extent: Extent, box: Box, act: (canvasAt: number, boxAt: number) => void): void => {
  for (let row = 0; row < box.height; row++) act(((box.top + row) * extent.width + box.left) * 4, row * box.width * 4)
}

/** Replaces a box of an RGBA canvas. */
export const copyBox: Draw = (canvas, extent, pixels, box) =>
  eachRow(extent, box, (to, from) => canvas.set(pixels.subarray(from, from + box.width * 4), to))

/** Makes a box of an RGBA canvas fully transparent. */
export const clearBox = (canvas: Uint8Array, extent: Extent, box: Box): void =>
  eachRow(extent, box, (to) => canvas.fill(0, to, to + box.width * 4))

const blendPixel = (canvas: Uint8Array, to: number, pixels: Uint8Array, from: number): void => {
  const above = pixels[from + 3]! / 255
  const below = (canvas[to + 3]! / 255) * (1 - above)
  const alpha = above + below
  if (alpha === 0) return
  for (let c = 0; c < 3; c++) {
    canvas[to + c] = Math.round((pixels[from + c]! * above + canvas[to + c]! * below) / alpha)
  }
  canvas[to + 3] = Math.round(alpha * 255)
}

/** Blends straight-alpha RGBA pixels over a box of an RGBA canvas. */
export const blendOver: Draw = (canvas, extent, pixels, box) =>
  eachRow(extent, box, (to, from) => {
    for (let x = 0; x < box.width * 4; x += 4) {
      if (pixels[from + x + 3] === 255) canvas.set(pixels.subarray(from + x, from + x + 4), to + x)
      else if (pixels[from + x + 3] !== 0) blendPixel(canvas, to + x, pixels, from + x)
    }
  })
