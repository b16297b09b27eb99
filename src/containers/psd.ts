import { HEADER_SIZES } from '../core/header-sizes.ts'
import { MAX_HEADER_ITEMS } from '../core/untrusted-header.ts'

/** Colour modes of a Photoshop file (Adobe's file format specification, "File Header Section"). */
export type PsdMode = 'bitmap' | 'grey' | 'indexed' | 'rgb' | 'cmyk' | 'other'

/** The header of a Photoshop file (PSD, or PSB for large ones). */
export interface PsdHeader {
  readonly large: boolean
  readonly channels: number
  readonly width: number
  readonly height: number
  /** Bits of a sample: 1, 8, 16 or 32. */
  readonly depth: number
  readonly mode: PsdMode
}

const MODES: Readonly<Record<number, PsdMode>> = {
  0: 'bitmap',
  1: 'grey',
  2: 'indexed',
  3: 'rgb',
  4: 'cmyk',
  8: 'grey',
}

/** Reads the header of a Photoshop file. undefined when it is truncated or of an unknown version. */
export const readPsdHeader = (bytes: Buffer): PsdHeader | undefined => {
  if (bytes.length < HEADER_SIZES.psd || bytes.toString('latin1', 0, 4) !== '8BPS') return undefined
  const version = bytes.readUInt16BE(4)
  if (version !== 1 && version !== 2) return undefined
  return {
    large: version === 2,
    channels: bytes.readUInt16BE(12),
    height: bytes.readUInt32BE(14),
    width: bytes.readUInt32BE(18),
    depth: bytes.readUInt16BE(22),
    mode: MODES[bytes.readUInt16BE(24)] ?? 'other',
  }
}

/** Why the merged image of such a file is not decoded. undefined when it is. */
export const psdObstacle = ({ mode, depth }: PsdHeader): string | undefined => {
  if (mode === 'cmyk') return 'a Photoshop file in CMYK'
  if (mode === 'other') return 'a Photoshop file in Lab or of several inks'
  return depth === 8 || depth === 16 || (depth === 1 && mode === 'bitmap') ? undefined : 'a Photoshop file of 32 bits'
}

/** Numbers of the image resources that are read. */
export const PSD_RESOURCE = { profile: 1039, version: 1057 } as const

/** The content of a resource. undefined without it. */
export const findPsdResource = (resources: Buffer, wanted: number): Buffer | undefined => {
  let at = 0
  for (let count = 0; count < MAX_HEADER_ITEMS && at + 12 <= resources.length; count++) {
    const number = resources.readUInt16BE(at + 4)
    // A name as a Pascal string, padded to an even length with its length byte.
    const name = (resources[at + 6]! + 2) & ~1
    const start = at + 6 + name + 4
    if (start > resources.length) return undefined
    const length = resources.readUInt32BE(start - 4)
    if (number === wanted) return resources.subarray(start, start + length)
    at = start + length + (length & 1)
  }
  return undefined
}
