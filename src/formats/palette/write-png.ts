import { deflateSync } from 'node:zlib'
import { writePng, writePngChunk } from '../../containers/png.ts'
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
 * Entries that are used. That which joins the most rows comes first: it is then as the mark of a row without filter, and what repeats goes on
 * from row to row (a tenth of a flat drawing). Then those with transparency, so that tRNS is short; then by luma.
 */
const orderOf = (image: Indexed): readonly number[] => {
  const { table } = image
  const { pixels, joins } = countEntries(image)
  const most = Math.max(...joins)
  const first = most === 0 ? -1 : joins.indexOf(most)
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

/** What a row is stored as: its bytes, or their differences from the row above, which suits what repeats downwards. */
export type RowFilter = 'none' | 'up'

const UP = 2

/** Rows less those above them, with the mark of that filter; the first is less nothing. */
const lessAbove = (rows: Uint8Array, height: number): Uint8Array => {
  const stride = rows.length / height
  const marked = rows.map((value, at) => value - (at < stride ? 0 : rows[at - stride]!))
  for (let at = 0; at < marked.length; at += stride) marked[at] = UP
  return marked
}

/** Writes an indexed image as a PNG of the least bit depth; `level` is zlib's, 0..9. */
export const writeIndexedPng = (image: Indexed, level: number, filter: RowFilter = 'none'): Uint8Array => {
  const order = orderOf(image)
  const depth = depthOf(order.length)
  const places = new Uint8Array(256)
  for (const [place, entry] of order.entries()) places[entry] = place
  const header = Buffer.alloc(13)
  header.writeUInt32BE(image.width)
  header.writeUInt32BE(image.height, 4)
  header[8] = depth
  header[9] = 3
  const colours = Uint8Array.from(order.flatMap((entry) => [...image.table.subarray(entry * 4, entry * 4 + 3)]))
  const alphas = order.map((entry) => image.table[entry * 4 + 3]!)
  const plain = packRows(image, places, depth)
  const rows = filter === 'up' ? lessAbove(plain, image.height) : plain
  const transparent = alphas.findLastIndex((alpha) => alpha < 255) + 1
  return writePng([
    writePngChunk('IHDR', header),
    writePngChunk('PLTE', colours),
    ...(transparent === 0 ? [] : [writePngChunk('tRNS', Uint8Array.from(alphas.slice(0, transparent)))]),
    writePngChunk('IDAT', deflateSync(rows, { level, memLevel: 9 })),
  ])
}
