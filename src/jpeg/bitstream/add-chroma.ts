import { isApplication, isFrameMarker, JPEG_MARKER, PROFILE_PREFIX, readJpegHead } from '../../containers/jpeg.ts'
import { JPEG } from '../../core/jpeg-numbers.ts'
import { allocate, bytesAt, KERNEL_BYTES, type Kernel, openKernel } from '../kernel.ts'
import { type Component, coefficientBytes, describeFrame, type Frame, layOut, markBytes } from './frame.ts'
import { readJpeg } from './read.ts'
import { bestScript } from './scan-script.ts'
import { writeJpeg } from './write.ts'

/** JFIF or no marker: YCbCr. */
const YCBCR_IDS = [1, 2, 3] as const
/** Offset of the colour space in the first segment of a profile: marker, length, signature, numbering, then ICC.1 table 17. */
const ICC_SPACE_AT = 4 + PROFILE_PREFIX.length + 2 + 16

const isGrey = (jpeg: Buffer): boolean => {
  const frame = [...readJpegHead(jpeg)].find(({ marker }) => isFrameMarker(marker))
  return frame !== undefined && jpeg[frame.start + JPEG.componentsAt] === 1
}

const segmentsOf = (jpeg: Buffer): readonly Buffer[] =>
  [...readJpegHead(jpeg)]
    .filter(({ marker }) => isApplication(marker) || marker === JPEG_MARKER.COM)
    .map(({ start, end }) => jpeg.subarray(start, end))

const hasGreyProfile = (segments: readonly Buffer[]): boolean =>
  segments.some(
    (segment) =>
      segment.toString('latin1', 4, 4 + PROFILE_PREFIX.length) === PROFILE_PREFIX &&
      segment.toString('latin1', ICC_SPACE_AT, ICC_SPACE_AT + 4) === 'GRAY',
  )

/** Copies blocks row by row, since a frame with chroma may pad its rows further. */
const copyBlocks = (kernel: Kernel, from: Component, to: Component): void => {
  const bytes = from.widthInBlocks * KERNEL_BYTES.block
  for (let row = 0; row < from.heightInBlocks; row++) {
    const source = bytesAt(kernel, from.coefs + row * from.stride * KERNEL_BYTES.block, bytes)
    bytesAt(kernel, to.coefs + row * to.stride * KERNEL_BYTES.block, bytes).set(source)
  }
}

/** The frame with two neutral components of half the resolution. */
const addNeutral = (kernel: Kernel, { width, height, components }: Frame): Frame => {
  const grey = components[0]!
  const parts = YCBCR_IDS.map((id) => ({ id, h: id === 1 ? 2 : 1, v: id === 1 ? 2 : 1 }))
  const frame = layOut(width, height, parts)
  for (const component of frame.components) {
    component.coefs = allocate(kernel, coefficientBytes(component))
    component.marks = allocate(kernel, markBytes(component))
    kernel.clear(component.coefs, coefficientBytes(component))
    component.quantTable = grey.quantTable
  }
  copyBlocks(kernel, grey, frame.components[0]!)
  describeFrame(kernel, frame)
  return frame
}

/**
 * A JPEG of one component as YCbCr with neutral chroma and the same luma coefficients; any other JPEG as it is.
 * libvips 8.18 refuses a gain map behind a base of one component. A JPEG with a grey profile stays, since the profile
 * would not apply. Throws a JpegRefusal for what is not read.
 */
export const addChroma = (jpeg: Uint8Array): Uint8Array => {
  const file = Buffer.from(jpeg.buffer, jpeg.byteOffset, jpeg.length)
  const segments = segmentsOf(file)
  if (!isGrey(file) || hasGreyProfile(segments)) return jpeg
  const kernel = openKernel()
  const colour = addNeutral(kernel, readJpeg(kernel, jpeg).frame)
  return writeJpeg(kernel, colour, bestScript(kernel, colour, 'fast'), [...segments])
}
