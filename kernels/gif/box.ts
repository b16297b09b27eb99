// Finds the part of the canvas that a frame changes, collects the colours wanted there, and draws the coded frame.
import {
  POINT, above, boxWeights, canvas, canvasPoints, height, leave, next, palette, palettePoints, shown, symbols, tableOpaque, tablePoints,
  wanted, weights, width, wish,
} from './layout'

/** Whether a pixel may leave what is there, in the lowest bits of its flags. */
export const NEVER: u32 = 0
export const MAY: u32 = 1
export const MUST: u32 = 2
export const LEAVE: u32 = 3
/** A flag: nothing is handed on to it. */
export const ROW_START: u32 = 4

export let boxLeft: u32 = 0
export let boxTop: u32 = 0
export let boxWidth: u32 = 0
export let boxHeight: u32 = 0
/** Whether something of the box has to vanish after its time. */
export let clears = false
/** Whether any pixel of the box may leave what is there. */
export let mayLeave = false

// @ts-ignore: decorator
@inline function squared(a: usize, b: usize): f64 {
  const x = <f64>load<f32>(a) - <f64>load<f32>(b)
  const y = <f64>load<f32>(a, 4) - <f64>load<f32>(b, 4)
  const z = <f64>load<f32>(a, 8) - <f64>load<f32>(b, 8)
  return x * x + y * y + z * z
}

// @ts-ignore: decorator
@inline function isOpaque(entries: usize, pixel: usize): bool { return load<u8>(tableOpaque + load<u32>(entries + pixel * 4)) != 0 }

/** Whether a pixel cannot stay as it is: what is there errs by more than `most`, or nothing is there, or it has to vanish later. */
function isDrawn(pixel: usize, most: f64, hasNext: bool): bool {
  if (!isOpaque(wish, pixel)) return false
  const vanishes = hasNext && !isOpaque(next, pixel)
  if (vanishes) clears = true
  if (vanishes || load<u8>(canvas + pixel * 4, 3) == 0) return true
  const point = tablePoints + <usize>load<u32>(wish + pixel * 4) * POINT
  return squared(point, canvasPoints + pixel * POINT) * <f64>load<f32>(weights + pixel * 4) > most
}

/** Finds the least box around all pixels that cannot stay as they are; one pixel where there are none: GIF has no empty frames. */
export function findBox(most: f64, hasNext: bool): void {
  let left = width
  let right: u32 = 0
  let top = height
  let bottom: u32 = 0
  clears = false
  let pixel: usize = 0
  for (let y: u32 = 0; y < height; y++) {
    for (let x: u32 = 0; x < width; x++, pixel++) {
      if (!isDrawn(pixel, most, hasNext)) continue
      left = min(left, x)
      right = max(right, x)
      top = min(top, y)
      bottom = y
    }
  }
  const isEmpty = top == height
  boxLeft = isEmpty ? 0 : left
  boxTop = isEmpty ? 0 : top
  boxWidth = isEmpty ? 1 : right - left + 1
  boxHeight = isEmpty ? 1 : bottom - top + 1
}

// @ts-ignore: decorator
@inline function copyPoint(to: usize, from: usize): void {
  store<u64>(to, load<u64>(from))
  store<u32>(to, load<u32>(from, 8), 8)
}

/** Copies the wanted colours and weights of the box's pixels. */
export function fillBox(): void {
  mayLeave = false
  let to: usize = 0
  for (let y: u32 = 0; y < boxHeight; y++) {
    let from = <usize>(boxTop + y) * width + boxLeft
    for (let x: u32 = 0; x < boxWidth; x++, to++, from++) {
      const may = !isOpaque(wish, from) ? MUST : load<u8>(canvas + from * 4, 3) == 0 ? NEVER : MAY
      if (may != NEVER) mayLeave = true
      store<u8>(leave + to, <u8>(may | (x == 0 ? ROW_START : 0)))
      store<f32>(boxWeights + to * 4, load<f32>(weights + from * 4))
      copyPoint(wanted + to * POINT, tablePoints + <usize>load<u32>(wish + from * 4) * POINT)
      copyPoint(shown + to * POINT, canvasPoints + from * POINT)
    }
  }
  memory.fill(above, 0, (to + boxWidth) * POINT)
}

/** Draws the box's symbols; `leaving` is the one that leaves what is there. */
export function drawBox(leaving: u32): void {
  let from: usize = 0
  for (let y: u32 = 0; y < boxHeight; y++) {
    let to = <usize>(boxTop + y) * width + boxLeft
    for (let x: u32 = 0; x < boxWidth; x++, from++, to++) {
      const symbol: usize = load<u16>(symbols + from * 2)
      if (symbol == leaving) continue
      store<u32>(canvas + to * 4, load<u32>(palette + symbol * 4))
      copyPoint(canvasPoints + to * POINT, palettePoints + symbol * POINT)
    }
  }
}

/** Takes away what is in the box, as players do after a frame that asks for it. */
export function clearBox(): void {
  for (let y: u32 = 0; y < boxHeight; y++)
    memory.fill(canvas + (<usize>(boxTop + y) * width + boxLeft) * 4, 0, <usize>boxWidth * 4)
}
