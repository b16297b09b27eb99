import type { Box, Raster } from '../../../core/image.ts'
import { type Canvas, type CodableAnimation, clear, draw, openCanvas, type Wish, wishOf } from './canvas.ts'
import { codeFrame } from './code-frame.ts'
import { COORDINATES, type CodableFrame, type CodedFrame, LEAVE, type Loss } from './frame.ts'
import { openArea } from './frame-area.ts'
import { type CoderPalette, pointsOf } from './palette.ts'
import { errorWeights } from './visibility.ts'

/** How an animation is to be coded. */
export interface Coding {
  /** The palette of a frame by its number. */
  readonly paletteOf: (frame: number) => CoderPalette
  readonly lossOf: (frame: number) => Loss
  /** Asked often: from when it is true on nothing more comes. */
  readonly isTimeUp?: () => boolean
}

/** A frame as it is stored, and what is shown with it. */
export interface StoredFrame {
  readonly box: Box
  readonly coded: CodedFrame
  readonly palette: CoderPalette
  /** What the box holds goes when its time is over. */
  readonly clears: boolean
  /** The canvas; its data is that of the next frame later. */
  readonly shown: Raster
}

/** A pixel is drawn anew in any case where what is there errs by more than this share of the most. */
const STALE = 1

/** By pixel one of LEAVE, and the box of what has to be drawn; `next` is what the frame after it leaves transparent. */
const layOut = (
  { wish, next, weights, canvas }: { wish: Wish; next: Wish | undefined; weights: Float32Array; canvas: Canvas },
  { most }: Loss,
  extent: CodableAnimation,
): { readonly leave: Uint8Array; readonly box: Box; readonly clears: boolean } => {
  const area = openArea(extent)
  const leave = new Uint8Array(wish.opaque.length)
  let clears = false
  for (let at = 0; at < leave.length; at += 1) {
    if (wish.opaque[at] === 0) {
      leave[at] = LEAVE.MUST
      continue
    }
    const isEmpty = canvas.data[at * 4 + 3] === 0
    leave[at] = isEmpty ? LEAVE.NEVER : LEAVE.MAY
    const vanishes = next?.opaque[at] === 0
    clears ||= vanishes
    if (isEmpty || vanishes || errorAt(wish.points, canvas.points, at) * weights[at]! > most * STALE) area.add(at)
  }
  return { leave, box: area.box(), clears }
}

const errorAt = (a: Float32Array, b: Float32Array, pixel: number): number => {
  const at = pixel * COORDINATES
  return (a[at]! - b[at]!) ** 2 + (a[at + 1]! - b[at + 1]!) ** 2 + (a[at + 2]! - b[at + 2]!) ** 2
}

/** The values of a box, `each` a pixel. */
const cut = <T extends Float32Array | Uint8Array>(values: T, each: number, box: Box, width: number): T => {
  const all = values.length === box.width * box.height * each
  if (all) return values
  const part = values.slice(0, box.width * box.height * each) as T
  for (let y = 0; y < box.height; y += 1) {
    const from = ((box.top + y) * width + box.left) * each
    part.set(values.subarray(from, from + box.width * each), y * box.width * each)
  }
  return part
}

/**
 * Codes an animation frame by frame, each over what is there: what is asked for twice by a caller is coded twice. Weights of errors,
 * which are the same each time, may be `kept`. Ends early when time is up.
 */
export function* codeAnimation(
  animation: CodableAnimation,
  { paletteOf, lossOf, isTimeUp = () => false }: Coding,
  kept: Map<number, Float32Array> = new Map(),
): Generator<StoredFrame, void> {
  const { width, height, frames } = animation
  const points = pointsOf(animation.colours)
  const canvas = openCanvas(animation)
  const weightsOf = (number: number, wish: Wish): Float32Array => {
    const weights = kept.get(number) ?? errorWeights(wish.points, animation)
    kept.set(number, weights)
    return weights
  }
  let wish = wishOf(animation, points, 0)
  for (let number = 0; number < frames; number += 1) {
    const next = number + 1 < frames ? wishOf(animation, points, number + 1) : undefined
    const [palette, loss] = [paletteOf(number), lossOf(number)]
    const weights = weightsOf(number, wish)
    const { leave, box, clears } = layOut({ wish, next, weights, canvas }, loss, animation)
    const frame: CodableFrame = {
      width: box.width,
      height: box.height,
      wanted: cut(wish.points, COORDINATES, box, width),
      shown: cut(canvas.points, COORDINATES, box, width),
      leave: cut(leave, 1, box, width),
      weights: cut(weights, 1, box, width),
      colours: palette.points,
    }
    const coded = codeFrame(frame, loss, isTimeUp)
    if (coded === undefined) return
    draw(canvas, box, width, coded.symbols, palette)
    yield { box, coded, palette, clears, shown: { width, height, channels: 4, data: canvas.data } }
    if (clears) clear(canvas, box, width)
    wish = next ?? wish
  }
}
