import type { AnyRaster } from '../core/image.ts'
import { jxlFromFrame, jxlFromJpeg, jxlShown, type WrittenJxl } from '../jxl/from-jpeg.ts'
import type { StillCodec } from './format.ts'
import { codecOf } from './jpeg.ts'
import type { JpegForm } from './jpeg-own.ts'

/** A JPEG's coefficients take about this share of its bytes as JPEG XL, at least (measured by `npm run bench:jxl`). */
const MIN_SHARE = 0.8

/**
 * A file takes .87 of a JPEG's bits, so an error weighs more in bits of a JPEG. Bytes of 27 images at medium by factor: 1 1.000, 1.2 .988, 1.4 .995; of
 * 16 of them also 0.7 1.004, 1.8 .997, 2.4 .987.
 */
const LAMBDA_SCALE = 1.2

/**
 * Writes the JPEG search's coefficients as JPEG XL. Trials are scored on the pixels of JPEG XL decoders, which bias coefficients towards zero and do
 * not round samples before colours are converted.
 */
const openForm = (): JpegForm => {
  let latest: (() => AnyRaster) | undefined
  const written = ({ bytes, shown }: WrittenJxl): Uint8Array => {
    latest = shown
    return bytes
  }
  return {
    format: 'jxl',
    coefficients: {
      lambdaScale: LAMBDA_SCALE,
      shown: jxlShown,
      write: (kernel, frame) => written(jxlFromFrame(kernel, frame)),
    },
    fromJpeg: (jpeg) => written(jxlFromJpeg(jpeg)),
    pixelsOf: async () => latest!(),
    minShare: MIN_SHARE,
  }
}

export const jxl: StillCodec = codecOf('jxl', openForm)
