import type { Box, Extent, Pixels } from '../core/image.ts'
import { wordsOf } from './scan.ts'

/**
 * What is left when the border of solid colour goes (§2, trim=border): outer rows and columns whose every pixel equals
 * the top-left corner's exactly, alpha and hidden colour included; where that corner has no such border, the
 * bottom-right corner's. Undefined when nothing is to be removed; a uniform image stays as it is.
 */
export const findBorder = (pixels: Pixels): Box | undefined => {
  const words = wordsOf(pixels)
  const last = words.length - 1
  return (
    borderOf(words, pixels, words[0]!) ?? (words[last] === words[0] ? undefined : borderOf(words, pixels, words[last]!))
  )
}

/** Cuts a box out of an image. */
export const cutOut = (pixels: Pixels, box: Box): Pixels => {
  const { channels, data } = pixels
  const cut = new Uint8Array(box.width * box.height * channels)
  for (let row = 0; row < box.height; row++) {
    const from = ((box.top + row) * pixels.width + box.left) * channels
    cut.set(data.subarray(from, from + box.width * channels), row * box.width * channels)
  }
  return { width: box.width, height: box.height, channels, data: cut }
}

const borderOf = (words: Uint32Array, { width, height }: Extent, colour: number): Box | undefined => {
  const rowIs = (y: number): boolean => isRun(words, y * width, 1, width, colour)
  const top = countWhile(height, rowIs)
  if (top === height) return undefined
  const bottom = height - countWhile(height, (back) => rowIs(height - 1 - back))
  // Only the rows in between count: beside a removed row a column must not be longer than what is left.
  const columnIs = (x: number): boolean => isRun(words, top * width + x, width, bottom - top, colour)
  const left = countWhile(width, columnIs)
  const right = width - countWhile(width, (back) => columnIs(width - 1 - back))
  const box = { left, top, width: right - left, height: bottom - top }
  return box.width === width && box.height === height ? undefined : box
}

const isRun = (words: Uint32Array, from: number, step: number, count: number, colour: number): boolean => {
  for (let at = from, left = count; left > 0; left--, at += step) if (words[at] !== colour) return false
  return true
}

const countWhile = (most: number, holds: (index: number) => boolean): number => {
  let count = 0
  while (count < most && holds(count)) count++
  return count
}
