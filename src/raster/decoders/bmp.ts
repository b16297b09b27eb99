import { readFile } from 'node:fs/promises'
import { readDibHeader } from '../../containers/dib.ts'
import { HEADER_SIZES } from '../../core/header-sizes.ts'
import { type ForeignDecoder, requirePixels } from './decoder.ts'
import { readDibPixels } from './dib.ts'

/** BMP of Windows and OS/2: palettes, run-length coding, bit fields, 24 and 32 bits. */
export const decodeBmp: ForeignDecoder = async (source) => {
  const file = await readFile(source.path)
  const dib = file.subarray(HEADER_SIZES.bmpFile)
  const header = readDibHeader(dib)
  if (header === undefined) throw new Error('BMP: no header')
  const { width, height } = header
  requirePixels(width, height, source)
  const { data, truncated } = readDibPixels(dib, file.subarray(file.readUInt32LE(10)), header)
  return { width, height, channels: 4, data, colours: { kind: 'srgb' }, truncated }
}
