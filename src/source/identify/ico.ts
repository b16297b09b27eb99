import { iconDirectoryBytes, largestIcon } from '../../containers/ico.ts'
import { fail } from '../../core/failure.ts'
import { readDib } from './bmp.ts'
import { readPng } from './png.ts'
import type { ByteReader, ReadHeader } from './reader.ts'

/** A part of a file as a file of its own. */
const within = (reader: ByteReader, start: number, size: number): ByteReader => ({
  size,
  at: (offset, length) => reader.at(start + offset, Math.max(0, Math.min(length, size - offset))),
  held: (offset, length) => reader.held(start + offset, Math.max(0, Math.min(length, size - offset))),
  near: (offset) => reader.at(start + offset, Math.max(0, Math.min(65_536, size - offset))),
})

const PNG = 0x89504e47

/** Icons and cursors: the largest image; the others are passed over. */
export const readIco: ReadHeader = async (reader) => {
  const head = Buffer.from(await reader.at(0, 6))
  const place = largestIcon(Buffer.from(await reader.at(0, iconDirectoryBytes(head))))
  if (place === undefined) throw fail('SOURCE_DAMAGED')
  const mark = await reader.at(place.start, 4)
  if (mark.length < 4) throw fail('SOURCE_DAMAGED')
  if (mark.readUInt32BE(0) !== PNG) return { format: 'ico', ...(await readDib(reader, place.start, 0.5)), alpha: true }
  const png = await readPng(within(reader, place.start, Math.min(place.bytes, reader.size - place.start)))
  return { ...png, format: 'ico', frames: 1 }
}
