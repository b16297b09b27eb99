import type { AnyRaster } from '../../core/image.ts'
import type { Frame } from '../bitstream/frame.ts'
import { allocate, bytesAt, type Kernel } from '../kernel.ts'

/**
 * The pixels a decoder shows of the coefficients now in the frame, sample for sample those of libjpeg-turbo (islow DCT,
 * fancy upsampling); RGB, or one channel when the frame is grey. `quantTable` of every component must be set, none above 32767.
 * The samples go to `into`, which has room for them.
 */
export const reconstruct = (kernel: Kernel, frame: Frame, into: Uint8Array): AnyRaster => {
  const { width, height } = frame
  const channels = channelsOf(frame)
  const before = kernel.mark()
  const data = into.subarray(0, width * height * channels)
  data.set(bytesAt(kernel, draw(kernel, frame), data.length))
  kernel.release(before)
  return { data, width, height, channels }
}

/** Leaves the mean luminance of each luma block's red, green and blue, as a decoder shows it, at `luminance` in the kernel's memory, densely. */
export const measureLuminance = (kernel: Kernel, frame: Frame, luminance: number): void => {
  const before = kernel.mark()
  draw(kernel, frame, luminance)
  kernel.release(before)
}

const channelsOf = ({ components }: Frame): 1 | 3 => (components.length === 1 ? 1 : 3)

/** The place of the pixels in the kernel's memory. */
const draw = (kernel: Kernel, frame: Frame, luminance = 0): number => {
  const { width, height, components } = frame
  const planes = components.map((component, c) => {
    const plane = allocate(kernel, component.stride * component.rows * 64 + 64)
    const quantTable = allocate(kernel, 128)
    new Int16Array(kernel.memory.buffer, quantTable, 64).set(component.quantTable!)
    kernel.inverse(c, quantTable, plane)
    return plane
  })
  const channels = channelsOf(frame)
  const out = allocate(kernel, width * height * channels + 64)
  if (channels === 1) reconstructGrey(kernel, frame, planes[0]!, { out, luminance })
  else reconstructColour(kernel, frame, planes, { out, luminance })
  return out
}

interface Places {
  readonly out: number
  readonly luminance: number
}

const reconstructGrey = (
  kernel: Kernel,
  { width, height, components }: Frame,
  plane: number,
  { out, luminance }: Places,
): void => {
  const scratch = allocate(kernel, components[0]!.widthInBlocks * 48)
  kernel.reconstructGrey(plane, components[0]!.stride * 8, width, height, out, luminance, scratch)
}

const reconstructColour = (kernel: Kernel, frame: Frame, planes: number[], { out, luminance }: Places): void => {
  const { width, height, hMax, vMax, components } = frame
  const widthInBlocks = Math.ceil(width / hMax)
  const heightInBlocks = Math.ceil(height / vMax)
  const scratch = allocate(kernel, 8 * widthInBlocks + 6 * width + 512)
  const [y, cb, cr] = planes as [number, number, number]
  const cStep = components[1]!.stride * 8
  kernel.reconstruct(
    y,
    components[0]!.stride * 8,
    cb,
    cr,
    cStep,
    widthInBlocks,
    heightInBlocks,
    hMax,
    vMax,
    width,
    height,
    out,
    luminance,
    scratch,
  )
}
