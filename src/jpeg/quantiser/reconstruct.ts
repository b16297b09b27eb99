import type { AnyRaster } from '../../core/image.ts'
import { type Component, type Frame, markBytes } from '../bitstream/frame.ts'
import { allocate, bytesAt, type Kernel } from '../kernel.ts'

/** Decoded samples of the latest trial by component, in the kernel's memory, and the tables they were made with. */
export interface Planes {
  readonly at: number[]
  readonly steps: number
  readonly quantTables: Uint16Array[]
}

/** Makes room for an image's planes, which show nothing yet. */
export const openPlanes = (kernel: Kernel, { components }: Frame): Planes => ({
  at: components.map(({ stride, rows }) => allocate(kernel, stride * rows * 64 + 64)),
  steps: allocate(kernel, 128),
  quantTables: [],
})

/**
 * The pixels a decoder shows of the coefficients now in the frame, sample for sample those of libjpeg-turbo (islow DCT,
 * fancy upsampling); RGB, or one channel when the frame is grey. `quantTable` of every component must be set, none above 32767.
 * The samples go to `into`, which has room for them.
 */
export const reconstruct = (kernel: Kernel, frame: Frame, planes: Planes, into: Uint8Array): AnyRaster => {
  const { width, height } = frame
  const channels = channelsOf(frame)
  const before = kernel.mark()
  const data = into.subarray(0, width * height * channels)
  const pixels = allocate(kernel, data.length + 64)
  showPlanes(kernel, frame, planes)
  join(kernel, frame, planes, { pixels, luminance: 0 })
  data.set(bytesAt(kernel, pixels, data.length))
  kernel.release(before)
  return { data, width, height, channels }
}

/** Leaves the mean luminance of each luma block's red, green and blue, as a decoder shows it, at `luminance` in the kernel's memory, densely. */
export const measureLuminance = (kernel: Kernel, frame: Frame, planes: Planes, luminance: number): void => {
  const before = kernel.mark()
  showPlanes(kernel, frame, planes)
  join(kernel, frame, planes, { pixels: 0, luminance })
  kernel.release(before)
}

const channelsOf = ({ components }: Frame): 1 | 3 => (components.length === 1 ? 1 : 3)

/** Makes the planes show the coefficients now in the frame. At the same tables most blocks come out as in the attempt before: those stay. */
const showPlanes = (kernel: Kernel, { components }: Frame, { at, steps, quantTables }: Planes): void => {
  components.forEach((component, c) => {
    const quantTable = component.quantTable!
    if (quantTables[c]?.every((step, k) => step === quantTable[k]) !== true) markAll(kernel, component)
    quantTables[c] = quantTable
    new Int16Array(kernel.memory.buffer, steps, 64).set(quantTable)
    kernel.inverse(c, steps, at[c]!)
  })
}

/** Marks all blocks as changed. */
const markAll = (kernel: Kernel, component: Component): void => {
  const marks = bytesAt(kernel, component.marks, markBytes(component))
  for (let i = 0; i < marks.length; i += 8) marks[i]! |= 1
}

/** Where the pixels go, or the luminance (the other is 0). */
interface Places {
  readonly pixels: number
  readonly luminance: number
}

/** Joins the planes to pixels. */
const join = (kernel: Kernel, frame: Frame, { at }: Planes, places: Places): void => {
  if (channelsOf(frame) === 1) reconstructGrey(kernel, frame, at[0]!, places)
  else reconstructColour(kernel, frame, at, places)
}

const reconstructGrey = (
  kernel: Kernel,
  { width, height, components }: Frame,
  plane: number,
  { pixels, luminance }: Places,
): void => {
  const scratch = allocate(kernel, components[0]!.widthInBlocks * 48)
  const yStep = components[0]!.stride * 8
  kernel.reconstructGrey({ y: plane, yStep, width, height, to: pixels, means: luminance, scratch })
}

const reconstructColour = (kernel: Kernel, frame: Frame, planes: number[], { pixels, luminance }: Places): void => {
  const { width, height, hMax, vMax, components } = frame
  const widthInBlocks = Math.ceil(width / hMax)
  const heightInBlocks = Math.ceil(height / vMax)
  const scratch = allocate(kernel, 8 * widthInBlocks + 6 * width + 512)
  const [y, cb, cr] = planes as [number, number, number]
  const steps = { yStep: components[0]!.stride * 8, cStep: components[1]!.stride * 8 }
  const chroma = { wide: widthInBlocks, high: heightInBlocks, h: hMax, v: vMax }
  kernel.reconstruct({ y, cb, cr, ...steps, ...chroma, width, height, to: pixels, means: luminance, scratch })
}
