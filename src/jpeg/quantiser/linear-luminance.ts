import { allocate, floatsAt } from '../kernel.ts'
import type { TransformedImage } from './transformed-image.ts'

/** Offsets of each block's DC, by component, that keep its luminance. */
export type DcOffsets = Float32Array[]

/** Addresses in the kernel's memory of a trial's luminance and its DC offsets. */
export interface LuminanceWorkspace {
  /** By blocks of luma and of chroma: three floats each. */
  readonly reconstructed: number
  readonly coarse: number
  /** By component, a float a block: DC offsets, and the change that is expected of luma's. */
  readonly dcOffsets: number[]
  readonly moved: number
  readonly coarseMoved: number
}

/** Opens the workspace that `dcOffsetsFor` and `placeDcOffsets` work in. */
export const openLuminanceWorkspace = ({ kernel, frame }: TransformedImage): LuminanceWorkspace => {
  const blocks = frame.components.map(({ widthInBlocks, heightInBlocks }) => widthInBlocks * heightInBlocks)
  const [luma, chroma = 0] = blocks as [number, number?]
  return {
    reconstructed: allocate(kernel, luma * 12 + 16),
    coarse: allocate(kernel, chroma * 12 + 16),
    dcOffsets: blocks.map((n) => allocate(kernel, n * 4)),
    moved: allocate(kernel, luma * 4),
    coarseMoved: allocate(kernel, chroma * 4 + 16),
  }
}

/** Copies DC offsets to where the kernel looks for them: places by component, or 0 where there are none. */
export const placeDcOffsets = (
  { kernel }: TransformedImage,
  workspace: LuminanceWorkspace,
  dcOffsets: DcOffsets | undefined,
): number[] =>
  workspace.dcOffsets.map((at, c) => {
    const map = dcOffsets?.[c]
    if (!map) return 0
    floatsAt(kernel, at, map.length).set(map)
    return at
  })

/**
 * A code value's luminance grows with its 2.4th power, so a block that loses its texture loses luminance too, and the eye (and the
 * metric, which averages luminance) sees it darken. From the luminance that an attempt showed (at `workspace.reconstructed`): the DC offsets that make up
 * for it in the next. `before` are those the attempt was made with; `parts` how much of the loss is made up for, by component.
 */
export const dcOffsetsFor = (
  transformed: TransformedImage,
  workspace: LuminanceWorkspace,
  before: DcOffsets | undefined,
  parts: readonly number[],
): DcOffsets => {
  const { kernel, frame, luminance, dct } = transformed
  const { h, v } = frame.components[0]!
  const apart = h * v > 1
  placeDcOffsets(transformed, workspace, before)
  return frame.components.map(({ widthInBlocks, heightInBlocks, quantTable }, c) => {
    const { means, slopes } = c === 0 ? luminance.luma : luminance.chroma
    const reconstructed = c > 0 && apart ? workspace.coarse : workspace.reconstructed
    const chromaMoved = apart ? workspace.coarseMoved : workspace.moved
    if (c === 1 && apart) {
      kernel.coarsen(workspace.reconstructed, 3, h, v, workspace.coarse)
      kernel.coarsen(workspace.moved, 1, h, v, workspace.coarseMoved)
    }
    kernel.fitDcOffsets({
      c,
      dct: dct[c]!,
      step: quantTable![0]!,
      wanted: means,
      slopes,
      reconstructed,
      moved: c === 0 ? 0 : chromaMoved,
      part: parts[c]!,
      known: before === undefined ? 0 : 1,
      dcOffsets: workspace.dcOffsets[c]!,
      expected: c === 0 ? workspace.moved : 0,
    })
    return floatsAt(kernel, workspace.dcOffsets[c]!, widthInBlocks * heightInBlocks).slice()
  })
}
