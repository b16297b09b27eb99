/**
 * Local artefacts that a mean over the image would hide, as a stream of rows: the light of each tile, false steps (contours, block edges) where
 * the reference is smooth, and the light of tiny tiles where it is flat. The kernel keeps the reference's luma and visibility, and compares a
 * candidate's rows at once. The caller makes scores of the sums.
 */
import {
  CHUNK_ROWS, STRIP_ROWS, arrange, bleedingCounts, candidateRow, clearTiles, colours, mostShifts, plainMarks, plainShown, plainWas, referenceRow,
  seenHeight, staging, steps, width,
} from './layout'
import { countShifts, farthest, farthestTile } from './bleeding'
import { fillLights, takeLight } from './tile-means'
import { lumaRow } from './luma'
import { boundShifts, settleTangents } from './shifts'
import { markPlain } from './unweighted'
import { HALF, errorRow, settleSteps } from './steps'
import { extend, fillColumns, settleVisibility } from './visibility'

/** Rows fed so far, and rows of them as seen. */
let fed: i32 = 0
let seen: i32 = 0

/** Lays memory out for an image, `density` px of it each way being seen as one; false when memory does not suffice. */
export function configure(wide: i32, high: i32, density: i32): bool {
  fillLights()
  if (!arrange(wide, high, density)) return false
  fillColumns()
  restart()
  return true
}

/** Where the caller puts samples: up to `rowsAtOnce` rows, interleaved, without padding. */
export function stagingAddress(): usize {
  return staging
}

export function rowsAtOnce(): i32 {
  return CHUNK_ROWS
}

/** Doubles: tiles in rows > sums of linear red, green and blue of whatever was fed last. */
export function coloursAddress(): usize {
  return colours
}

/** Makes the tile colours of the reference, which was fed last, ready to be compared with candidates'. */
export function keepColours(): void {
  settleTangents()
}

/** Doubles: an upper bound of the squared shift (CIEDE2000) of each tile of the candidate, which was fed last. */
export function mostShiftsAddress(): usize {
  boundShifts()
  return mostShifts
}

/** Doubles: tiles in rows > sum of squared steps, sums of steps across and down; of a candidate. */
export function stepsAddress(): usize {
  return steps
}

/** Bytes: tiles in rows, 1 where the reference is plain. */
export function plainMarksAddress(): usize {
  return plainMarks
}

/** Whole numbers of 32 bits: small tiles in rows > sums of red, green and blue of the reference, between sRGB's and linear light, in 1/16384 of a sample value. */
export function plainWasAddress(): usize {
  return plainWas
}

/** The same of the candidate that was fed last. */
export function plainShownAddress(): usize {
  return plainShown
}

/**
 * Counts plain tiles from `first` up to `beyond` by the chroma shift of the candidate that was fed last. Returns the address of 512 u32; a bin is
 * 1/4 of a sample value.
 */
export function countBleeding(first: i32, beyond: i32): usize {
  countShifts(first, beyond)
  return bleedingCounts
}

/** The largest shift, in bins. */
export function farthestBleeding(): f64 {
  return farthest
}

/** The tile of the largest shift. */
export function farthestTileOfBleeding(): i32 {
  return farthestTile
}

/** Begins with a side, reference or candidate. */
export function restart(): void {
  fed = 0
  seen = 0
  clearTiles()
}

/** Takes `rows` staged rows, as many as there may be until the last; `grey` 0..1 is what alpha is composited on, below 0 there is no alpha. */
export function feedReference(rows: i32, channels: i32, grey: f32): void {
  giveTiles(rows, channels, grey, true)
  for (let row = 0; row < rows; row++) {
    const from = staging + <usize>(row * width * channels)
    const to = referenceRow(seen)
    if (!lumaRow(from, channels, grey, fed++, to)) continue
    extend(to)
    if (++seen == seenHeight) settleVisibility()
  }
}

export function feedCandidate(rows: i32, channels: i32, grey: f32): void {
  giveTiles(rows, channels, grey, false)
  for (let row = 0; row < rows; row++) {
    const from = staging + <usize>(row * width * channels)
    if (!lumaRow(from, channels, grey, fed++, candidateRow(seen))) continue
    if (!(seen++ & 1)) continue
    const cells = seen >> 1
    errorRow(cells - 1)
    if (cells >= 2 * HALF) settleSteps(cells - HALF)
  }
}

/** Gives the staged rows to tiles, in strips of four. */
function giveTiles(rows: i32, channels: i32, grey: f32, isReference: bool): void {
  const stride = <usize>(width * channels)
  for (let row = 0; row < rows; row += STRIP_ROWS) {
    const from = staging + <usize>row * stride
    if (isReference) markPlain(from, stride, channels, fed + row)
    takeLight(from, min(STRIP_ROWS, rows - row), channels, grey, fed + row, isReference)
  }
}
