/** Finds the blocks of 8 x 8 px that an earlier JPEG left in pixels, by the steps between their columns and between their rows. */
import type { Raster } from '../core/image.ts'

/**
 * `side` of a JPEG's block in px (ITU-T T.81, A.1.1). `pixels` that are looked at on each axis, in whole lines. `maxStep` in sample values: a larger
 * one is an edge of the picture. `minStep`: the mean within blocks of a drawn ramp is below it. `minRatio` of steps between blocks to those
 * within, on both axes: measured, lab/search.md, "Blocks of a JPEG on both axes".
 */
const BLOCKS = { side: 8, pixels: 2 ** 18, maxStep: 10, minStep: 0.1, minRatio: 1.9 } as const

/** Samples of one channel: `length` of a line, `stride` apart in the data; the lines are `lineStride` apart. */
interface Axis {
  readonly length: number
  readonly stride: number
  readonly lines: number
  readonly lineStride: number
}

/** The mean step between blocks over the mean step within them; 0 where there is no second block or hardly a step. */
const ratioAlong = (data: Raster['data'], { length, stride, lines, lineStride }: Axis): number => {
  const every = Math.ceil((length * lines) / BLOCKS.pixels)
  const sums = { between: 0, all: 0 }
  for (let line = 0; line < lines; line += every)
    for (let i = 2; i + 1 < length; i++) {
      // The second channel: green.
      const at = line * lineStride + i * stride + 1
      // Without the slope of the neighbours.
      const slope = (data[at + stride]! - data[at - 2 * stride]!) / 3
      const step = Math.min(BLOCKS.maxStep, Math.abs(data[at]! - data[at - stride]! - slope))
      sums.all += step
      if (i % BLOCKS.side === 0) sums.between += step
    }
  const looked = Math.ceil(lines / every)
  const between = looked * Math.floor((length - 2) / BLOCKS.side)
  const meanWithin = (sums.all - sums.between) / (looked * (length - 3) - between)
  return between > 0 && meanWithin >= BLOCKS.minStep ? sums.between / between / meanWithin : 0
}

/** Whether steps between blocks are about twice those within them, between columns and between rows. */
export const hasSourceBlocks = ({ data, width, height, channels }: Raster): boolean => {
  const line = width * channels
  const axes: readonly Axis[] = [
    { length: width, stride: channels, lines: height, lineStride: line },
    { length: height, stride: line, lines: width, lineStride: channels },
  ]
  return axes.every((axis) => ratioAlong(data, axis) >= BLOCKS.minRatio)
}
