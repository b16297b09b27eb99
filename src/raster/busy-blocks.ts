import type { Raster } from '../core/image.ts'
import { wordsOf } from './scan.ts'

/** Px of a block's side, a multiple of the metrics' pooling. */
const BLOCK = 64

/** A selection of an image's blocks with more than one colour, placed next to each other. */
export interface BusyBlocks {
  readonly pixels: Raster
  /** For each pixel of the selection its index in the image. */
  readonly indices: Uint32Array
  /** Fraction of the image in blocks with more than one colour, selected or not. */
  readonly busy: number
}

interface Block {
  readonly left: number
  readonly top: number
  /** Pixels that differ from their left neighbour. */
  readonly changes: number
}

const listBlocks = (pixels: Raster): readonly Block[] => {
  const { width, height, data, channels } = pixels
  const blocks: Block[] = []
  for (let top = 0; top + BLOCK <= height; top += BLOCK) {
    const rows = data.subarray(top * width * channels, (top + BLOCK) * width * channels)
    const words = wordsOf({ data: rows, width, height: BLOCK, channels })
    for (let left = 0; left + BLOCK <= width; left += BLOCK) {
      const changes = countChanges(words, left, width)
      if (changes > 0) blocks.push({ left, top, changes })
    }
  }
  return blocks
}

const countChanges = (words: Uint32Array, from: number, width: number): number => {
  let changes = 0
  for (let y = 0; y < BLOCK; y += 1) {
    const row = from + y * width
    if (words[row] !== words[from]) changes += 1
    for (let x = 1; x < BLOCK; x += 1) if (words[row + x] !== words[row + x - 1]) changes += 1
  }
  return changes
}

/** Every n-th block in the order of changes, so that quiet and noisy ones are selected evenly. */
const choose = (blocks: readonly Block[], most: number): readonly Block[] => {
  if (blocks.length <= most) return blocks
  const order = blocks.toSorted((a, b) => b.changes - a.changes || a.top - b.top || a.left - b.left)
  return Array.from({ length: most }, (_, at) => order[Math.floor((at * order.length) / most)]!)
}

/**
 * Selects blocks of 64 x 64 px with more than one colour, evenly from quiet to noisy and with at most `maxPixels`, as one image. A search
 * on it gives nearly the result for the whole. undefined when the image has too few such blocks.
 */
export const selectBusyBlocks = (pixels: Raster, maxPixels: number): BusyBlocks | undefined => {
  const blocks = listBlocks(pixels)
  const chosen = choose(blocks, Math.floor(maxPixels / BLOCK ** 2))
  const across = Math.floor(Math.sqrt(chosen.length))
  if (across < 2) return undefined
  const down = Math.floor(chosen.length / across)
  const [width, height] = [across * BLOCK, down * BLOCK]
  const { channels, data } = pixels
  const indices = new Uint32Array(width * height)
  const selected = new Uint8Array(width * height * channels)
  for (let at = 0; at < indices.length; at += 1) {
    const [x, y] = [at % width, Math.floor(at / width)]
    const block = chosen[Math.floor(y / BLOCK) * across + Math.floor(x / BLOCK)]!
    const place = (block.top + (y % BLOCK)) * pixels.width + block.left + (x % BLOCK)
    indices[at] = place
    for (let c = 0; c < channels; c += 1) selected[at * channels + c] = data[place * channels + c]!
  }
  const busy = (blocks.length * BLOCK ** 2) / (pixels.width * pixels.height)
  return { pixels: { width, height, channels, data: selected }, indices, busy }
}
