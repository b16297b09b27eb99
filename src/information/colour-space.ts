import { TRANSFER } from '../core/hdr.ts'
import type { CodePoints, SourceFacts } from '../core/image.ts'
import { MAX_SHOWN_CHARS } from '../core/shown-text.ts'

/** Primaries by ITU-T H.273, table 2. */
const PRIMARIES: Readonly<Record<number, string>> = {
  1: 'BT.709',
  9: 'BT.2020',
  11: 'DCI-P3',
  12: 'Display P3',
}
/** Names of transfer functions that the primaries do not imply (table 3). */
const TRANSFERS: Readonly<Record<number, string>> = {
  [TRANSFER.pq]: ' PQ',
  [TRANSFER.hlg]: ' HLG',
  [TRANSFER.linear]: ' linear',
}

const byCodePoints = ({ primaries, transfer }: CodePoints): string =>
  `${PRIMARIES[primaries] ?? `primaries ${primaries}`}${TRANSFERS[transfer] ?? ''}`

const printable = (text: string): string | undefined =>
  text
    .replaceAll(/[^\x20-\x7e]/g, '')
    .trim()
    .slice(0, MAX_SHOWN_CHARS) || undefined

/** `desc` (ICC.2) has ASCII after its length, `mluc` (ICC.1:2022, section 10.15) UTF-16 at an offset. */
const readDescription = (tag: Buffer): string | undefined => {
  const type = tag.toString('latin1', 0, 4)
  if (type === 'desc') return printable(tag.toString('latin1', 12, 12 + Math.min(MAX_SHOWN_CHARS, tag.readUInt32BE(8))))
  if (type !== 'mluc') return undefined
  const [length, offset] = [Math.min(2 * MAX_SHOWN_CHARS, tag.readUInt32BE(20)), tag.readUInt32BE(24)]
  return printable(
    Buffer.from(tag.subarray(offset, offset + length - (length % 2)))
      .swap16()
      .toString('utf16le'),
  )
}

/** The name in an ICC profile. undefined without a readable one. */
export const profileName = (profile: Buffer): string | undefined => {
  try {
    const count = Math.min(profile.readUInt32BE(128), 200)
    for (let entry = 132; entry < 132 + count * 12; entry += 12) {
      if (profile.toString('latin1', entry, entry + 4) !== 'desc') continue
      const at = profile.readUInt32BE(entry + 4)
      return readDescription(profile.subarray(at, at + profile.readUInt32BE(entry + 8)))
    }
  } catch {
    // The profile is truncated.
  }
  return undefined
}

/** Facts of a decoder about the stored samples. */
export interface StoredSamples {
  /** sharp's name of the space. */
  readonly space?: string | undefined
  readonly icc?: Buffer | undefined
}

const SPACES: Readonly<Record<string, string>> = { cmyk: 'CMYK', 'b-w': 'grey', grey16: 'grey' }

/** The name of an image's colour space: by code points, else by its profile's name, else by its channels. */
export const colourSpace = ({ codePoints, profile }: SourceFacts, { space, icc }: StoredSamples): string => {
  if (codePoints !== undefined) return byCodePoints(codePoints)
  const name = profile === 'other' && icc !== undefined ? profileName(icc) : undefined
  return name ?? SPACES[space ?? ''] ?? (profile === 'other' ? 'other' : 'sRGB')
}
