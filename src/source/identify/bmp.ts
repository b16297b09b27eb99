import { readDibHeader } from '../../containers/dib.ts'
import { fail } from '../../core/failure.ts'
import { HEADER_SIZES } from '../../core/header-sizes.ts'
import { type ByteReader, exactly, type HeaderFacts, type ReadHeader, requireExtent } from './reader.ts'

/** Reads a bitmap header at an offset. `share` is the fraction of the height that is image; in icons the rest is a mask. */
export const readDib = async (reader: ByteReader, offset: number, share = 1): Promise<Omit<HeaderFacts, 'format'>> => {
  await exactly(reader, offset, 16)
  const header = readDibHeader(Buffer.from(await reader.at(offset, HEADER_SIZES.dib)))
  if (header === undefined) throw fail('FORMAT_UNSUPPORTED', 'a bitmap of a rare kind')
  const { width, height, bits, masks } = header
  return {
    ...requireExtent(width, Math.floor(height * share)),
    frames: 1,
    alpha: masks.alpha.max > 0,
    orientation: 1,
    profile: 'none',
    depth: Math.min(bits, 8),
  }
}

/** BMP of Windows and OS/2. Fails with SOURCE_DAMAGED, or with FORMAT_UNSUPPORTED for an embedded JPEG, PNG or fax image. */
export const readBmp: ReadHeader = async (reader) => {
  const facts = await readDib(reader, HEADER_SIZES.bmpFile)
  // Run-length coding may leave pixels undefined.
  return { format: 'bmp', ...facts, alpha: facts.alpha || facts.depth === 8 || facts.depth === 4 }
}
