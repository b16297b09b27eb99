import { endianness } from 'node:os'
import { writePngChunk } from '../../containers/png.ts'
import type { PixelCells } from './cells.ts'

/** How cells are written into a PNG. */
export interface PixelFormat {
  readonly depth: number
  /** 2 RGB, 3 palette, 6 RGBA. */
  readonly colourType: 2 | 3 | 6
  /** PLTE and tRNS, where there are any. */
  readonly chunks: readonly Buffer[]
  /** Bytes that filters look back by. */
  readonly filterBytes: number
  /** A cell that shows nothing; absent where none is free. */
  readonly hole?: number
  readonly isOpaque: (cell: number) => boolean
  /** Rows of `width` cells. A byte for the filter precedes each row. */
  readonly pack: (cells: PixelCells, width: number) => Uint8Array
}

if (endianness() !== 'LE') throw new Error('Words of pixels are little-endian')
/** Alpha in a little-endian word of RGBA. */
const ALPHA = 0xff000000
const isOpaqueWord = (word: number): boolean => word >>> 24 === 255

const packBytes =
  (channels: 3 | 4) =>
  (cells: PixelCells, width: number): Uint8Array => {
    const rows = new Uint8Array((cells.length / width) * (1 + width * channels))
    for (let at = 0, to = 0; at < cells.length; at++) {
      if (at % width === 0) to++
      const word = cells[at]!
      rows[to++] = word & 255
      rows[to++] = (word >>> 8) & 255
      rows[to++] = (word >>> 16) & 255
      if (channels === 4) rows[to++] = word >>> 24
    }
    return rows
  }

/** A colour that no pixel has: of 16.7 million there is one, unless there are as many pixels. */
const unusedColour = (words: Uint32Array): number | undefined => {
  const used = new Uint8Array(1 << 24)
  for (const word of words) used[word & 0xffffff] = 1
  const free = used.indexOf(0)
  return free < 0 ? undefined : free
}

/** Every colour: RGB with one unused colour as the hole where all is opaque, else RGBA. `words`: all pixels of all frames. */
export const trueColour = (words: Uint32Array): PixelFormat => {
  if (!words.every(isOpaqueWord))
    return {
      depth: 8,
      colourType: 6,
      chunks: [],
      filterBytes: 4,
      hole: 0,
      isOpaque: isOpaqueWord,
      pack: packBytes(4),
    }
  const key = unusedColour(words)
  const opaque = { depth: 8, colourType: 2, filterBytes: 3, isOpaque: () => true, pack: packBytes(3) } as const
  if (key === undefined) return { ...opaque, chunks: [] }
  const transparent = Buffer.of(0, key & 255, 0, (key >>> 8) & 255, 0, key >>> 16)
  return { ...opaque, chunks: [writePngChunk('tRNS', transparent)], hole: key }
}

const depthOf = (entries: number): 1 | 2 | 4 | 8 => (entries <= 2 ? 1 : entries <= 4 ? 2 : entries <= 16 ? 4 : 8)

const packIndices =
  (depth: number) =>
  (cells: PixelCells, width: number): Uint8Array => {
    const stride = 1 + Math.ceil((width * depth) / 8)
    const rows = new Uint8Array(stride * (cells.length / width))
    for (let at = 0; at < cells.length; at++) {
      const [x, row] = [at % width, Math.floor(at / width) * stride + 1]
      const bit = x * depth
      rows[row + (bit >> 3)]! |= cells[at]! << (8 - depth - (bit & 7))
    }
    return rows
  }

/** Format of at most 256 colours, RGBA. tRNS is shortest when transparent colours come first. Adds a hole if there is none and one fits. */
export const paletteOf = (table: Uint8Array): PixelFormat => {
  const entries = table.length / 4
  const clear = Array.from({ length: entries }, (_, entry) => entry).find((entry) => table[entry * 4 + 3] === 0)
  const hole = clear ?? (entries < 256 ? entries : undefined)
  const all = clear === undefined && hole !== undefined ? Uint8Array.from([...table, 0, 0, 0, 0]) : table
  const count = all.length / 4
  const colours = Uint8Array.from({ length: count * 3 }, (_, at) => all[Math.floor(at / 3) * 4 + (at % 3)]!)
  const alphas = Uint8Array.from({ length: count }, (_, entry) => all[entry * 4 + 3]!)
  const transparent = alphas.findLastIndex((alpha) => alpha < 255) + 1
  const depth = depthOf(count)
  return {
    depth,
    colourType: 3,
    chunks: [
      writePngChunk('PLTE', colours),
      ...(transparent === 0 ? [] : [writePngChunk('tRNS', alphas.subarray(0, transparent))]),
    ],
    filterBytes: 1,
    ...(hole === undefined ? {} : { hole }),
    isOpaque: (cell) => alphas[cell] === 255,
    pack: packIndices(depth),
  }
}

/** Words of RGBA bytes; colour under full transparency counts as none. */
export const wordsOfFrames = (rgba: Uint8Array): Uint32Array => {
  const aligned = rgba.byteOffset % 4 === 0 ? rgba : rgba.slice()
  const words = new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4)
  for (let at = 0; at < words.length; at++) if ((words[at]! & ALPHA) === 0) words[at] = 0
  return words
}
