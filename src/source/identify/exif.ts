import { EXIF_PREFIX } from '../../containers/exif.ts'
import type { Orientation } from '../../core/image.ts'
import { openDirectory, orientationIn } from './ifd.ts'
import { readBytes } from './reader.ts'

/** The orientation in an EXIF block, with or without its prefix. 1 when the block is broken. */
export const orientationOf = async (exif: Buffer): Promise<Orientation> => {
  const tiff = exif.toString('latin1', 0, EXIF_PREFIX.length) === EXIF_PREFIX ? exif.subarray(EXIF_PREFIX.length) : exif
  try {
    return await orientationIn(await openDirectory(readBytes(tiff)))
  } catch {
    return 1
  }
}
