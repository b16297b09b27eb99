import type { AnyRaster, Extent } from '../../core/image.ts'
import { JPEG } from '../../core/jpeg-numbers.ts'
import type { Frame } from '../bitstream/frame.ts'
import { type Keep, metadataSegments } from '../bitstream/metadata.ts'
import { bestScript } from '../bitstream/scan-script.ts'
import { writeJpeg } from '../bitstream/write.ts'
import { type CoefficientForm, type JpegEncoder, openJpegEncoder, type Setting } from './encoder.ts'
import { type HeldImage, openWholeImage, type PixelRows, takeRows, unpackRows } from './packed-image.ts'
import { DEFAULT_PARAMETERS } from './parameters.ts'
import type { Subsampling } from './quant-tables.ts'
import { openPlanes, reconstruct } from './reconstruct.ts'
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

const stripsOf = ({ width, height }: AnyRaster, stripPixels: number): readonly PixelRows[] => {
  const count = Math.max(1, Math.round((width * height) / stripPixels))
  const rows = Math.ceil(height / count / JPEG.mcuSide) * JPEG.mcuSide
  return Array.from({ length: Math.ceil(height / rows) }, (_, at) => ({
    from: at * rows,
    to: Math.min(height, (at + 1) * rows),
  }))
}

/** A strip with one more row of MCUs on both sides: luma makes up for chroma that decoders interpolate across its edges. */
const withNeighbours = ({ height }: Extent, { from, to }: PixelRows): PixelRows => ({
  from: Math.max(0, from - JPEG.mcuSide),
  to: Math.min(height, to + JPEG.mcuSide),
})

const heightOf = ({ from, to }: PixelRows): number => to - from

const rowsOf = ({ data, width, channels }: AnyRaster, { from, to }: PixelRows): AnyRaster => {
  const stride = width * channels
  return { data: data.subarray(from * stride, to * stride), width, height: heightOf({ from, to }), channels }
}

/** Quantises a strip with what the sample learnt of rates; the offsets that keep its luminance are its own. */
const quantiseStrip = (encoder: JpegEncoder, { dcOffsets: ofSample, ...setting }: Setting): void => {
  const { dcOffsets } = ofSample === undefined ? {} : encoder.analyse(setting)
  encoder.quantise({ ...setting, ...(dcOffsets === undefined ? {} : { dcOffsets }) })
}

/**
 * The pixels that decoders show of packed coefficients, strip by strip. libjpeg would hold all coefficients of a progressive file, 6 bytes a pixel at
 * 4:4:4.
 */
const showStrips = (image: HeldImage, strips: readonly PixelRows[]): AnyRaster => {
  const { kernel, frame } = image
  const { width, height } = frame
  const channels = frame.components.length === 1 ? 1 : 3
  const data = new Uint8Array(width * height * channels)
  const before = kernel.mark()
  const heights = strips.map((own) => heightOf(withNeighbours(frame, own)))
  const stripData = new Uint8Array(width * Math.max(...heights) * channels)
  for (const own of strips) {
    const held = withNeighbours(frame, own)
    const strip = unpackRows(image, held)
    const shown = reconstruct(kernel, strip, openPlanes(kernel, strip), stripData)
    const rows = rowsOf(shown, { from: own.from - held.from, to: own.to - held.from })
    data.set(rows.data, own.from * width * channels)
    kernel.release(before)
  }
  return { data, width, height, channels }
}

/** A large image as it was encoded. */
export interface StripFile {
  readonly bytes: Uint8Array
  /** Returns the pixels that decoders of a JPEG show, and frees the coefficients. Call it once, and never where they were written in another form. */
  readonly shown: () => AnyRaster
}

/**
 * Encodes an image of any size at a known setting. Strips of rows are transformed and quantised one after the other; only the coefficients of the
 * whole are held, for a JPEG those that are not zero. Differs from an encode of the whole at once by single steps of DC at strips' edges.
 * Throws a RangeError when they do not fit the kernel's memory.
 */
export const encodeInStrips = (
  image: AnyRaster,
  { setting, subsampling }: StripSetting,
  { keep = {}, form, stripSamples = STRIP_SAMPLES }: StripOptions = {},
): StripFile => {
  const grey = isGrey(image)
  const whole = openWholeImage(frameOf(image, subsampling, grey), form === undefined)
  const { kernel, frame } = whole
  const strips = stripsOf(image, stripSamples / samplesPerPixel(frame))
  for (const own of strips) {
    const held = withNeighbours(image, own)
    const encoder = openJpegEncoder(rowsOf(image, held), subsampling, DEFAULT_PARAMETERS, { form, grey })
    try {
      quantiseStrip(encoder, setting)
      takeRows(whole, encoder.transformed, own, held)
    } finally {
      encoder.close()
    }
  }
  const bytes =
    form === undefined
      ? writeJpeg(kernel, frame, bestScript(kernel, frame, 'fast'), metadataSegments(keep))
      : form.write(kernel, frame)
  // The memory of a kernel never shrinks, and metrics need it next.
  let packed = form === undefined ? whole : undefined
  const shown = (): AnyRaster => {
    if (packed === undefined) throw new Error('the coefficients were freed')
    const once = packed
    packed = undefined
    return showStrips(once, strips)
  }
  return { bytes, shown }
}
