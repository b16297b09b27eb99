import type { AnyRaster, Orientation } from '../core/image.ts'
import type { Frame, Component as JpegComponent } from '../jpeg/bitstream/frame.ts'
import { type ReadJpeg, readJpeg } from '../jpeg/bitstream/read.ts'
import { borrowKernel, type Kernel } from '../jpeg/kernel.ts'
import { halfFloat } from './bits/fields.ts'
import type { Coefficients, QuantisedComponent } from './coefficients.ts'
import type { SampleColours } from './headers.ts'
import { isWholeProfile } from './icc.ts'
import { shownByJxl } from './shown.ts'
import { writeJxl } from './write-jxl.ts'

/** Why a JPEG's coefficients have no form in JPEG XL. */
const REFUSALS = {
  cmyk: 'JPEG XL has no form for the coefficients of a CMYK JPEG.',
  rgb: 'The coefficients of a JPEG in RGB are not written as JPEG XL.',
  sampling: 'JPEG XL has no form for these sampling factors.',
  steps: 'JPEG XL has no exact form for these quantisation steps.',
  range: 'A coefficient of the JPEG is out of range.',
  profile: 'Some decoders of JPEG XL refuse the damaged colour profile of the JPEG.',
} as const

/** A JPEG whose coefficients are not written as JPEG XL, with a `reason` to decide by. */
export class JxlRefusal extends Error {
  readonly reason: keyof typeof REFUSALS
  constructor(reason: keyof typeof REFUSALS) {
    super(REFUSALS[reason])
    this.name = 'JxlRefusal'
    this.reason = reason
  }
}

/** Coefficients of 8-bit samples need 11 bits and a sign; an encoder may be off by a factor. */
const MAX_COEFFICIENT = 4095

const isInRange = (coefficients: Int16Array): boolean => {
  for (let i = 0; i < coefficients.length; i++) if (Math.abs(coefficients[i]!) > MAX_COEFFICIENT) return false
  return true
}

const isSampling = (factor: number): factor is 1 | 2 => factor === 1 || factor === 2

const componentOf = (kernel: Kernel, { h, v, stride, rows, coefs, quantTable }: JpegComponent): QuantisedComponent => {
  if (!isSampling(h) || !isSampling(v)) throw new JxlRefusal('sampling')
  if (quantTable!.includes(0) || halfFloat(quantTable![0]!) === undefined) throw new JxlRefusal('steps')
  const coefficients = new Int16Array(kernel.memory.buffer, coefs, stride * rows * 64)
  return { h, v, stride, rows, coefficients, quantTable: quantTable! }
}

/** Whether three components are red, green and blue, as decoders decide it. */
const isRgb = ({ frame, adobe, jfif }: ReadJpeg): boolean => {
  if (jfif) return false
  if (adobe !== undefined) return adobe === 0
  return frame.components.map(({ id }) => String.fromCharCode(id)).join('') === 'RGB'
}

/** The coefficients of a frame in YCbCr or grey, in the kernel's memory. Throws a JxlRefusal where JPEG XL has no form for them. */
const coefficientsIn = (kernel: Kernel, { width, height, components }: Frame): Coefficients => {
  // Sampling factors of a single component mean nothing.
  const parts = components.length === 1 ? [{ ...components[0]!, h: 1, v: 1 }] : components
  const [y, cb, cr] = parts.map((component) => componentOf(kernel, component))
  if (cb === undefined || cr === undefined) return { width, height, components: [y!] }
  if ([cb, cr].some(({ h, v }) => h > y!.h || v > y!.v)) throw new JxlRefusal('sampling')
  return { width, height, components: [y!, cb, cr] }
}

/** The coefficients of a JPEG, in the kernel's memory. Throws a JxlRefusal where JPEG XL has no form for them. */
const coefficientsOf = (kernel: Kernel, jpeg: ReadJpeg): Coefficients => {
  const { length } = jpeg.frame.components
  if (length === 4 || length === 2) throw new JxlRefusal('cmyk')
  if (length === 3 && isRgb(jpeg)) throw new JxlRefusal('rgb')
  const image = coefficientsIn(kernel, jpeg.frame)
  if (image.components.some(({ coefficients }) => !isInRange(coefficients))) throw new JxlRefusal('range')
  return image
}

/** The pixels that decoders of JPEG XL show of a frame that is being searched. */
export const jxlShown = (kernel: Kernel, frame: Frame): AnyRaster => shownByJxl(coefficientsIn(kernel, frame))

/** Coefficients stored as JPEG XL. */
export interface WrittenJxl {
  readonly bytes: Uint8Array
  /** Works out the pixels that decoders show of it; call it at once, for the next image may use the same memory. */
  readonly shown: () => AnyRaster
}

/** A JPEG stored as JPEG XL. */
export interface JxlFromJpeg extends WrittenJxl {
  /** The source was damaged or cut, and only what decodes is in it. */
  readonly truncated: boolean
}

/** Colour profile and orientation for the file. Those of the JPEG itself are not read. */
export interface KeptInJxl {
  readonly icc?: Uint8Array
  readonly orientation?: Orientation
}

const coloursOf = (isGrey: boolean, icc: Uint8Array | undefined): SampleColours => {
  if (icc !== undefined) return { kind: 'icc', icc, grey: isGrey }
  return { kind: isGrey ? 'grey' : 'srgb' }
}

const write = (image: Coefficients, { icc, orientation = 1 }: KeptInJxl = {}): WrittenJxl => ({
  bytes: writeJxl(image, { colours: coloursOf(image.components.length === 1, icc), orientation }),
  shown: () => shownByJxl(image),
})

/** Writes a frame that was searched. */
export const jxlFromFrame = (kernel: Kernel, frame: Frame): WrittenJxl => write(coefficientsIn(kernel, frame))

/** Stores a JPEG's very coefficients as JPEG XL. Throws a JpegRefusal for what is not read, a JxlRefusal for what has no form. */
export const jxlFromJpeg = (jpeg: Uint8Array, kept: KeptInJxl = {}): JxlFromJpeg => {
  if (kept.icc !== undefined && !isWholeProfile(kept.icc)) throw new JxlRefusal('profile')
  const { kernel, giveBack } = borrowKernel()
  try {
    const read = readJpeg(kernel, jpeg)
    return { ...write(coefficientsOf(kernel, read), kept), truncated: read.truncated }
  } finally {
    giveBack()
  }
}
