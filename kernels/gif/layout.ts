// Memory: the animation's colours, the canvas, what one frame asks for, and the frame's box as it is coded.
import { clear } from '../common/memory'
import { emptyRoom, isShort, take } from '../common/room'

/** Bytes of a point: luma and two chromas, f32. */
export const POINT: usize = 12
/** Colours of a frame besides the symbol that leaves what is there. */
export const MAX_COLOURS: usize = 255
/** Codes are at most 12 bits wide; one of 254 clears at most. */
export const MAX_CODES: u32 = 1 << 12

export let width: u32 = 0
export let height: u32 = 0
/** By colour of the animation its point and, u8, whether it is opaque. */
export let tablePoints: usize = 0
export let tableOpaque: usize = 0
/** The canvas before the frame, by pixel: its point and its RGBA. */
export let canvasPoints: usize = 0
export let canvas: usize = 0
/** By pixel the colour that a frame, and the one after it, shall have, u32; how much its squared error counts, f32. */
export let wish: usize = 0
export let next: usize = 0
export let weights: usize = 0
/** The frame's colours by rising luma: points and RGBA. */
export let palettePoints: usize = 0
export let palette: usize = 0
/** By pixel of the box: its point, that of what is there, how much its squared error counts, one of LEAVE and ROW_START, its symbol (u16). */
export let wanted: usize = 0
export let shown: usize = 0
export let boxWeights: usize = 0
export let leave: usize = 0
export let symbols: usize = 0
/** By pixel of the box, and of a row more, the error that those above it hand down, f32 along each axis. */
export let above: usize = 0
/** Packed codes. */
export let codes: usize = 0

/** Allocates the memory of an animation, with an empty canvas. Returns false when there is not enough. */
export function arrange(across: u32, down: u32, colours: u32): bool {
  emptyRoom()
  width = across
  height = down
  const pixels = <u64>across * down
  tablePoints = take(<u64>colours * POINT)
  tableOpaque = take(colours)
  canvasPoints = take(pixels * POINT)
  canvas = take(pixels * 4)
  wish = take(pixels * 4)
  next = take(pixels * 4)
  weights = take(pixels * 4)
  palettePoints = take(MAX_COLOURS * POINT)
  palette = take(MAX_COLOURS * 4)
  wanted = take(pixels * POINT)
  shown = take(pixels * POINT)
  boxWeights = take(pixels * 4)
  leave = take(pixels)
  symbols = take(pixels * 2)
  above = take((pixels + across) * POINT)
  codes = take(((pixels + 32) * 13) / 8)
  if (isShort) return false
  clear(canvasPoints, <u32>(pixels * POINT))
  clear(canvas, <u32>(pixels * 4))
  return true
}
