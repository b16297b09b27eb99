import type { AnyRaster } from '../../core/image.ts'
import { JPEG } from '../../core/jpeg-numbers.ts'
import { coefficientBytes, describeFrame, type Frame } from '../bitstream/frame.ts'
import { type Keep, metadataSegments } from '../bitstream/metadata.ts'
import { bestScript } from '../bitstream/scan-script.ts'
import { writeJpeg } from '../bitstream/write.ts'
import { allocate, bytesAt, type Kernel, openKernel } from '../kernel.ts'
import { type CoefficientForm, type JpegEncoder, openJpegEncoder, type Setting } from './encoder.ts'
import { DEFAULT_PARAMETERS } from './parameters.ts'
import type { Subsampling } from './quant-tables.ts'
import { frameOf, isGrey } from './transformed-image.ts'

/** How a large image is encoded: a setting that was found on a sample of it, and its chroma subsampling. */
export interface StripSetting {
  readonly setting: Setting
  readonly subsampling: Subsampling
}

interface StripOptions {
  readonly keep?: Keep
  /** Writes the coefficients in another form than JPEG. */
  readonly form?: CoefficientForm | undefined
  /** Samples of all components in a strip. */
  readonly stripSamples?: number
}

/** Samples of a strip: 3 megapixels at 4:2:0, 1.5 at 4:4:4. 11 bytes each are held while it is quantised. */
const STRIP_SAMPLES = 4.5e6

const samplesPerPixel = ({ components, hMax, vMax }: Frame): number =>
  components.reduce((sum, { h, v }) => sum + h * v, 0) / (hMax * vMax)

/** Rows of an image, from the first to the one after the last. */
interface Rows {
  readonly from: number
  readonly to: number
}

const stripsOf = ({ width, height }: AnyRaster, stripPixels: number): readonly Rows[] => {
  const count = Math.max(1, Math.round((width * height) / stripPixels))
  const rows = Math.ceil(height / count / JPEG.mcuSide) * JPEG.mcuSide
  return Array.from({ length: Math.ceil(height / rows) }, (_, at) => ({
    from: at * rows,
    to: Math.min(height, (at + 1) * rows),
  }))
}

/** A strip with one more row of MCUs on both sides: luma makes up for chroma that decoders interpolate across its edges. */
const withNeighbours = ({ height }: AnyRaster, { from, to }: Rows): Rows => ({
  from: Math.max(0, from - JPEG.mcuSide),
  to: Math.min(height, to + JPEG.mcuSide),
})

const rowsOf = ({ data, width, channels }: AnyRaster, { from, to }: Rows): AnyRaster => {
  const stride = width * channels
  return { data: data.subarray(from * stride, to * stride), width, height: to - from, channels }
}

/** Quantises a strip with what the sample learnt of rates; the offsets that keep its luminance are its own. */
const quantiseStrip = (encoder: JpegEncoder, { dcOffsets: ofSample, ...setting }: Setting): void => {
  const { dcOffsets } = ofSample === undefined ? {} : encoder.analyse(setting)
  encoder.quantise({ ...setting, ...(dcOffsets === undefined ? {} : { dcOffsets }) })
}

/** Copies the coefficients of a strip's own rows of blocks to where they belong in the whole. */
const copyCoefficients = (
  kernel: Kernel,
  whole: Frame,
  strip: JpegEncoder['transformed'],
  own: Rows,
  held: Rows,
): void => {
  whole.components.forEach((component, c) => {
    const { v, stride, rows } = component
    const blockRow = (row: number): number => Math.ceil(row / (8 * whole.vMax)) * v
    const [first, count] = [blockRow(own.from), Math.min(rows, blockRow(own.to)) - blockRow(own.from)]
    const from = strip.frame.components[c]!.coefs + (first - blockRow(held.from)) * stride * 128
    const bytes = count * stride * 128
    bytesAt(kernel, component.coefs + first * stride * 128, bytes).set(bytesAt(strip.kernel, from, bytes))
    component.quantTable = strip.frame.components[c]!.quantTable
  })
}

/**
 * Encodes an image of any size at a known setting. Strips of rows are transformed and quantised one after the other; only the coefficients of the
 * whole are held (3 bytes a pixel at 4:2:0). Differs from an encode of the whole at once by single steps of DC at strips' edges.
 * Throws a RangeError when they do not fit the kernel's memory.
 */
export const encodeInStrips = (
  image: AnyRaster,
  { setting, subsampling }: StripSetting,
  { keep = {}, form, stripSamples = STRIP_SAMPLES }: StripOptions = {},
): Uint8Array => {
  const kernel = openKernel()
  const grey = isGrey(image)
  const frame = frameOf(image, subsampling, grey)
  for (const component of frame.components) component.coefs = allocate(kernel, coefficientBytes(component))
  describeFrame(kernel, frame)
  for (const own of stripsOf(image, stripSamples / samplesPerPixel(frame))) {
    const held = withNeighbours(image, own)
    const encoder = openJpegEncoder(rowsOf(image, held), subsampling, DEFAULT_PARAMETERS, { form, grey })
    try {
      quantiseStrip(encoder, setting)
      copyCoefficients(kernel, frame, encoder.transformed, own, held)
    } finally {
      encoder.close()
    }
  }
  if (form !== undefined) return form.write(kernel, frame)
  return writeJpeg(kernel, frame, bestScript(kernel, frame, 'fast'), metadataSegments(keep))
}
