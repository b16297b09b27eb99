import { coefficientBytes, describeFrame, type Frame, layOut } from './frame.ts'
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
  const activity = transformLuma(kernel, frame, dct[0]!, source, channels)
  if (!grey) transformChroma(kernel, frame, dct, source, channels)
  kernel.release(before)
  return { kernel, frame, subsampling, dct, activity }
}

const transformLuma = (kernel: Kernel, frame: Frame, dct: number, source: number, channels: number): Float32Array => {
  const { stride, wide, high, rows } = frame.components[0]!
  const before = kernel.mark()
  const plane = allocate(kernel, stride * rows * 256)
  kernel.lumaPlane(source, channels, frame.width, frame.height, plane, stride * 8, rows * 8)
  kernel.forward(0, plane, stride * 8, dct)
  const facts = allocate(kernel, wide * high * 20)
  kernel.activity(0, plane, stride * 8, facts)
  const activity = floatsAt(kernel, facts, wide * high * 5).slice()
  kernel.release(before)
  return activity
}

const transformChroma = (kernel: Kernel, frame: Frame, dct: number[], source: number, channels: number): void => {
  const { stride, rows } = frame.components[1]!
  const before = kernel.mark()
  const cb = allocate(kernel, stride * rows * 256)
  const cr = allocate(kernel, stride * rows * 256)
  const { hMax, vMax, width, height } = frame
  kernel.chromaPlanes(source, channels, width, height, hMax, vMax, cb, cr, stride * 8, rows * 8)
  kernel.forward(1, cb, stride * 8, dct[1]!)
  kernel.forward(2, cr, stride * 8, dct[2]!)
  kernel.release(before)
}

/** Whether the three channels are everywhere the same: then one component holds all. */
const isGrey = ({ data, channels }: Samples): boolean => {
  if (channels < 3) return true
  for (let i = 0; i < data.length; i += channels) if (data[i] !== data[i + 1] || data[i] !== data[i + 2]) return false
  return true
}
