import type { Raster } from '../core/image.ts'
import { wordsOf } from './scan.ts'

/** Side of a block in px; a multiple of what metrics pool by. */
const BLOCK = 64

/** A selection of an image's blocks that are not of one colour, laid side by side. */
export interface BusyBlocks {
  readonly pixels: Raster
  /** For each pixel of the selection its place in the image. */
  readonly places: Uint32Array
  /** Share of the image, 0..1, that is in blocks which are not of one colour, chosen or not. */
  readonly busy: number
}

interface Block {
  readonly left: number
  readonly top: number
  /** Pixels that differ from their left neighbour. */
  readonly changes: number
}

const listBlocks = (pixels: Raster): readonly Block[] => {
  const { width, height } = pixels
  const words = wordsOf(pixels)
  const blocks: Block[] = []
  for (let top = 0; top + BLOCK <= height; top += BLOCK)
    for (let left = 0; left + BLOCK <= width; left += BLOCK) {
      const changes = countChanges(words, top * width + left, width)
      if (changes > 0) blocks.push({ left, top, changes })
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

/** Every n-th of the blocks in order of their changes, so that quiet and noisy ones are chosen alike. */
const choose = (blocks: readonly Block[], most: number): readonly Block[] => {
  if (blocks.length <= most) return blocks
  const order = blocks.toSorted((a, b) => b.changes - a.changes || a.top - b.top || a.left - b.left)
  return Array.from({ length: most }, (_, at) => order[Math.floor((at * order.length) / most)]!)
}

/**
 * Blocks of 64 x 64 px of an image that are not of one colour, at most so many pixels of them, evenly chosen from quiet to
 * noisy, as one image whose search tells nearly what that of the whole would. Undefined when the image has too few of them.
 */
export const selectBusyBlocks = (pixels: Raster, mostPixels: number): BusyBlocks | undefined => {
  const blocks = listBlocks(pixels)
  const chosen = choose(blocks, Math.floor(mostPixels / BLOCK ** 2))
  const across = Math.floor(Math.sqrt(chosen.length))
  if (across < 2) return undefined
  const down = Math.floor(chosen.length / across)
  const [width, height] = [across * BLOCK, down * BLOCK]
  const { channels, data } = pixels
  const places = new Uint32Array(width * height)
  const selected = new Uint8Array(width * height * channels)
  for (let at = 0; at < places.length; at += 1) {
    const [x, y] = [at % width, Math.floor(at / width)]
    const block = chosen[Math.floor(y / BLOCK) * across + Math.floor(x / BLOCK)]!
    const place = (block.top + (y % BLOCK)) * pixels.width + block.left + (x % BLOCK)
    places[at] = place
    for (let c = 0; c < channels; c += 1) selected[at * channels + c] = data[place * channels + c]!
  }
  const busy = (blocks.length * BLOCK ** 2) / (pixels.width * pixels.height)
  return { pixels: { width, height, channels, data: selected }, places, busy }
}
