import type { Orientation } from '../core/image.ts'

/** Prefix of an Exif block in JPEG, and sometimes elsewhere. */
export const EXIF_PREFIX = 'Exif\0\0'

/** The smallest Exif block (TIFF 6.0, big-endian, one directory) with only the orientation, without the prefix. */
export const orientationTiff = (orientation: Orientation): Uint8Array =>
  Uint8Array.from([0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0])
