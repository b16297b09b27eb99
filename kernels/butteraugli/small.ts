/** The low and the middle band of small images: their Gaussians at every pixel, planes kept of the reference where larger ones keep cells. */
import { all } from '../common/broadcast'
import { storePair } from '../common/pairs'
import { LOW_BLUR, MIDDLE_BLUR, blurAlong, blurDown } from './blur'
import { blueOf, lowX, lowY } from './coarse'
import {
  LOW, MIDDLE_B, MIDDLE_ROWS, OPSIN_ROWS, REST_ROWS, Scale, Side, TONE_ROWS, clearTail, planeRow, ringRow, scratchRow,
} from './layout'

/** Writes row y of a channel's low band, and the residual to `rest`. */
function lowRow(scale: Scale, side: Side, channel: i32, y: i32, rest: usize): void {
  const stride = scale.stride
  const low = scratchRow(channel)
  blurDown(scale, LOW_BLUR, side.low, channel, y, low)
  const opsin = ringRow(side.opsin, OPSIN_ROWS, channel, y, scale.pitch)
  for (let x: usize = 0; x < stride; x += 16) v128.store(rest + x, f32x4.sub(v128.load(opsin + x), v128.load(low + x)))
}

/** Finishes row y of the low band and of the residual, the latter blurred along the row too. */
export function settleSmallLow(scale: Scale, side: Side, y: i32): void {
  const pitch = scale.pitch
  for (let channel = 0; channel < 3; channel++) {
    const rest = ringRow(side.rest, REST_ROWS, channel, y, pitch)
    lowRow(scale, side, channel, y, rest)
    clearTail(scale, rest)
    blurAlong(scale, MIDDLE_BLUR, rest, ringRow(side.middle, MIDDLE_ROWS, channel, y, pitch))
  }
  if (side.isReference) keepLow(scale, y)
  else compareLow(scale, y)
}

function keepLow(scale: Scale, y: i32): void {
  const toX = planeRow(scale, LOW, y)
  const toY = planeRow(scale, LOW + 1, y)
  const toB = planeRow(scale, LOW + 2, y)
  const rowX = scratchRow(0)
  const rowY = scratchRow(1)
  const rowB = scratchRow(2)
  const stride = scale.stride
  for (let x: usize = 0; x < stride; x += 16) {
    const luma = v128.load(rowY + x)
    v128.store(toX + x, f32x4.mul(v128.load(rowX + x), all(lowX)))
    v128.store(toY + x, f32x4.mul(luma, all(lowY)))
    v128.store(toB + x, blueOf(v128.load(rowB + x), luma))
  }
}

/** The squared error of four columns of the low band. */
@inline
function lowError(wasX: usize, wasY: usize, wasB: usize, rowX: usize, rowY: usize, rowB: usize, k: usize): v128 {
  const luma = v128.load(rowY + k)
  const dx = f32x4.sub(v128.load(wasX + k), f32x4.mul(v128.load(rowX + k), all(lowX)))
  const dy = f32x4.sub(v128.load(wasY + k), f32x4.mul(luma, all(lowY)))
  const db = f32x4.sub(v128.load(wasB + k), blueOf(v128.load(rowB + k), luma))
  return f32x4.add(f32x4.add(f32x4.mul(dx, dx), f32x4.mul(dy, dy)), f32x4.mul(db, db))
}

function compareLow(scale: Scale, y: i32): void {
  const stride = scale.stride
  const rowX = scratchRow(0)
  const rowY = scratchRow(1)
  const rowB = scratchRow(2)
  const wasX = planeRow(scale, LOW, y)
  const wasY = planeRow(scale, LOW + 1, y)
  const wasB = planeRow(scale, LOW + 2, y)
  const to = ringRow(scale.tone, TONE_ROWS, 0, y, scale.pitch)
  for (let x: usize = 0; x < stride; x += 32) {
    const first = lowError(wasX + x, wasY + x, wasB + x, rowX + x, rowY + x, rowB + x, 0)
    storePair(to + x, first, lowError(wasX + x, wasY + x, wasB + x, rowX + x, rowY + x, rowB + x, 16))
  }
}

/** Row y of the middle band: X and Y; B is kept of the reference, of the candidate a scratch row gets what it differs by. */
export function settleSmallMiddle(scale: Scale, side: Side, y: i32, rowX: usize, rowY: usize): void {
  const stride = scale.stride
  const kept = planeRow(scale, MIDDLE_B, y)
  const rowB = side.isReference ? kept : scratchRow(2)
  blurDown(scale, MIDDLE_BLUR, side.middle, 0, y, rowX)
  blurDown(scale, MIDDLE_BLUR, side.middle, 1, y, rowY)
  blurDown(scale, MIDDLE_BLUR, side.middle, 2, y, rowB)
  if (side.isReference) return
  for (let x: usize = 0; x < stride; x += 16) v128.store(rowB + x, f32x4.sub(v128.load(rowB + x), v128.load(kept + x)))
}
