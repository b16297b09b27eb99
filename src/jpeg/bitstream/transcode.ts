import { openKernel } from '../kernel.ts'
import { adobeSegment, jfifSegment, type Keep, metadataSegments } from './metadata.ts'
import { type ReadJpeg, readJpeg } from './read.ts'
import { bestScript } from './scan-script.ts'
import { writeJpeg } from './write.ts'

/** A JPEG stored again; `truncated` when the source was damaged or cut and only what decodes is in it. */
export interface TranscodedJpeg {
  readonly bytes: Uint8Array
  readonly truncated: boolean
}

/**
 * Stores a JPEG's very coefficients again in fewer bytes: progressive or sequential, tables and scans made for it.
 * All metadata is dropped but what `keep` names and what decides the colours. Throws a JpegRefusal for what is not read.
 */
export const transcodeJpeg = (bytes: Uint8Array, keep: Keep = {}): TranscodedJpeg => {
  const kernel = openKernel()
  const jpeg = readJpeg(kernel, bytes)
  const scans = bestScript(kernel, jpeg.frame, 'thorough')
  const heads = [...colourSegments(jpeg), ...metadataSegments(keep)]
  return { bytes: writeJpeg(kernel, jpeg.frame, scans, heads), truncated: jpeg.truncated }
}

/**
 * The marker without which decoders would guess another colour space. Three components: JFIF means YCbCr, else Adobe's
 * transform rules, else the ids "RGB" mean RGB and all others YCbCr. Four: Adobe's transform rules, else CMYK.
 */
const colourSegments = ({ frame, adobe, jfif }: ReadJpeg): Uint8Array[] => {
  const { components } = frame
  if (components.length === 4 && adobe !== undefined) return [adobeSegment(adobe)]
  if (components.length !== 3) return []
  const rgbIds = components.map(({ id }) => String.fromCharCode(id)).join('') === 'RGB'
  const standardIds = components.every(({ id }, i) => id === i + 1)
  if (jfif) return standardIds ? [] : [jfifSegment()]
  if (adobe === 0) return rgbIds ? [] : [adobeSegment(0)]
  if (adobe === undefined) return []
  return standardIds ? [] : [adobeSegment(adobe)]
}
