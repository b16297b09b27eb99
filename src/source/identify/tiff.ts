import { fail } from '../../core/failure.ts'
import { MAX_HEADER_ITEMS } from '../../core/untrusted-header.ts'
import { classifyProfile } from './icc.ts'
import { type Directory, openDirectory, orientationIn } from './ifd.ts'
import { type ByteReader, type ReadHeader, requireExtent } from './reader.ts'

const TAG = {
  subfileType: 0x00fe,
  width: 0x0100,
  height: 0x0101,
  bits: 0x0102,
  photometric: 0x0106,
  samples: 0x0115,
  extraSamples: 0x0152,
  profile: 0x8773,
} as const

/** Colour channels by PhotometricInterpretation: white or black is zero, RGB, palette, mask, CMYK, YCbCr. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 1: 1, 2: 3, 3: 3, 4: 1, 5: 4, 6: 3 }

/** Counts pages, without previews. */
const countPages = async (reader: ByteReader, first: Directory): Promise<number> => {
  let pages = 1
  // Directories may form a cycle, or overlap: more bytes of them than the file has are not read.
  const seen = new Set<number>([0])
  let left = reader.size
  for (let at = await first.next(); !seen.has(at) && seen.size < MAX_HEADER_ITEMS; ) {
    seen.add(at)
    const page = await openDirectory(reader, at).catch(() => undefined)
    left -= page?.size ?? 0
    if (page === undefined || left < 0) break
    const preview = (((await page.number(TAG.subfileType)) ?? 0) & 1) === 1
    if (!preview) pages++
    at = await page.next()
  }
  return pages
}

/** TIFF and BigTIFF: size and colours of the first page, and the page count. Fails with SOURCE_DAMAGED when it has no size. */
export const readTiff: ReadHeader = async (reader) => {
  const directory = await openDirectory(reader)
  if (directory === undefined) throw fail('SOURCE_DAMAGED')
  const number = async (tag: number): Promise<number> => (await directory.number(tag)) ?? 0
  const extent = requireExtent(await number(TAG.width), await number(TAG.height))
  const extra = await number(TAG.extraSamples)
  const profile = await directory.bytes(TAG.profile)
  return {
    format: 'tiff',
    ...extent,
    frames: await countPages(reader, directory),
    alpha: extra === 1 || extra === 2,
    orientation: await orientationIn(directory),
    profile: profile === undefined ? 'none' : classifyProfile(profile, CHANNELS[await number(TAG.photometric)] ?? 3),
    depth: (await number(TAG.bits)) || 1,
  }
}
