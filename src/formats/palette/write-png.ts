import { deflateSync } from 'node:zlib'
import { writePng, writePngChunk } from '../../containers/png.ts'
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

const depthOf = (entries: number): 1 | 2 | 4 | 8 => (entries <= 2 ? 1 : entries <= 4 ? 2 : entries <= 16 ? 4 : 8)

const packRows = ({ width, height, indices }: Indexed, places: Uint8Array, depth: number): Uint8Array => {
  const stride = 1 + Math.ceil((width * depth) / 8)
  const rows = new Uint8Array(stride * height)
  for (let y = 0, at = 0; y < height; y += 1) {
    const row = y * stride + 1
    for (let x = 0; x < width; x += 1, at += 1) {
      const bit = x * depth
      rows[row + (bit >> 3)]! |= places[indices[at]!]! << (8 - depth - (bit & 7))
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
  /** Whether the entry that joins rows comes first. */
  readonly joined: boolean
  /** A byte for each pixel even where several would fit into one. */
  readonly whole: boolean
}

export const USUAL: Layout = { filter: 'none', joined: true, whole: false }

/** An image laid out: what is to be deflated, and the PNG around it once it is. */
interface LaidOut {
  readonly rows: Uint8Array
  readonly finish: (stream: Uint8Array) => Uint8Array
}

/** Lays an indexed image out, of the least bit depth unless whole bytes are asked for. */
export const layOutIndexed = (image: Indexed, { filter, joined, whole }: Layout): LaidOut => {
  const order = orderOf(image, joined)
  const depth = whole ? 8 : depthOf(order.length)
  const places = new Uint8Array(256)
  for (const [place, entry] of order.entries()) places[entry] = place
  const header = Buffer.alloc(13)
  header.writeUInt32BE(image.width)
  header.writeUInt32BE(image.height, 4)
  header[8] = depth
  header[9] = 3
  const colours = Uint8Array.from(order.flatMap((entry) => [...image.table.subarray(entry * 4, entry * 4 + 3)]))
  const alphas = order.map((entry) => image.table[entry * 4 + 3]!)
  const transparent = alphas.findLastIndex((alpha) => alpha < 255) + 1
  const plain = packRows(image, places, depth)
  return {
    rows: filter === 'up' ? lessAbove(plain, image.height) : plain,
    finish: (stream) =>
      writePng([
        writePngChunk('IHDR', header),
        writePngChunk('PLTE', colours),
        ...(transparent === 0 ? [] : [writePngChunk('tRNS', Uint8Array.from(alphas.slice(0, transparent)))]),
        writePngChunk('IDAT', stream),
      ]),
  }
}

/** Writes an indexed image as a PNG; `level` is zlib's, 0..9. */
export const writeIndexedPng = (image: Indexed, level: number, filter: RowFilter = 'none'): Uint8Array => {
  const { rows, finish } = layOutIndexed(image, { ...USUAL, filter })
  return finish(deflateSync(rows, { level, memLevel: 9 }))
}
