import type { Box, Extent } from '../../../core/image.ts'
import { COORDINATES } from './frame.ts'
import type { CoderPalette } from './palette.ts'

/** All frames of an animation by their colours. */
export interface CodableAnimation extends Extent {
  readonly frames: number
  /** RGBA, four bytes each, either opaque or fully transparent. */
  readonly colours: Uint8Array
  /** For each pixel of all frames the number of its colour. */
  readonly entries: Uint32Array
}

/** What is there while an animation plays. */
export interface Canvas {
  /** RGBA of all pixels; its data changes. */
  readonly data: Uint8Array
  readonly points: Float32Array
}

export const openCanvas = ({ width, height }: Extent): Canvas => ({
  data: new Uint8Array(width * height * 4),
  points: new Float32Array(width * height * COORDINATES),
})

/** Draws the symbols of a box. */
export const draw = (canvas: Canvas, box: Box, width: number, symbols: Uint16Array, palette: CoderPalette): void => {
  const { colours, points } = palette
  const leaving = colours.length / 4
  for (let y = 0, from = 0; y < box.height; y += 1) {
    for (let x = 0, at = (box.top + y) * width + box.left; x < box.width; x += 1, at += 1, from += 1) {
      const symbol = symbols[from]!
      if (symbol === leaving) continue
      for (let c = 0; c < 4; c += 1) canvas.data[at * 4 + c] = colours[symbol * 4 + c]!
      for (let c = 0; c < COORDINATES; c += 1) canvas.points[at * COORDINATES + c] = points[symbol * COORDINATES + c]!
    }
  }
}

/** Takes away what is in a box, as players do after a frame that asks for it. */
export const clear = (canvas: Canvas, box: Box, width: number): void => {
  for (let y = box.top; y < box.top + box.height; y += 1)
    canvas.data.fill(0, (y * width + box.left) * 4, (y * width + box.left + box.width) * 4)
}

/** A frame's colours and what they ask of the canvas. */
export interface Wish {
  readonly points: Float32Array
  /** Opaque pixels. */
  readonly opaque: Uint8Array
}

/** What frame `number` shall show; `points` are those of the animation's colours. */
export const wishOf = (animation: CodableAnimation, points: Float32Array, number: number): Wish => {
  const size = animation.width * animation.height
  const wanted = new Float32Array(size * COORDINATES)
  const opaque = new Uint8Array(size)
  for (let at = 0, from = number * size; at < size; at += 1, from += 1) {
    const entry = animation.entries[from]!
    opaque[at] = animation.colours[entry * 4 + 3] === 0 ? 0 : 1
    for (let c = 0; c < COORDINATES; c += 1) wanted[at * COORDINATES + c] = points[entry * COORDINATES + c]!
  }
  return { points: wanted, opaque }
}
