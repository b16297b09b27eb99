/** Tokens of HF coefficients (ISO/IEC 18181-1, annex I): `kernels/jxl/hf.ts` makes them, a group at a time. */

import type { Coefficients, QuantisedComponent } from '../coefficients.ts'
import { Tokens } from '../entropy/tokens.ts'
import { JXL, TOKEN } from '../format-numbers.ts'
import { type BlockArea, type FrameChannel, type FrameGeometry, GROUP_BLOCKS } from '../geometry.ts'
import { allocateIn, type JxlKernel, place } from '../kernel.ts'
import { type BlockContexts, COEFFICIENT_CONTEXT } from './block-contexts.ts'
import type { CoefficientOrder } from './coefficient-order.ts'

/** By block of the frame: how many thresholds luma's LF coefficient is above. */
export const blockClasses = (
  { blocksWide, blocksHigh, channels }: FrameGeometry,
  thresholds: readonly number[],
): Uint8Array => {
  const { component, shiftX, shiftY } = channels[1]
  const { coefficients, stride } = component!
  const classes = new Uint8Array(blocksWide * blocksHigh)
  for (let y = 0; y < blocksHigh; y++) {
    for (let x = 0; x < blocksWide; x++) {
      const lf = coefficients[((y >> shiftY) * stride + (x >> shiftX)) * 64]!
      let above = 0
      while (above < thresholds.length && lf > thresholds[above]!) above++
      classes[y * blocksWide + x] = above
    }
  }
  return classes
}

/** Channels within a block, in the order of their tokens: Y, Cb, Cr. */
const CODED = [1, 0, 2] as const

/** How the tokens of a frame are made. */
export interface HfCoding {
  readonly contexts: BlockContexts
  /** By channel: Cb, Y, Cr. */
  readonly orders: readonly CoefficientOrder[]
  /** By block: see `blockClasses`. */
  readonly classes: Uint8Array
}

/** A channel in the kernel's memory: `GroupChannel` without what depends on the group. */
interface PlacedChannel {
  readonly channel: FrameChannel
  /** Address of its coefficients; 0 where there are none. */
  readonly coefficients: number
  readonly order: number
  readonly blockContexts: number
}

/** The fields of a `GroupChannel`. */
const channelFields = (
  kernel: JxlKernel,
  { channel, coefficients, order, blockContexts }: PlacedChannel,
  area: BlockArea,
) => {
  const { component, shiftX, shiftY } = channel
  const stride = component?.stride ?? 0
  const first = (area.y >> shiftY) * stride + (area.x >> shiftX)
  const counts = place(kernel, new Uint8Array(GROUP_BLOCKS * GROUP_BLOCKS))
  return [coefficients === 0 ? 0 : coefficients + first * 128, stride, shiftX, shiftY, order, blockContexts, counts]
}

/** Tokens of the HF coefficients of each group. `addresses` has those of the components: Y, Cb and Cr. */
export const hfTokens = (
  kernel: JxlKernel,
  { channels, blocksWide, groups }: FrameGeometry,
  addresses: readonly (number | undefined)[],
  { contexts, orders, classes }: HfCoding,
): Tokens[] => {
  const coefficientContexts = place(kernel, COEFFICIENT_CONTEXT)
  const placedClasses = place(kernel, classes)
  const placed = CODED.map(
    (c, i): PlacedChannel => ({
      channel: channels[c],
      coefficients: addresses[i] ?? 0,
      order: place(kernel, orders[c]!),
      blockContexts: place(kernel, Uint8Array.from(contexts.contexts[c])),
    }),
  )
  const tokensOf = (area: BlockArea): Tokens => {
    const { width, height } = area
    const ownClasses = placedClasses + area.y * blocksWide + area.x
    const own = [width, height, blocksWide, ownClasses, contexts.count, coefficientContexts]
    const fields = [...own, JXL.countContexts, JXL.coefficientContexts]
    const group = place(
      kernel,
      Uint32Array.from([...fields, ...placed.flatMap((channel) => channelFields(kernel, channel, area))]),
    )
    const out = allocateIn(kernel, width * height * 3 * TOKEN.maxPerBlock * 4)
    const count = kernel.hfTokens(group, out)
    return Tokens.from(new Uint32Array(kernel.memory.buffer, out, count))
  }
  return groups.map((area) => {
    const before = kernel.mark()
    const tokens = tokensOf(area)
    kernel.release(before)
    return tokens
  })
}

/** Copies the coefficients of all components into the kernel's memory. Returns their addresses. */
export const placeCoefficients = (kernel: JxlKernel, { components }: Coefficients): number[] =>
  (components as readonly QuantisedComponent[]).map(({ coefficients }) => place(kernel, coefficients))
