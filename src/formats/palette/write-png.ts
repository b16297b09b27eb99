import { deflateSync } from 'node:zlib'
import { writePng, writePngChunk, writePngHeader } from '../../containers/png.ts'
import { PNG_FILTER } from '../../core/png-filters.ts'
import type { Indexed } from './remap.ts'

/** How many pixels have each entry, and how often a row ends with it and the next begins with it. */
const countEntries = ({ width, indices }: Indexed) => {
  const pixels = new Uint32Array(256)
  const joins = new Uint32Array(256)
  for (let at = 0; at < indices.length; at += 1) pixels[indices[at]!]! += 1
  for (let row = width; row < indices.length; row += width)
    if (indices[row - 1] === indices[row]) joins[indices[row]!]! += 1
  return { pixels, joins }
}

/**
 * The used entries in the order of PLTE. With `joined`, the entry that joins most rows comes first. Its index 0 equals the mark of a row without
 * filter, so matches continue from row to row (saves a tenth of a flat drawing). Then those with transparency, so that tRNS is short; then by luma.
 */
const orderOf = (image: Indexed, joined: boolean): readonly number[] => {
  const { table } = image
  const { pixels, joins } = countEntries(image)
  const most = Math.max(...joins)
  const first = joined && most > 0 ? joins.indexOf(most) : -1
  const luma = (entry: number): number =>
    table[entry * 4]! * 0.3 + table[entry * 4 + 1]! * 0.6 + table[entry * 4 + 2]! * 0.1
  const others = Array.from(pixels.keys())
    .filter((entry) => pixels[entry]! > 0 && entry !== first)
    .sort((a, b) => table[a * 4 + 3]! - table[b * 4 + 3]! || luma(a) - luma(b))
  return first === -1 ? others : [first, ...others]
}

type BitDepth = 1 | 2 | 4 | 8

const depthOf = (entries: number): BitDepth => (entries <= 2 ? 1 : entries <= 4 ? 2 : entries <= 16 ? 4 : 8)

const packRows = ({ width, height, indices }: Indexed, numbers: Uint8Array, depth: BitDepth): Uint8Array => {
  const stride = 1 + Math.ceil((width * depth) / 8)
  const rows = new Uint8Array(stride * height)
  for (let y = 0, at = 0; y < height; y += 1) {
    const row = y * stride + 1
    for (let x = 0; x < width; x += 1, at += 1) {
      const bit = x * depth
      rows[row + (bit >> 3)]! |= numbers[indices[at]!]! << (8 - depth - (bit & 7))
    }
  }
  return rows
}

/** Filter of a row: its bytes, or their differences from the row above, which suits vertical repetition. */
export type RowFilter = 'none' | 'up'

/** Rows less those above them, with the mark of that filter; the first is less nothing. */
const lessAbove = (rows: Uint8Array, height: number): Uint8Array => {
  const stride = rows.length / height
  const marked = rows.map((value, at) => value - (at < stride ? 0 : rows[at - stride]!))
  for (let at = 0; at < marked.length; at += stride) marked[at] = PNG_FILTER.up
  return marked
}

/** How an indexed image is laid out for deflate. */
export interface Layout {
  readonly filter: RowFilter
  /** Meaning of a pixel's number: a palette's entry, where the one that joins rows comes first or not, or a level of grey. */
  readonly numbers: 'joined' | 'sorted' | 'grey'
  /** A byte for each pixel even where several would fit into one. */
  readonly whole: boolean
}

export const USUAL: Layout = { filter: 'none', numbers: 'joined', whole: false }

/** An image laid out: what is to be deflated, and the PNG around it once it is. */
interface LaidOut {
  readonly rows: Uint8Array
  readonly finish: (stream: Uint8Array) => Uint8Array
}

/** Meaning of pixels' numbers: bits of each, PNG's colour type, the number of each entry, and the chunks that say so. */
interface Numbering {
  readonly depth: BitDepth
  readonly colourType: 0 | 3
  readonly numbers: Uint8Array
  readonly chunks: readonly Uint8Array[]
}

const numberEntries = (order: readonly number[]): Uint8Array => {
  const numbers = new Uint8Array(256)
  for (const [number, entry] of order.entries()) numbers[entry] = number
  return numbers
}

/** Numbers of a palette's entries. */
const asPalette = (image: Indexed, joined: boolean): Numbering => {
  const { table } = image
  const order = orderOf(image, joined)
  const colours = Uint8Array.from(order.flatMap((entry) => [...table.subarray(entry * 4, entry * 4 + 3)]))
  const alphas = order.map((entry) => table[entry * 4 + 3]!)
  const transparent = alphas.findLastIndex((alpha) => alpha < 255) + 1
  const transparency = [writePngChunk('tRNS', Uint8Array.from(alphas.slice(0, transparent)))]
  const chunks = [writePngChunk('PLTE', colours), ...(transparent === 0 ? [] : transparency)]
  return { depth: depthOf(order.length), colourType: 3, numbers: numberEntries(order), chunks }
}

/** Levels of grey, which need no palette; undefined where an entry is none of the levels that its number of bits has. */
const asGrey = (image: Indexed): Numbering | undefined => {
  const { table } = image
  const order = orderOf(image, false)
  const depth = depthOf(order.length)
  const step = 255 / (2 ** depth - 1)
  const isLevel = (entry: number): boolean => {
    const [red, green, blue, alpha] = table.subarray(entry * 4, entry * 4 + 4)
    return red === green && red === blue && alpha === 255 && red! % step === 0
  }
  if (!order.every(isLevel)) return undefined
  const numbers = Uint8Array.from({ length: 256 }, (_, entry) => (table[entry * 4] ?? 0) / step)
  return { depth, colourType: 0, numbers, chunks: [] }
}

/** Whether an indexed image needs no palette: its entries are levels of grey. */
export const isEvenGrey = (image: Indexed): boolean => asGrey(image) !== undefined

/** Lays an indexed image out, of the least bit depth unless whole bytes are asked for; with a palette where levels of grey do not suffice. */
export const layOutIndexed = (image: Indexed, { filter, numbers: meaning, whole }: Layout): LaidOut => {
  const even = meaning === 'grey' && !whole ? asGrey(image) : undefined
  const { depth: least, colourType, numbers, chunks } = even ?? asPalette(image, meaning === 'joined')
  const depth = whole ? 8 : least
  const header = writePngHeader(image, { depth, colourType })
  const plain = packRows(image, numbers, depth)
  return {
    rows: filter === 'up' ? lessAbove(plain, image.height) : plain,
    finish: (stream) => writePng([header, ...chunks, writePngChunk('IDAT', stream)]),
  }
}

/** Writes an indexed image as a PNG; `level` is zlib's, 0..9. */
export const writeIndexedPng = (image: Indexed, level: number, filter: RowFilter = 'none'): Uint8Array => {
  const { rows, finish } = layOutIndexed(image, { ...USUAL, filter })
  return finish(deflateSync(rows, { level, memLevel: 9 }))
}
