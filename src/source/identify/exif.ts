import { EXIF_PREFIX } from '../../containers/exif.ts'
import type { Orientation } from '../../core/image.ts'
import { openDirectory, orientationIn } from './ifd.ts'
import { readBytes } from './reader.ts'

/** The orientation that an EXIF block tells, with or without its prefix; a broken block tells nothing. */
export const orientationOf = async (exif: Buffer): Promise<Orientation> => {
  const tiff = exif.toString('latin1', 0, EXIF_PREFIX.length) === EXIF_PREFIX ? exif.subarray(EXIF_PREFIX.length) : exif
  try {
    return await orientationIn(await openDirectory(readBytes(tiff)))
  } catch {
    return 1
  }
}
