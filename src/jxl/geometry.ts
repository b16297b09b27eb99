import type { Coefficients, QuantisedComponent } from './coefficients.ts'
import { JXL } from './format-numbers.ts'

/** Side of a group in blocks. */
export const GROUP_BLOCKS = JXL.groupSide / 8

/** A channel of the frame, in the order of the format: Cb, Y, Cr. */
export interface FrameChannel {
  /** Halvings of the frame's size, as powers of two. */
  readonly shiftX: number
  readonly shiftY: number
  /** Absent for the chroma of a grey image, which is zero. */
  readonly component: QuantisedComponent | undefined
}

/** A rectangle of blocks of the frame. */
export interface BlockArea {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** How a frame is divided. */
export interface FrameGeometry {
  readonly blocksWide: number
  readonly blocksHigh: number
  readonly channels: readonly [FrameChannel, FrameChannel, FrameChannel]
  readonly groups: readonly BlockArea[]
  readonly lfGroups: readonly BlockArea[]
}

const ceilDivide = (a: number, b: number): number => Math.ceil(a / b)

const areasOf = (blocksWide: number, blocksHigh: number, side: number, across: number, down: number): BlockArea[] =>
  Array.from({ length: across * down }, (_, i) => {
    const x = (i % across) * side
    const y = Math.floor(i / across) * side
    return { x, y, width: Math.min(side, blocksWide - x), height: Math.min(side, blocksHigh - y) }
  })

/** Divides a frame into groups. A single component is never subsampled. */
export const geometryOf = ({ width, height, components }: Coefficients): FrameGeometry => {
  const grey = components.length === 1
  const hMax = grey ? 1 : Math.max(...components.map(({ h }) => h))
  const vMax = grey ? 1 : Math.max(...components.map(({ v }) => v))
  const blocksWide = ceilDivide(width, 8 * hMax) * hMax
  const blocksHigh = ceilDivide(height, 8 * vMax) * vMax
  const channelOf = (component: QuantisedComponent | undefined): FrameChannel => ({
    component,
    shiftX: grey || component === undefined ? 0 : hMax >> component.h,
    shiftY: grey || component === undefined ? 0 : vMax >> component.v,
  })
  const [y, cb, cr] = components
  return {
    blocksWide,
    blocksHigh,
    channels: [channelOf(cb), channelOf(y), channelOf(cr)],
    groups: areasOf(
      blocksWide,
      blocksHigh,
      GROUP_BLOCKS,
      ceilDivide(width, JXL.groupSide),
      ceilDivide(height, JXL.groupSide),
    ),
    lfGroups: areasOf(
      blocksWide,
      blocksHigh,
      JXL.groupSide,
      ceilDivide(blocksWide, JXL.groupSide),
      ceilDivide(blocksHigh, JXL.groupSide),
    ),
  }
}
