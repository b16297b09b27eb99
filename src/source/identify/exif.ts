import type { Orientation } from '../../core/image.ts'
import { openDirectory, orientationIn } from './ifd.ts'
import { readBytes } from './reader.ts'

const PREFIX = 'Exif\0\0'

/** The orientation that an EXIF block tells, with or without its prefix; a broken block tells nothing. */
export const orientationOf = async (exif: Buffer): Promise<Orientation> => {
  const tiff = exif.toString('latin1', 0, PREFIX.length) === PREFIX ? exif.subarray(PREFIX.length) : exif
  try {
    return await orientationIn(await openDirectory(readBytes(tiff)))
  } catch {
    return 1
  }
}
