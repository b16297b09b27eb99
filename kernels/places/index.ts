/**
 * What no mean over an image may hide, as a stream of rows: the light of each tile, and false steps (contours, block edges) where the
 * reference is smooth. Of the reference luma and visibility are kept; a candidate's rows are compared as they come. What
 * is made of the sums is the caller's.
 */
import { fillByteTable, linearise } from '../common/linear-light'
import { addLight } from './colour'
import {
  CHUNK_ROWS, arrange, candidateRow, clearTiles, colours, linear, linearPitch, referenceRow, seenHeight, staging, steps, width,
} from './layout'
import { lumaRow } from './luma'
import { HALF, errorRow, settleSteps } from './steps'
import { extend, fillColumns, settleVisibility } from './visibility'

/** Rows fed so far, and rows of them as seen. */
let fed: i32 = 0
let seen: i32 = 0

/** Lays memory out for an image, `density` px of it each way being seen as one; false when memory does not suffice. */
export function configure(wide: i32, high: i32, density: i32): bool {
  fillByteTable()
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

/** Doubles: tiles in rows > sum of squared steps, sums of steps across and down; of a candidate. */
export function stepsAddress(): usize {
  return steps
}

/** Begins with a side, reference or candidate. */
export function restart(): void {
  fed = 0
  seen = 0
  clearTiles()
}

/** Takes `rows` staged rows; `grey` 0..1 is what alpha is composited on, below 0 there is no alpha to heed. */
export function feedReference(rows: i32, channels: i32, grey: f32): void {
  for (let row = 0; row < rows; row++) {
    const to = referenceRow(seen)
    if (!takeRow(staging + <usize>(row * width * channels), channels, grey, to)) continue
    extend(to)
    if (++seen == seenHeight) settleVisibility()
  }
}

export function feedCandidate(rows: i32, channels: i32, grey: f32): void {
  for (let row = 0; row < rows; row++) {
    if (!takeRow(staging + <usize>(row * width * channels), channels, grey, candidateRow(seen))) continue
    if (!(seen++ & 1)) continue
    const cells = seen >> 1
    errorRow(cells - 1)
    if (cells >= 2 * HALF) settleSteps(cells - HALF)
  }
}

/** Adds a row's light, and turns it to luma; true when that completes a row as seen. */
function takeRow(from: usize, channels: i32, grey: f32, to: usize): bool {
  linearise(from, channels, width, linear, linearPitch, grey)
  addLight(fed)
  return lumaRow(from, channels, grey, fed++, to)
}
