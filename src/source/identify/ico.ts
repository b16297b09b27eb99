import { iconDirectoryBytes, largestIcon } from '../../containers/ico.ts'
import { PNG_SIGNATURE } from '../../containers/png.ts'
import { fail } from '../../core/failure.ts'
import { readDib } from './bmp.ts'
import { readPng } from './png.ts'
import type { ByteReader, ReadHeader } from './reader.ts'

/** A reader of a part of a file. */
const within = (reader: ByteReader, start: number, size: number): ByteReader => ({
  size,
  at: (offset, length) => reader.at(start + offset, Math.max(0, Math.min(length, size - offset))),
  held: (offset, length) => reader.held(start + offset, Math.max(0, Math.min(length, size - offset))),
  near: (offset) => reader.at(start + offset, Math.max(0, Math.min(65_536, size - offset))),
})

/** Icons and cursors: the largest image. The others are ignored. */
export const readIco: ReadHeader = async (reader) => {
  const head = Buffer.from(await reader.at(0, 6))
  const entry = largestIcon(Buffer.from(await reader.at(0, iconDirectoryBytes(head))))
  if (entry === undefined) throw fail('SOURCE_DAMAGED')
  const mark = await reader.at(entry.start, 4)
  if (mark.length < 4) throw fail('SOURCE_DAMAGED')
  if (!mark.subarray(0, 4).equals(PNG_SIGNATURE.subarray(0, 4)))
    return { format: 'ico', ...(await readDib(reader, entry.start, 0.5)), alpha: true }
  const png = await readPng(within(reader, entry.start, Math.min(entry.bytes, reader.size - entry.start)))
  return { ...png, format: 'ico', frames: 1 }
}
