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

interface Count {
  readonly across: number
  readonly down: number
}

/** Areas of `side` blocks, row by row; those at the right and lower edge of the frame may be smaller. */
const areasOf = ({ across, down }: Count, side: number, blocks: Pick<BlockArea, 'width' | 'height'>): BlockArea[] =>
  Array.from({ length: across * down }, (_, i) => {
    const x = (i % across) * side
    const y = Math.floor(i / across) * side
    return { x, y, width: Math.min(side, blocks.width - x), height: Math.min(side, blocks.height - y) }
  })

/** Number of areas that cover a rectangle. */
const countOf = ({ width, height }: Pick<BlockArea, 'width' | 'height'>, side: number): Count => ({
  across: ceilDivide(width, side),
  down: ceilDivide(height, side),
})

/** Divides a frame into groups. A single component is never subsampled. */
export const geometryOf = ({ width, height, components }: Coefficients): FrameGeometry => {
  const grey = components.length === 1
  const hMax = grey ? 1 : Math.max(...components.map(({ h }) => h))
  const vMax = grey ? 1 : Math.max(...components.map(({ v }) => v))
  const blocksWide = ceilDivide(width, 8 * hMax) * hMax
  const blocksHigh = ceilDivide(height, 8 * vMax) * vMax
  const blocks = { width: blocksWide, height: blocksHigh }
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
    groups: areasOf(countOf({ width, height }, JXL.groupSide), GROUP_BLOCKS, blocks),
    lfGroups: areasOf(countOf(blocks, JXL.groupSide), JXL.groupSide, blocks),
  }
}
