import type { AnyRaster, Extent } from '../../core/image.ts'
import { type Component, coefficientBytes, describeFrame, type Frame, layOut, markBytes } from '../bitstream/frame.ts'
import { allocate, bytesAt, type Kernel } from '../kernel.ts'
import { type ClippedBlocks, keepClipped, listClipped } from './dering.ts'
import type { Subsampling } from './quant-tables.ts'

/** Linear luminance (0..1) of red, green and blue by block, densely, three floats each, and how much of it one more code value is. */
export interface LinearLuminance {
  readonly means: number
  readonly slopes: number
}

/** An image transformed once, in the kernel's memory (numbers are places there): what all attempts at it share. */
export interface TransformedImage {
  readonly kernel: Kernel
  readonly frame: Frame
  readonly subsampling: Subsampling
  /** Per component: 64 floats a block, zigzag order, rows of `stride` blocks. */
  readonly dct: number[]
  /** Per block of luma, densely: the variances of its four quadrants, floats. */
  readonly activities: number
  /** The source's, by blocks of luma and of chroma. */
  readonly luminance: { luma: LinearLuminance; chroma: LinearLuminance }
  /** Samples that overshoot deringing may set beyond white and black; rewrites luma's `dct`. */
  readonly free: ClippedBlocks
}

const SAMPLING_FACTORS: Record<Subsampling, { h: 1 | 2; v: 1 | 2 }> = {
  '4:4:4': { h: 1, v: 1 },
  '4:2:2': { h: 2, v: 1 },
  '4:2:0': { h: 2, v: 2 },
}

/** The frame of an image of `width` x `height` px, of one component where it is grey; coefficients are not yet allocated. */
export const frameOf = ({ width, height }: Extent, subsampling: Subsampling, grey: boolean): Frame => {
  const { h, v } = SAMPLING_FACTORS[subsampling]
  const chroma = { h: 1, v: 1 }
  const parts = grey
    ? [{ id: 1, h: 1, v: 1 }]
    : [
        { id: 1, h, v },
        { id: 2, ...chroma },
        { id: 3, ...chroma },
      ]
  return layOut(width, height, parts)
}

/** Converts, downsamples and transforms an image into a fresh kernel's memory, as grey where all of it is; throws a RangeError when it does not fit. */
export const transformImage = (
  kernel: Kernel,
  image: AnyRaster,
  subsampling: Subsampling,
  grey = isGrey(image),
): TransformedImage => {
  const { channels } = image
  const frame = frameOf(image, subsampling, grey)
  for (const component of frame.components) {
    component.coefs = allocate(kernel, coefficientBytes(component))
    component.marks = allocate(kernel, markBytes(component))
    kernel.clear(component.coefs, coefficientBytes(component))
    kernel.clear(component.marks, markBytes(component))
  }
  describeFrame(kernel, frame)
  const dct = frame.components.map((component) => allocate(kernel, 2 * coefficientBytes(component)))
  const { widthInBlocks, heightInBlocks } = frame.components[0]!
  const activities = allocate(kernel, widthInBlocks * heightInBlocks * 16)
  const means = allocate(kernel, widthInBlocks * heightInBlocks * 12 + 16)
  const before = kernel.mark()
  const source = allocate(kernel, image.data.length)
  bytesAt(kernel, source, image.data.length).set(image.data)
  transform(kernel, frame, { dct, activities, means }, { source, channels })
  const free = listClipped(kernel, frame, source, channels)
  kernel.release(before)
  const luminance = linearLuminanceOf(kernel, frame, means)
  return { kernel, frame, subsampling, dct, activities, luminance, free: keepClipped(kernel, free, dct[0]!) }
}

interface Plane {
  readonly at: number
  readonly across: number
  readonly down: number
}

const openPlane = (kernel: Kernel, { stride, rows }: Component): Plane => ({
  at: allocate(kernel, stride * rows * 256),
  across: stride * 8,
  down: rows * 8,
})

/** No luma moves further to keep its pixel's luminance. */
const MAX_LUMA_CHANGE = 16

interface Places {
  readonly dct: number[]
  readonly activities: number
  readonly means: number
}

/** Chroma first, because luma makes up for what it spreads. */
const transform = (
  kernel: Kernel,
  frame: Frame,
  { dct, activities, means }: Places,
  { source, channels }: { source: number; channels: number },
): void => {
  const { width, height, hMax, vMax, components } = frame
  const planes = components.slice(1).map((component) => openPlane(kernel, component))
  const [cb, cr] = planes
  if (cb && cr) {
    const scratch = allocate(kernel, 6 * (width + 48))
    const planes = { cb: cb.at, cr: cr.at, padded: cb.across, paddedHigh: cb.down }
    kernel.chromaPlanes({ from: source, channels, width, height, h: hMax, v: vMax, ...planes, scratch })
    kernel.forward(1, cb.at, cb.across, dct[1]!)
    kernel.forward(2, cr.at, cr.across, dct[2]!)
  }
  const fitted = cb && cr && hMax > 1 ? { blue: cb.at, red: cr.at, across: cb.across } : { blue: 0, red: 0, across: 0 }
  const { stride } = components[0]!
  const scratch = allocate(kernel, 368 * stride + 3 * (width + 48) + 8 * (fitted.across + 16) + 1152)
  const chroma = { v: vMax, cb: fitted.blue, cr: fitted.red, padded: fitted.across, most: MAX_LUMA_CHANGE }
  const out = { dct: dct[0]!, activities, luminances: means }
  kernel.lumaBlocks({ from: source, channels, width, height, ...chroma, ...out, scratch })
}

/** The source's luminance and its slopes, by blocks of luma as given and by those of chroma. */
const linearLuminanceOf = (kernel: Kernel, { components }: Frame, means: number): TransformedImage['luminance'] => {
  const [{ widthInBlocks, heightInBlocks, h, v }, chroma] = components as [Component, Component | undefined]
  const slopes = allocate(kernel, widthInBlocks * heightInBlocks * 12 + 16)
  kernel.luminanceSlopes(means, widthInBlocks * heightInBlocks * 3, slopes)
  const luma = { means, slopes }
  if (!chroma || h * v === 1) return { luma, chroma: luma }
  const floats = chroma.widthInBlocks * chroma.heightInBlocks * 3
  const coarse = { means: allocate(kernel, floats * 4 + 16), slopes: allocate(kernel, floats * 4 + 16) }
  kernel.coarsen(means, 3, h, v, coarse.means)
  kernel.luminanceSlopes(coarse.means, floats, coarse.slopes)
  return { luma, chroma: coarse }
}

/** Whether the three channels are everywhere the same: then one component holds all. */
export const isGrey = ({ data, channels }: AnyRaster): boolean => {
  if (channels < 3) return true
  for (let i = 0; i < data.length; i += channels) if (data[i] !== data[i + 1] || data[i] !== data[i + 2]) return false
  return true
}
