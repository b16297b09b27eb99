/**
 * Butteraugli (libjxl 0.7's definition) as a stream of rows. Each row fed becomes linear light, opsin channels, four bands; as
 * soon as the rows below it are known it is compared, masked and pooled, and two rows make one of the half-size scale.
 * The kernel keeps the reference (34 bytes per pixel at full and 9 at half size), or only its latest rows when
 * reference and candidate are fed in turns. The caller makes norms of the pooled powers.
 */
import { addNeighbours, fillByteTable, linearise } from '../common/linear-light'
import { settleHigh, settleLow, settleMiddle } from './bands'
import { completesBlue, halveBlue, takeBlue } from './blue'
import { LOW_BLUR, blurAlong, fillFactors, fillTaps } from './blur'
import { CELLS_REACH, fillCellFactors, takeCells } from './coarse'
import {
  CHUNK_ROWS, LINEAR_ROWS, LOW_ROWS, OPSIN_ROWS, SMOOTH_ROWS, Scale, Side, arrange, clearTail, clearTiles, distanceRow, map, mapRow,
  ringRow, scaleAt, scalesUsed, scratchRow, staging, tiles,
} from './layout'
import { fillFactors as fillLineFactors, seekLines } from './lines'
import { settleActivity, settleDistances, settleMask, takeActivity } from './mask'
import { MIDDLE_REACH, fillMiddleFactors } from './middle'
import { mixCones, opsinRow, smallBlueRow, smoothAlong } from './opsin'
import { addHalf, keepLarger, pool } from './pool'

/** Whether the map holds the distances of an earlier run: the larger of old and new ones count. */
let overlaid: bool = false

/**
 * Lays memory out for an image of at least 8 x 8 px. `kept` holds the whole reference for many candidates, else
 * `rowsAtOnce` rows of each side must be fed in turns. `wholeMap` keeps the distances. False when memory does not suffice.
 */
export function configure(width: i32, height: i32, kept: bool, wholeMap: bool): bool {
  fillByteTable()
  fillTaps()
  fillLineFactors()
  if (!arrange(width, height, kept, wholeMap)) return false
  for (let index = 0; index < scalesUsed; index++) {
    fillFactors(scaleAt(index))
    fillCellFactors(scaleAt(index))
    fillMiddleFactors(scaleAt(index))
  }
  restartReference()
  restartCandidate(false)
  return true
}

/** Where the caller puts samples: up to `rowsAtOnce` rows, interleaved, without padding. */
export function stagingAddress(): usize {
  return staging
}

export function rowsAtOnce(): i32 {
  return CHUNK_ROWS
}

/** Doubles: tiles in rows > sums of the 3rd, 6th and 12th powers of the distances, and the largest. */
export function tilesAddress(): usize {
  return tiles
}

/** Floats, when the whole map is kept: rows of distances, each `mapStride` bytes long. */
export function mapAddress(): usize {
  return map
}

export function mapStride(): usize {
  return scaleAt(0).stride
}

function restart(side: Side): void {
  side.fed = 0
  side.opsinDone = 0
  side.lowDone = 0
  side.cellsDone = -1
  side.middleSettled = -1
  side.middleCells = 0
  side.middleDone = 0
  side.highDone = 0
  side.activityDone = 0
  side.maskDone = 0
}

export function restartReference(): void {
  for (let index = 0; index < scalesUsed; index++) restart(scaleAt(index).reference)
}

/** With `overlay` the map's distances stay, and the larger of old and new ones count. */
export function restartCandidate(overlay: bool): void {
  overlaid = overlay
  for (let index = 0; index < scalesUsed; index++) {
    const scale = scaleAt(index)
    restart(scale.candidate)
    scale.tonesDone = -1
    scale.linesDone = 0
    scale.mapDone = 0
  }
  clearTiles()
}

/** Takes `rows` staged rows; `grey` 0..1 is what alpha is composited on, below 0 there is no alpha. */
export function feedReference(rows: i32, channels: i32, grey: f32): void {
  feed(true, rows, channels, grey)
}

export function feedCandidate(rows: i32, channels: i32, grey: f32): void {
  feed(false, rows, channels, grey)
}

@inline
function sideOf(scale: Scale, isReference: bool): Side {
  return isReference ? scale.reference : scale.candidate
}

@inline
function linearRow(scale: Scale, side: Side, y: i32): usize {
  return ringRow(side.linear, LINEAR_ROWS, 0, y, scale.pitch)
}

function feed(isReference: bool, rows: i32, channels: i32, grey: f32): void {
  const scale = scaleAt(0)
  const side = sideOf(scale, isReference)
  const bytes = <usize>(scale.width * channels)
  const light = scratchRow(0)
  for (let row = 0; row < rows; row++) {
    linearise(staging + <usize>row * bytes, channels, scale.width, light, scale.pitch, grey)
    mixCones(scale, light, linearRow(scale, side, side.fed), <usize>LINEAR_ROWS * scale.pitch)
    takeRow(scale, side)
    if (scalesUsed > 1) halve(scale, side, isReference)
  }
}

/** Every second row completes one at half size; the last of an odd height counts twice. */
function halve(scale: Scale, side: Side, isReference: bool): void {
  const y = side.fed - 1
  addRow(scale, side, isReference, y, (y & 1) == 0)
  if (!(y & 1) && y == scale.height - 1) addRow(scale, side, isReference, y, false)
  else if (!(y & 1)) return
  const half = scaleAt(1)
  takeRow(half, sideOf(half, isReference))
}

function addRow(scale: Scale, side: Side, isReference: bool, y: i32, first: bool): void {
  const half = scaleAt(1)
  const from = linearRow(scale, side, y)
  const to = linearRow(half, sideOf(half, isReference), y >> 1)
  for (let channel: usize = 0; channel < 3; channel++) {
    const pitch = channel * <usize>LINEAR_ROWS
    addNeighbours(from + pitch * scale.pitch, scale.width, to + pitch * half.pitch, first)
  }
}

/** The row of cone responses that lies ready is taken, and every stage goes on as far as it can. */
function takeRow(scale: Scale, side: Side): void {
  const y = side.fed++
  for (let channel = 0; channel < (scale.isSmall ? 3 : 2); channel++) {
    const row = ringRow(side.linear, LINEAR_ROWS, channel, y, scale.pitch)
    smoothAlong(scale, row, ringRow(side.smooth, SMOOTH_ROWS, channel, y, scale.pitch))
  }
  if (!scale.isSmall) halveBlue(scale, side, y)
  while (mayGoOn(scale, side.opsinDone, side.fed, 2)) {
    takeOpsin(scale, side, side.opsinDone++)
    goOn(scale, side)
  }
}

/** Whether the next row has all the rows below it that a stage reaches, of those that the stage before has settled. */
@inline
function mayGoOn(scale: Scale, next: i32, ready: i32, reach: i32): bool {
  return next < scale.height && ready >= min(scale.height, next + reach + 1)
}

function takeOpsin(scale: Scale, side: Side, y: i32): void {
  opsinRow(scale, side, y)
  if (!scale.isSmall) {
    if (completesBlue(scale, y)) takeBlue(scale, side, y >> 1)
    takeCells(scale, side, y)
    return
  }
  smallBlueRow(scale, side, y)
  for (let channel = 0; channel < 3; channel++) {
    const from = ringRow(side.opsin, OPSIN_ROWS, channel, y, scale.pitch)
    blurAlong(scale, LOW_BLUR, from, ringRow(side.low, LOW_ROWS, channel, y, scale.pitch))
  }
}

function goOn(scale: Scale, side: Side): void {
  while (mayGoOn(scale, side.lowDone, side.opsinDone, scale.isSmall ? 16 : CELLS_REACH)) {
    settleLow(scale, side, side.lowDone++)
    while (mayGoOn(scale, side.middleDone, side.lowDone, scale.isSmall ? 7 : MIDDLE_REACH)) {
      settleMiddle(scale, side, side.middleDone++)
      while (mayGoOn(scale, side.highDone, side.middleDone, 3)) {
        const y = side.highDone++
        settleHigh(scale, side, y)
        takeActivity(scale, side, y)
        finish(scale, side)
      }
    }
  }
}

function finish(scale: Scale, side: Side): void {
  if (!side.isReference) {
    while (mayGoOn(scale, scale.linesDone, side.highDone, 4)) seekLines(scale, scale.linesDone++)
  }
  while (mayGoOn(scale, side.activityDone, side.highDone, 6)) {
    settleActivity(scale, side, side.activityDone++)
    if (side.isReference) {
      while (mayGoOn(scale, side.maskDone, side.activityDone, 3)) settleMask(scale, side.maskDone++)
    } else {
      const ready = min(side.activityDone, scale.reference.maskDone)
      while (scale.mapDone < ready) settleMap(scale, scale.mapDone++)
    }
  }
}

function settleMap(scale: Scale, y: i32): void {
  if (scale.index == 0) {
    settleDistances(scale, y, distanceRow(y))
    if (scalesUsed == 1) poolRow(y)
    return
  }
  const row = scratchRow(6)
  settleDistances(scale, y, row)
  for (let full = 2 * y; full < min(2 * y + 2, scaleAt(0).height); full++) {
    addHalf(scaleAt(0), row, distanceRow(full))
    poolRow(full)
  }
}

function poolRow(y: i32): void {
  const row = distanceRow(y)
  clearTail(scaleAt(0), row)
  if (overlaid) keepLarger(scaleAt(0).stride, mapRow(y), row)
  if (map != 0) memory.copy(mapRow(y), row, scaleAt(0).stride)
  pool(y, row)
}
