import { EXIF_PREFIX, orientationTiff } from '../../containers/exif.ts'
import { JPEG_MARKER, writeJpegProfile, writeJpegSegment } from '../../containers/jpeg.ts'
import type { Orientation } from '../../core/image.ts'

/** Metadata that may go into a JPEG we write: the orientation tag and the colour profile, nothing else. */
export interface Keep {
  readonly orientation?: Orientation
  readonly icc?: Uint8Array
}

const { APP0, APP1, APP14 } = JPEG_MARKER

const text = (value: string): number[] => [...value].map((c) => c.charCodeAt(0))

const exif = (orientation: Orientation): Uint8Array =>
  writeJpegSegment(APP1, [...text(EXIF_PREFIX), ...orientationTiff(orientation)])

/** The Adobe marker: which colour transform the components stand in (0 none, 1 YCbCr, 2 YCCK). */
export const adobeSegment = (transform: number): Uint8Array =>
  writeJpegSegment(APP14, [...text('Adobe'), 0, 100, 0, 0, 0, 0, transform])

/** The smallest JFIF marker: no density, no thumbnail. */
export const jfifSegment = (): Uint8Array => writeJpegSegment(APP0, [...text('JFIF'), 0, 1, 1, 0, 0, 1, 0, 1, 0, 0])

/** The segments of the metadata to keep. Orientation 1 is the default and is left out. */
export const metadataSegments = ({ orientation, icc }: Keep): Uint8Array[] => [
  ...(orientation !== undefined && orientation > 1 ? [exif(orientation)] : []),
  ...(icc && icc.length > 0 ? writeJpegProfile(icc) : []),
]
