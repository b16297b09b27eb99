/** The coded image of an AVIF with one item, as libheif writes it (ISO/IEC 23008-12). */
import { HEADER_SIZES } from '../core/header-sizes.ts'
import type { Extent } from '../core/image.ts'
import { type FileBox, requireBox, requirePlain } from './isobmff.ts'

const openAvif = (file: Buffer) => {
  const meta = requireBox(file, { start: 0, end: file.length }, 'meta')
  const inside = { start: meta.start + HEADER_SIZES.fullBox, end: meta.end }
  const iloc = requireBox(file, inside, 'iloc')
  requirePlain(file, iloc)
  const items = iloc.start + HEADER_SIZES.fullBox + 2
  // Sizes of 4 bytes, one item, one extent.
  if (file.readUInt16BE(items - 2) !== 0x4440 || file.readUInt16BE(items) !== 1 || file.readUInt16BE(items + 10) !== 1)
    throw new Error('An AVIF with more than one item')
  const ipco = requireBox(file, requireBox(file, inside, 'iprp'), 'ipco')
  const start = file.readUInt32BE(items + 6) + file.readUInt32BE(items + 12)
  return { ipco, start, lengthAt: items + 16 }
}

/** The AV1 stream. Throws where there is more than one. */
export const codedOf = (avif: Uint8Array): Buffer => {
  const file = Buffer.from(avif.buffer, avif.byteOffset, avif.length)
  const { start, lengthAt } = openAvif(file)
  return file.subarray(start, start + file.readUInt32BE(lengthAt))
}

/** The same file with another AV1 stream of the same coding and any level. */
export const withCoded = (avif: Uint8Array, coded: Uint8Array, { width, height }: Extent): Buffer => {
  const file = Buffer.from(avif)
  const { ipco, start, lengthAt } = openAvif(file)
  const property = (name: string): FileBox => requireBox(file, ipco, name)
  const size = property('ispe').start + HEADER_SIZES.fullBox
  file.writeUInt32BE(width, size)
  file.writeUInt32BE(height, size + 4)
  // The second byte of av1C: three bits of the profile, five of the level.
  file[property('av1C').start + 1]! |= 31
  file.writeUInt32BE(coded.length, lengthAt)
  const data = requireBox(file, { start: 0, end: file.length }, 'mdat')
  file.writeUInt32BE(data.start - data.at + coded.length, data.at)
  if (data.start !== start) throw new Error('An AVIF with other data')
  return Buffer.concat([file.subarray(0, start), coded])
}
