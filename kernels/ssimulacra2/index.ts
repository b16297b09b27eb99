/**
 * SSIMULACRA 2.1 as a stream of rows. Each row fed is made linear, turned to XYB, blurred as soon as the rows below it
 * are known, compared and summed; two rows make one of the next scale. No map is ever stored whole. The kernel keeps the
 * reference (12 bytes per pixel and band), or only its latest rows when reference and candidate are fed in turns.
 * The caller makes scores of the sums.
 */
import { takeCandidateRow, takeReferenceRow } from './bands'
import { addNeighbours, fillByteTable, linearise } from '../common/linear-light'
import { Scale, arrange, bandAt, chunkRows, clearSums, scaleAt, scalesUsed, staging, sums } from './layout'
import { settleCandidate, settleReference } from './pool'

/**
 * Lays memory out for an image. `masks` has three bits (X, Y, B) for each scale, the largest lowest. `kept` holds the whole
 * reference for many candidates, else `chunkRows` of each side must be fed in turns. False when memory does not suffice.
 */
export function configure(width: i32, height: i32, masks: i32, kept: bool): bool {
  fillByteTable()
  if (!arrange(width, height, masks, kept)) return false
  for (let index = 0; index < scalesUsed; index++) {
    const scale = scaleAt(index)
    scale.bandX = bandAt(index, 0)
    scale.bandY = bandAt(index, 1)
    scale.bandB = bandAt(index, 2)
  }
  restartReference()
  restartCandidate()
  return true
}

/** Where the caller puts samples: up to `rowsAtOnce` rows, interleaved, without padding. */
export function stagingAddress(): usize {
  return staging
}

export function rowsAtOnce(): i32 {
  return chunkRows
}

/** Doubles: regions in rows > scales (6) > channels (3) > ssim, ringing, blurring and the 4th powers of each. */
export function sumsAddress(): usize {
  return sums
}

export function restartReference(): void {
  for (let index = 0; index < scalesUsed; index++) scaleAt(index).referenceRows = 0
}

export function restartCandidate(): void {
  for (let index = 0; index < scalesUsed; index++) scaleAt(index).candidateRows = 0
  clearSums()
}

/** Takes `rows` staged rows; `grey` 0..1 is what alpha is composited on, below 0 there is no alpha. */
export function feedReference(rows: i32, channels: i32, grey: f32): void {
  feed(true, rows, channels, grey)
}

export function feedCandidate(rows: i32, channels: i32, grey: f32): void {
  feed(false, rows, channels, grey)
}

function feed(isReference: bool, rows: i32, channels: i32, grey: f32): void {
  const scale = scaleAt(0)
  const bytes = <usize>(scale.width * channels)
  for (let row = 0; row < rows; row++) {
    const from = staging + <usize>row * bytes
    linearise(from, channels, scale.width, linearRows(scale, isReference), scale.linearPitch, grey)
    takeRow(isReference, 0)
  }
}

@inline
function linearRows(scale: Scale, isReference: bool): usize {
  return isReference ? scale.linear : scale.linear + 3 * scale.linearPitch
}

function takeRow(isReference: bool, index: i32): void {
  const scale = scaleAt(index)
  const linear = linearRows(scale, isReference)
  const y = isReference ? scale.referenceRows++ : scale.candidateRows++
  if (scale.mask != 0) {
    if (isReference) takeReferenceRow(scale, linear, y)
    else takeCandidateRow(scale, linear, y)
    settleBehind(isReference, scale, index, y)
  }
  if (index + 1 < scalesUsed) halve(isReference, scale, index + 1, y)
}

/** After row y: every second time two rows have all that their blur reaches, and at the end the last ones too. */
function settleBehind(isReference: bool, scale: Scale, index: i32, y: i32): void {
  const last = y == scale.height - 1
  if (y & 1 && y > 4) settle(isReference, scale, index, y - 5, 2)
  if (!last) return
  for (let row = max(0, ((y - 3) & ~1)); row <= y; row += 2) settle(isReference, scale, index, row, min(2, y - row + 1))
}

function settle(isReference: bool, scale: Scale, index: i32, y: i32, count: i32): void {
  for (let channel = 0; channel < 3; channel++) {
    if (!(scale.mask & (1 << channel))) continue
    if (isReference) settleReference(scale, bandAt(index, channel), y, count)
    else settleCandidate(scale, bandAt(index, channel), index, channel, y, count)
  }
}

/** Every second row completes one of the next scale; the last of an odd height counts twice. */
function halve(isReference: bool, scale: Scale, index: i32, y: i32): void {
  const next = scaleAt(index)
  addRow(isReference, scale, next, (y & 1) == 0)
  if (!(y & 1) && y == scale.height - 1) {
    addRow(isReference, scale, next, false)
    takeRow(isReference, index)
  } else if (y & 1) takeRow(isReference, index)
}

function addRow(isReference: bool, scale: Scale, next: Scale, first: bool): void {
  for (let channel: usize = 0; channel < 3; channel++) {
    const from = linearRows(scale, isReference) + channel * scale.linearPitch
    addNeighbours(from, scale.width, linearRows(next, isReference) + channel * next.linearPitch, first)
  }
}
