import type { StillFormat } from '../../core/image.ts'

/**
 * Fields about the rights of an image, as photographers and agencies write them: Exif (CIPA DC-008), IPTC IIM 4.2 and XMP (IPTC Photo
 * Metadata 2023.2). Image search shows `webStatement` and `licensorUrl` as "licensable". The most important come first.
 */
const RIGHTS_FIELDS = [
  'copyright',
  'rights',
  'notice',
  'artist',
  'creator',
  'byLine',
  'webStatement',
  'licensorUrl',
  'licensorName',
  'usageTerms',
  'credit',
  'iptcCredit',
  'marked',
] as const
export type RightsField = (typeof RIGHTS_FIELDS)[number]

/** Values by field: printable text without control characters. Several creators have several values. */
export type Rights = ReadonlyMap<RightsField, readonly string[]>

/** Maximum bytes of UTF-8 per field. The longest real notice in our samples has 300. */
const MAX_FIELD_BYTES = 1000
/** Maximum bytes of UTF-8 of all fields. The smallest images weigh less. */
const MAX_RIGHTS_BYTES = 4000

/** Blocks of metadata that a file can carry. */
export type RightsBlock = 'exif' | 'iptc' | 'xmp'

/** Only JPEG has IPTC IIM, and GIF has no Exif. */
const BLOCKS_OF: Readonly<Record<StillFormat, ReadonlySet<RightsBlock>>> = {
  jpeg: new Set(['exif', 'iptc', 'xmp']),
  png: new Set(['exif', 'xmp']),
  webp: new Set(['exif', 'xmp']),
  avif: new Set(['exif', 'xmp']),
  gif: new Set(['xmp']),
  jxl: new Set(['exif', 'xmp']),
}

/** Fields outside XMP: their block, and the XMP field of the same meaning (Metadata Working Group 2.0, section 5). */
const NON_XMP_FIELDS: readonly {
  readonly field: RightsField
  readonly block: Exclude<RightsBlock, 'xmp'>
  readonly inXmp: RightsField
}[] = [
  { field: 'artist', block: 'exif', inXmp: 'creator' },
  { field: 'copyright', block: 'exif', inXmp: 'rights' },
  { field: 'byLine', block: 'iptc', inXmp: 'creator' },
  { field: 'iptcCredit', block: 'iptc', inXmp: 'credit' },
  { field: 'notice', block: 'iptc', inXmp: 'rights' },
]

/** The same rights in the blocks that a format has. Fields without a block move to XMP, unless XMP has a value. */
export const rightsFor = (format: StillFormat, rights: Rights): Rights => {
  const moved = new Map(rights)
  for (const { field, block, inXmp } of NON_XMP_FIELDS) {
    const values = moved.get(field)
    if (values === undefined || BLOCKS_OF[format].has(block)) continue
    moved.delete(field)
    if (!moved.has(inXmp)) moved.set(inXmp, values)
  }
  return moved
}

const bytesOf = (values: readonly string[]): number => values.reduce((sum, value) => sum + Buffer.byteLength(value), 0)

/** The fields within both limits, the most important first, and the names of the others. */
export const limitRights = (rights: Rights): { readonly kept: Rights; readonly tooLong: readonly RightsField[] } => {
  const kept = new Map<RightsField, readonly string[]>()
  const tooLong: RightsField[] = []
  let total = 0
  for (const field of RIGHTS_FIELDS) {
    const values = rights.get(field)
    if (values === undefined) continue
    const bytes = bytesOf(values)
    if (bytes > MAX_FIELD_BYTES || total + bytes > MAX_RIGHTS_BYTES) {
      tooLong.push(field)
      continue
    }
    total += bytes
    kept.set(field, values)
  }
  return { kept, tooLong }
}

/** Removes control characters and surrounding space. */
export const cleanText = (text: string): string => text.replace(/\p{Cc}+/gu, ' ').trim()

/** Decodes text without a declared encoding: UTF-8 if it is valid, else Latin-1. */
export const textOfBytes = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return Buffer.from(bytes).toString('latin1')
  }
}
