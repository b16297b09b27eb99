import { MAX_HEADER_ITEMS } from '../../core/untrusted-header.ts'
import type { ByteReader } from './reader.ts'

/** A box of an ISO base media file: its name and the range of its content in bytes. */
export interface MediaBox {
  readonly name: string
  readonly start: number
  readonly end: number
}

/** The boxes between two offsets. Ends without an error at the first thing that is no box. */
export async function* boxesIn(reader: ByteReader, start: number, end: number): AsyncGenerator<MediaBox> {
  let offset = start
  for (let count = 0; count < MAX_HEADER_ITEMS && offset + 8 <= end; count++) {
    const head = await reader.at(offset, 16)
    if (head.length < 8) return
    const claimed = head.readUInt32BE(0)
    const wide = claimed === 1
    if (wide && head.length < 16) return
    // A size of 0 means the rest of the file. A size of 1 means that 64 bits after the name hold it.
    const size = claimed === 0 ? end - offset : wide ? Number(head.readBigUInt64BE(8)) : claimed
    const header = wide ? 16 : 8
    if (size < header) return
    yield { name: head.toString('latin1', 4, 8), start: offset + header, end: Math.min(offset + size, end) }
    offset += size
  }
}

/** The first box of a path such as `moov/trak`. undefined when there is none. */
export const findBox = async (reader: ByteReader, path: readonly string[]): Promise<MediaBox | undefined> => {
  let within: MediaBox = { name: '', start: 0, end: reader.size }
  for (const name of path) {
    let found: MediaBox | undefined
    for await (const box of boxesIn(reader, within.start, within.end)) {
      if (box.name === name) {
        found = box
        break
      }
    }
    if (found === undefined) return undefined
    within = found
  }
  return within
}
