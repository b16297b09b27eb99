// Tokens of the modular streams of a frame: LF coefficients, block metadata and quantisation tables.

import type { BitWriter } from '../bits/bit-writer.ts'
import { bitsFrom, formOf, packSigned, writeU32 } from '../bits/fields.ts'
import { transposed, UNZIGZAG } from '../coefficients.ts'
import { Tokens } from '../entropy/tokens.ts'
import { JXL } from '../format-numbers.ts'
import type { BlockArea, FrameChannel, FrameGeometry } from '../geometry.ts'
import type { Channel } from './channel.ts'
import { type LfTree, lfTree, thresholdsOf } from './lf-tree.ts'
import { type Predictions, predictWeighted } from './weighted-predictor.ts'

/** LF coefficients of one channel in an LF group. */
const lfChannel = ({ component, shiftX, shiftY }: FrameChannel, area: BlockArea): Channel => {
  const width = area.width >> shiftX
  const height = area.height >> shiftY
  const samples = new Int32Array(width * height)
  if (component === undefined) return { width, height, samples }
  const { coefficients, stride } = component
  for (let y = 0; y < height; y++) {
    const row = ((area.y >> shiftY) + y) * stride + (area.x >> shiftX)
    for (let x = 0; x < width; x++) samples[y * width + x] = coefficients[(row + x) * 64]!
  }
  return { width, height, samples }
}

interface Predicted {
  readonly channel: Channel
  readonly predictions: Predictions
}

const pushChannel = (
  tokens: Tokens,
  { channel: { samples }, predictions: { predicted, errors } }: Predicted,
  contexts: readonly number[],
  thresholds: readonly number[],
): void => {
  const bounds = Int32Array.from(thresholds)
  for (let i = 0; i < samples.length; i++) {
    const error = errors[i]!
    let low = 0
    let high = bounds.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (error > bounds[middle]!) low = middle + 1
      else high = middle
    }
    tokens.push(contexts[low]!, packSigned(samples[i]! - predicted[i]!))
  }
}

/** The tree of a frame, and the tokens of each LF group's coefficients: luma, Cb, Cr. */
export const lfStreams = ({ channels: [cb, y, cr], lfGroups }: FrameGeometry): { tree: LfTree; streams: Tokens[] } => {
  const groups = lfGroups.map((area) =>
    [y, cb, cr].map((channel): Predicted => {
      const samples = lfChannel(channel, area)
      return { channel: samples, predictions: predictWeighted(samples) }
    }),
  )
  const thresholds = [0, 1, 2].map((c) => thresholdsOf(groups.map((group) => group[c]!.predictions)))
  const [luma, blue, red] = thresholds as [number[], number[], number[]]
  const tree = lfTree(lfGroups.length, [luma, blue, red])
  const streams = groups.map((group) => {
    const tokens = new Tokens(4096)
    for (const [c, predicted] of group.entries()) pushChannel(tokens, predicted, tree.lf[c]!, tree.thresholds[c]!)
    return tokens
  })
  return { tree, streams }
}

/** Tokens of an LF group's metadata, all zero: factors of chroma from luma, kinds of transform (8 x 8), their strength, and filters. */
export const metadataStream = ({ width, height }: BlockArea, { zero }: LfTree): Tokens => {
  const tiles = Math.ceil(width / JXL.colourTileBlocks) * Math.ceil(height / JXL.colourTileBlocks)
  const count = 2 * tiles + 3 * width * height
  const tokens = new Tokens(count)
  for (let i = 0; i < count; i++) tokens.push(zero, 0)
  return tokens
}

/** Which channels of the quantisation tables are stored as what they exceed Cb's by: none, Cr, or Y and Cr. */
export type TableTransform = 'none' | 'cr' | 'both'

const RCT_TYPES: Readonly<Record<Exclude<TableTransform, 'none'>, number>> = { cr: 1, both: 3 }

/** Writes the header of a modular stream that uses the frame's tree. */
export const writeStreamHeader = (writer: BitWriter, transform: TableTransform = 'none'): void => {
  writer.write(1, 1) // the frame's tree
  writer.write(1, 1) // the weighted predictor's default parameters
  writeU32(writer, transform === 'none' ? 0 : 1, [formOf(0), formOf(1), bitsFrom(4, 2), bitsFrom(8, 18)])
  if (transform === 'none') return
  writer.write(0, 2) // a colour transform
  writeU32(writer, 0, [bitsFrom(3, 0), bitsFrom(6, 8), bitsFrom(10, 72), bitsFrom(13, 1096)])
  writeU32(writer, RCT_TYPES[transform], [formOf(6), bitsFrom(2, 0), bitsFrom(4, 2), bitsFrom(6, 10)])
}

const isSame = (a: Uint16Array, b: Uint16Array): boolean => a.every((step, k) => step === b[k])

const clampedGradient = (left: number, top: number, corner: number): number =>
  Math.max(Math.min(left, top), Math.min(Math.max(left, top), left + top - corner))

/** Steps by the format's raster index. */
const inRaster = (table: Uint16Array): Int32Array =>
  Int32Array.from({ length: 64 }, (_, raster) => table[UNZIGZAG[transposed(raster)]!]!)

/** Tokens of the quantisation tables of Cb, Y and Cr, as what they miss the gradient by. */
export const quantTableStream = (
  [cb, y, cr]: readonly [Uint16Array, Uint16Array, Uint16Array],
  { quantTable }: LfTree,
): { readonly tokens: Tokens; readonly transform: TableTransform } => {
  const transform = !isSame(cb, cr) ? 'none' : isSame(cb, y) ? 'both' : 'cr'
  const first = inRaster(cb)
  const less = (table: Uint16Array, isDifference: boolean): Int32Array =>
    isDifference ? inRaster(table).map((step, i) => step - first[i]!) : inRaster(table)
  const tokens = new Tokens()
  const channels = [first, less(y, transform === 'both'), less(cr, transform !== 'none')]
  channels.forEach((steps, c) => {
    for (let i = 0; i < 64; i++) {
      const left = i % 8 > 0 ? steps[i - 1]! : i >= 8 ? steps[i - 8]! : 0
      const top = i >= 8 ? steps[i - 8]! : left
      const corner = i % 8 > 0 && i >= 8 ? steps[i - 9]! : left
      tokens.push(quantTable[c]!, packSigned(steps[i]! - clampedGradient(left, top, corner)))
    }
  })
  return { tokens, transform }
}
