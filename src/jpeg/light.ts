import type { Canvas } from './canvas.ts'
import { floatsAt } from './kernel.ts'

/** What to add to each block's DC, by component, so that its light is kept. */
export type Shifts = Float32Array[]

/** How much more light (0..1) one more code value is, where the mean light is `light`. */
const slopeAt = (light: number): number =>
  light <= 0.0031308 ? 1 / (255 * 12.92) : (2.4 / 1.055 / 255) * light ** (1.4 / 2.4)

/** No block's mean moves further, in code values. */
const furthest = 5

/** Slopes far below this (a middle grey's is 0.0037) are too dark to be seen, and not worth a correction. */
const faint = 0.0008

/** What each component is to keep, as weights on the light of red, green and blue: luminance, the metric's S, red against green. */
const kept = [
  [0.3, 0.622, 0.078],
  [0.243, 0.205, 0.552],
  [1, -1, 0],
] as const

/** How the code values of red, green and blue follow Y, Cb and Cr. */
const codes = [
  [1, 1, 1],
  [0, -0.344, 1.772],
  [1.402, -0.714, 0],
] as const

type Blocks = { wide: number; high: number; light: Float32Array; wanted: Float32Array; moved: Float32Array }

/**
 * A code value's light grows with its 2.4th power, so a block that loses its texture loses light too, and the eye (and the
 * metric, which averages light) sees it darken. From the light that an attempt showed: the shifts that make up for
 * it in the next. `before` are those the attempt was made with; `parts` how much of the loss is made up for.
 */
export const shiftsFor = (
  canvas: Canvas,
  shown: Float32Array,
  before: Shifts | undefined,
  parts: readonly number[],
): Shifts => {
  const { wide, high } = canvas.frame.components[0]!
  const fine: Blocks = { wide, high, light: shown, wanted: canvas.light, moved: new Float32Array(wide * high) }
  const luma = settleBlocks(canvas, fine, before, { c: 0, part: parts[0]! })
  if (canvas.frame.components.length === 1) return [luma.shifts]
  const coarse = gather(canvas, { ...fine, moved: luma.expected })
  return [luma.shifts, ...[1, 2].map((c) => settleBlocks(canvas, coarse, before, { c, part: parts[c]! }).shifts)]
}

/** The new shifts of one component, and the change that they and the end of its rounding will bring. */
const settleBlocks = (
  canvas: Canvas,
  { light, wanted, moved }: Blocks,
  before: Shifts | undefined,
  { c, part }: { c: number; part: number },
): { shifts: Float32Array; expected: Float32Array } => {
  const rounded = roundings(canvas, c)
  const old = before?.[c]
  const [weights, code] = [kept[c]!, codes[c]!]
  const expected = new Float32Array(rounded.length)
  const shifts = rounded.map((unshifted, b) => {
    let lost = 0
    let slope = 0
    for (let i = 0; i < 3; i++) {
      const s = weights[i]! * slopeAt(wanted[b * 3 + i]!)
      lost += weights[i]! * (wanted[b * 3 + i]! - light[b * 3 + i]!) - s * moved[b]!
      slope += s * code[i]!
    }
    const was = (old?.[b] ?? 0) / 8
    // What rounding took from the target as it was shifted comes back by itself.
    const rounding = unshifted + was
    const loss = (lost * slope) / (slope * slope + faint * faint)
    const now = Math.max(-furthest, Math.min(furthest, was + part * (loss - rounding)))
    expected[b] = now - was + rounding
    return 8 * now
  })
  return { shifts, expected }
}

/** Per block what the mean of the unshifted source has above that of the quantised block. */
const roundings = ({ kernel, frame, dct }: Canvas, c: number): Float32Array => {
  const { wide, high, stride, rows, coefs, steps } = frame.components[c]!
  const target = floatsAt(kernel, dct[c]!, rows * stride * 64)
  const values = new Int16Array(kernel.memory.buffer, coefs, rows * stride * 64)
  const rounded = new Float32Array(wide * high)
  for (let y = 0, b = 0; y < high; y++) {
    for (let x = 0; x < wide; x++, b++) {
      const at = (y * stride + x) * 64
      rounded[b] = (target[at]! - values[at]! * steps![0]!) / 8
    }
  }
  return rounded
}

/** The means over the larger blocks of subsampled chroma. */
const gather = ({ frame }: Canvas, fine: Blocks): Blocks => {
  const { wide, high } = frame.components[1]!
  const { h, v } = frame.components[0]!
  const coarse = {
    wide,
    high,
    light: new Float32Array(wide * high * 3),
    wanted: new Float32Array(wide * high * 3),
    moved: new Float32Array(wide * high),
  }
  for (let y = 0; y < fine.high; y++) {
    for (let x = 0; x < fine.wide; x++) {
      const [from, to] = [y * fine.wide + x, Math.floor(y / v) * wide + Math.floor(x / h)]
      const share = 1 / (Math.min(h, fine.wide - x + (x % h)) * Math.min(v, fine.high - y + (y % v)))
      coarse.moved[to]! += fine.moved[from]! * share
      for (let i = 0; i < 3; i++) {
        coarse.light[to * 3 + i]! += fine.light[from * 3 + i]! * share
        coarse.wanted[to * 3 + i]! += fine.wanted[from * 3 + i]! * share
      }
    }
  }
  return coarse
}

/** Adds the shifts to the transformed source, or takes them away again (`sign` -1). */
export const applyShifts = ({ kernel, frame, dct }: Canvas, shifts: Shifts, sign: 1 | -1): void => {
  frame.components.forEach(({ wide, high, stride, rows }, c) => {
    const target = floatsAt(kernel, dct[c]!, rows * stride * 64)
    for (let y = 0, b = 0; y < high; y++) {
      for (let x = 0; x < wide; x++, b++) target[(y * stride + x) * 64]! += sign * shifts[c]![b]!
    }
  })
}
