import type { AnyRaster } from '../core/image.ts'
import type { Coefficients, QuantisedComponent } from './coefficients.ts'
import { allocateIn, type JxlKernel, place, withKernel } from './kernel.ts'

/** Decoded values of coefficients of 1, for Y, Cb and Cr: the format's default biases. */
const ONES = [1 - 0.07005449891748593, 1 - 0.05465007330715401, 1 - 0.049935103337343655] as const

interface Plane {
  readonly at: number
  readonly pitch: number
}

const showComponent = (
  kernel: JxlKernel,
  { coefficients, stride, rows, quantTable }: QuantisedComponent,
  one: number,
): Plane => {
  const coefs = place(kernel, coefficients)
  const steps = place(kernel, Float32Array.from(quantTable))
  const plane = allocateIn(kernel, stride * rows * 256)
  const block = allocateIn(kernel, 256)
  const size = { stride, wide: stride, high: rows, pitch: stride * 8 }
  kernel.inverse({ coefs, ...size, steps, one, plane, block })
  return { at: plane, pitch: stride * 8 }
}

/**
 * The pixels that a decoder of JPEG XL shows of these coefficients, within one level: RGB, or one channel of a grey image. They last until the next call. Throws a RangeError where
 * they do not fit the kernel's memory.
 */
export const shownByJxl = (image: Coefficients): AnyRaster => withKernel((kernel) => showIn(kernel, image))

const showIn = (kernel: JxlKernel, { width, height, components }: Coefficients): AnyRaster => {
  const channels = components.length
  const [y, cb, cr] = components.map((component, c) => showComponent(kernel, component, ONES[c]!))
  const out = allocateIn(kernel, width * height * channels + 16)
  if (cb === undefined || cr === undefined) kernel.joinGrey(y!.at, y!.pitch, width, height, out)
  else {
    const [luma, chroma] = components as readonly QuantisedComponent[] as [QuantisedComponent, QuantisedComponent]
    const [h, v] = [luma.h / chroma.h, luma.v / chroma.v]
    const scratch = allocateIn(kernel, 12 * (width + 16))
    const planes = { luma: y!.at, cb: cb.at, cr: cr.at, yPitch: y!.pitch, cPitch: cb.pitch }
    kernel.joinColour({ ...planes, h, v, width, height, out, scratch })
  }
  return { width, height, channels, data: new Uint8Array(kernel.memory.buffer, out, width * height * channels) }
}
