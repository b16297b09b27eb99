import { type Component, coefficientBytes, describeFrame, type Frame, layOut } from './frame.ts'
import { allocate, bytesAt, floatsAt, type Kernel } from './kernel.ts'
import type { Subsampling } from './tables.ts'

/** Eight-bit samples, interleaved, without padding: 1 or 2 channels grey, 3 or 4 RGB; alpha is not looked at. */
export type Samples = { data: Uint8Array; width: number; height: number; channels: 1 | 2 | 3 | 4 }

/** An image transformed once, in the kernel's memory: what all attempts at it share. */
export type Canvas = {
  kernel: Kernel
  frame: Frame
  subsampling: Subsampling
  /** Per component: 64 floats a block, zigzag order, rows of `stride` blocks. */
  dct: number[]
  /** Per block of luma, densely: variances of the four 4x4 quadrants, and the mean about zero. */
  activity: Float32Array
  /** Per block of luma, densely: the mean light (0..1) of red, green and blue. */
  light: Float32Array
}

const factors: Record<Subsampling, { h: 1 | 2; v: 1 | 2 }> = {
  '4:4:4': { h: 1, v: 1 },
  '4:2:2': { h: 2, v: 1 },
  '4:2:0': { h: 2, v: 2 },
}

/** Converts, downsamples and transforms an image into a fresh kernel's memory; throws a RangeError when it does not fit. */
export const openCanvas = (kernel: Kernel, image: Samples, subsampling: Subsampling): Canvas => {
  const { width, height, channels } = image
  const { h, v } = factors[subsampling]
  const grey = isGrey(image)
  const chroma = { h: 1, v: 1 }
  const parts = grey
    ? [{ id: 1, h: 1, v: 1 }]
    : [
        { id: 1, h, v },
        { id: 2, ...chroma },
        { id: 3, ...chroma },
      ]
  const frame = layOut(width, height, parts)
  for (const component of frame.components) component.coefs = allocate(kernel, coefficientBytes(component))
  describeFrame(kernel, frame)
  const dct = frame.components.map((component) => allocate(kernel, 2 * coefficientBytes(component)))
  const before = kernel.mark()
  const source = allocate(kernel, image.data.length)
  bytesAt(kernel, source, image.data.length).set(image.data)
  const activity = transform(kernel, frame, dct, { source, channels, grey })
  const light = lightOf(kernel, frame, { at: source, channels })
  kernel.release(before)
  return { kernel, frame, subsampling, dct, activity, light }
}

/** The mean light of red, green and blue in each 8x8 block of RGB or grey pixels in the kernel's memory, densely. */
export const lightOf = (kernel: Kernel, frame: Frame, pixels: { at: number; channels: number }): Float32Array => {
  const { wide, high } = frame.components[0]!
  const before = kernel.mark()
  const out = allocate(kernel, wide * high * 12)
  kernel.blockLight(pixels.at, pixels.channels, frame.width, frame.height, out)
  const light = floatsAt(kernel, out, wide * high * 3).slice()
  kernel.release(before)
  return light
}

type Plane = { at: number; across: number; down: number }

const openPlane = (kernel: Kernel, { stride, rows }: Component): Plane => ({
  at: allocate(kernel, stride * rows * 256),
  across: stride * 8,
  down: rows * 8,
})

/** Makes the planes and transforms them; gives luma's activity. */
const transform = (
  kernel: Kernel,
  frame: Frame,
  dct: number[],
  image: { source: number; channels: number; grey: boolean },
): Float32Array => {
  const { source, channels, grey } = image
  const { width, height, hMax, vMax, components } = frame
  const planes = components.map((component) => openPlane(kernel, component))
  const [luma, cb, cr] = planes as [Plane, Plane, Plane]
  kernel.lumaPlane(source, channels, width, height, luma.at, luma.across, luma.down)
  if (!grey) {
    kernel.chromaPlanes(source, channels, width, height, hMax, vMax, cb.at, cr.at, cb.across, cb.down)
    if (hMax * vMax > 1) fitLuma(kernel, frame, { source, channels }, planes as [Plane, Plane, Plane])
  }
  planes.forEach((plane, c) => {
    kernel.forward(c, plane.at, plane.across, dct[c]!)
  })
  const { wide, high } = components[0]!
  const facts = allocate(kernel, wide * high * 20)
  kernel.activity(0, luma.at, luma.across, facts)
  return floatsAt(kernel, facts, wide * high * 5).slice()
}

/** No luma moves further to keep its pixel's luminance. */
const furthestLuma = 16

const fitLuma = (
  kernel: Kernel,
  { width, height, hMax, vMax }: Frame,
  { source, channels }: { source: number; channels: number },
  [luma, cb, cr]: [Plane, Plane, Plane],
): void => {
  const { at, across, down } = luma
  const before = kernel.mark()
  const room = allocate(kernel, cb.across * 8)
  // biome-ignore format: one line a thought
  kernel.fitLuma(
    source, channels, width, height, hMax, vMax,
    cb.at, cr.at, cb.across, at, across, down, furthestLuma, room,
  )
  kernel.release(before)
}

/** Whether the three channels are everywhere the same: then one component holds all. */
const isGrey = ({ data, channels }: Samples): boolean => {
  if (channels < 3) return true
  for (let i = 0; i < data.length; i += channels) if (data[i] !== data[i + 1] || data[i] !== data[i + 2]) return false
  return true
}
