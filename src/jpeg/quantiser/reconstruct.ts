import type { AnyRaster } from '../../core/image.ts'
import type { Frame } from '../bitstream/frame.ts'
import { allocate, bytesAt, type Kernel } from '../kernel.ts'

/**
 * The pixels a decoder shows of the coefficients now in the frame, sample for sample those of libjpeg-turbo (islow DCT,
 * fancy upsampling); RGB, or one channel when the frame is grey. `steps` of every component must be set, none above 32767.
 * The samples go to `into`, which has room for them.
 */
export const picture = (kernel: Kernel, frame: Frame, into: Uint8Array): AnyRaster => {
  const { width, height } = frame
  const channels = channelsOf(frame)
  const before = kernel.mark()
  const data = into.subarray(0, width * height * channels)
  data.set(bytesAt(kernel, draw(kernel, frame), data.length))
  kernel.release(before)
  return { data, width, height, channels }
}

/** Leaves the mean light of each luma block's red, green and blue, as a decoder shows it, at `light` in the kernel's memory, densely. */
export const measureLight = (kernel: Kernel, frame: Frame, light: number): void => {
  const before = kernel.mark()
  draw(kernel, frame, light)
  kernel.release(before)
}

const channelsOf = ({ components }: Frame): 1 | 3 => (components.length === 1 ? 1 : 3)

/** The place of the pixels in the kernel's memory. */
const draw = (kernel: Kernel, frame: Frame, light = 0): number => {
  const { width, height, components } = frame
  const planes = components.map((component, c) => {
    const plane = allocate(kernel, component.stride * component.rows * 64 + 64)
    const steps = allocate(kernel, 128)
    new Int16Array(kernel.memory.buffer, steps, 64).set(component.steps!)
    kernel.inverse(c, steps, plane)
    return plane
  })
  const channels = channelsOf(frame)
  const out = allocate(kernel, width * height * channels + 64)
  if (channels === 1) showGrey(kernel, frame, planes[0]!, { out, light })
  else showColour(kernel, frame, planes, { out, light })
  return out
}

type Places = { out: number; light: number }

const showGrey = (
  kernel: Kernel,
  { width, height, components }: Frame,
  plane: number,
  { out, light }: Places,
): void => {
  const room = allocate(kernel, components[0]!.wide * 48)
  kernel.showGrey(plane, components[0]!.stride * 8, width, height, out, light, room)
}

const showColour = (kernel: Kernel, frame: Frame, planes: number[], { out, light }: Places): void => {
  const { width, height, hMax, vMax, components } = frame
  const wide = Math.ceil(width / hMax)
  const high = Math.ceil(height / vMax)
  const room = allocate(kernel, 8 * wide + 6 * width + 512)
  const [y, cb, cr] = planes as [number, number, number]
  const cStep = components[1]!.stride * 8
  kernel.show(y, components[0]!.stride * 8, cb, cr, cStep, wide, high, hMax, vMax, width, height, out, light, room)
}
