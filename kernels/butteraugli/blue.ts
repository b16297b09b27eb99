/**
 * B of larger images at half size. Of B nothing but the low and the middle band is compared, and both are linear: so the difference between
 * both sides is split, and not each side. The reference keeps a row of half the width for every two rows.
 */
import { all } from '../common/broadcast'
import { addNeighbours } from '../common/linear-light'
import { storePair } from '../common/pairs'
import {
  BLUE_LIGHT_ROWS, BLUE_ROWS, BLUE_SMOOTH_ROWS, LINEAR_ROWS, Scale, Side, clear, halved, ringRow, scratchRow,
} from './layout'
import { mirrored, sensedShort } from './opsin'

/** With the mean of 2 x 2 px, the variance of the five taps before the sensitivity (`blur.ts`). */
const centre = memory.data<f32>([0.77])
const beside = memory.data<f32>([0.115])

/** Whether row y completes one at half size: every second, and the last. */
@inline
export function completesBlue(scale: Scale, y: i32): bool {
  return (y & 1) != 0 || y == scale.height - 1
}

/** Rows at half size are as long as those of the middle band's cells. */
@inline
function blueRow(scale: Scale, ring: usize, rows: i32, row: i32): usize {
  return ringRow(ring, rows, 0, row, scale.middlePitch)
}

@inline
function keptRow(scale: Scale, row: i32): usize {
  return blueRow(scale, scale.keptBlue, scale.keptBlueRows, row)
}

/** Row `row` of what the candidate differs by. */
@inline
export function blueDifference(scale: Scale, side: Side, row: i32): usize {
  return blueRow(scale, side.blue, BLUE_ROWS, row)
}

/** Clears what lies right of a row at half size, up to where filters read. */
export function clearBlueTail(scale: Scale, row: usize): void {
  clear(row + (<usize>halved(scale.width) << 2), row + (scale.stride >> 1) + 32)
}

/** Four columns smoothed by three taps, from `at` on. */
@inline
function alongThree(at: usize, k: usize): v128 {
  const sides = f32x4.add(v128.load(at + k), v128.load(at + (8 + k)))
  return f32x4.add(f32x4.mul(v128.load(at + (4 + k)), all(centre)), f32x4.mul(sides, all(beside)))
}

/** Takes row y of the responses of short-wave cones: two make one at half size (the last of an odd height counts twice), smoothed along. */
export function halveBlue(scale: Scale, side: Side, y: i32): void {
  const from = ringRow(side.linear, LINEAR_ROWS, 2, y, scale.pitch)
  const light = blueRow(scale, side.blueLight, BLUE_LIGHT_ROWS, y >> 1)
  addNeighbours(from, scale.width, light, (y & 1) == 0)
  if (!completesBlue(scale, y)) return
  if (!(y & 1)) addNeighbours(from, scale.width, light, false)
  const last = light + (<usize>(halved(scale.width) - 1) << 2)
  store<f32>(light - 4, load<f32>(light))
  store<f32>(last + 4, load<f32>(last))
  const to = blueRow(scale, side.blueSmooth, BLUE_SMOOTH_ROWS, y >> 1)
  const bytes = scale.stride >> 1
  const first = light - 4
  for (let x: usize = 0; x < bytes; x += 32) storePair(to + x, alongThree(first + x, 0), alongThree(first + x, 16))
}

@inline
function smoothRow(scale: Scale, side: Side, row: i32): usize {
  return blueRow(scale, side.blueSmooth, BLUE_SMOOTH_ROWS, mirrored(row, halved(scale.height)))
}

@inline
function downThree(above: usize, own: usize, below: usize, k: usize): v128 {
  const sides = f32x4.add(v128.load(above + k), v128.load(below + k))
  return f32x4.add(f32x4.mul(v128.load(own + k), all(centre)), f32x4.mul(sides, all(beside)))
}

/** Row `row` of B at half size: kept of the reference; of the candidate what it differs by. */
export function takeBlue(scale: Scale, side: Side, row: i32): void {
  const bytes = scale.stride >> 1
  const above = smoothRow(scale, side, row - 1)
  const own = smoothRow(scale, side, row)
  const below = smoothRow(scale, side, row + 1)
  const around = scratchRow(2)
  for (let x: usize = 0; x < bytes; x += 32) {
    storePair(around + x, downThree(above + x, own + x, below + x, 0), downThree(above + x, own + x, below + x, 16))
  }
  const light = blueRow(scale, side.blueLight, BLUE_LIGHT_ROWS, row)
  const was = keptRow(scale, row)
  if (side.isReference) {
    for (let x: usize = 0; x < bytes; x += 32) {
      storePair(was + x, sensedShort(light + x, around + x, 0), sensedShort(light + x, around + x, 16))
    }
    return
  }
  const to = blueDifference(scale, side, row)
  for (let x: usize = 0; x < bytes; x += 32) {
    const lower = f32x4.sub(sensedShort(light + x, around + x, 0), v128.load(was + x))
    storePair(to + x, lower, f32x4.sub(sensedShort(light + x, around + x, 16), v128.load(was + x, 16)))
  }
  clearBlueTail(scale, to)
}
