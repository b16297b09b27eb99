import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { readMark } from '../containers/mark/mark.ts'
import { Failure, fail } from '../core/failure.ts'
import type { SourceFacts } from '../core/image.ts'
import { BUFFER_BYTES } from '../core/piece-bytes.ts'
import { lazily } from '../support/lazily.ts'
import { gunzipStart } from './identify/gunzip.ts'
import { type ByteReader, HEAD_BYTES, type HeaderFacts, readFileThrough } from './identify/reader.ts'
import { meaningOf } from './identify/signatures.ts'
import { readText } from './identify/text.ts'

const isGzip = (head: Buffer): boolean => head[0] === 0x1f && head[1] === 0x8b

const readZipped = async (reader: ByteReader): Promise<HeaderFacts> => {
  const start = await gunzipStart(await reader.at(0, BUFFER_BYTES), BUFFER_BYTES)
  try {
    return { ...readText(start), gzipped: true }
  } catch (error) {
    throw error instanceof Failure && error.code === 'NOT_AN_IMAGE' ? fail('NOT_AN_IMAGE', 'a gzip archive') : error
  }
}

const readHeader = async (reader: ByteReader): Promise<HeaderFacts> => {
  const head = Buffer.from(await reader.at(0, HEAD_BYTES))
  if (head.length === 0) throw fail('NOT_AN_IMAGE', 'an empty file')
  if (isGzip(head)) return readZipped(reader)
  const meaning = meaningOf(head)
  if (meaning === undefined) return readText(await reader.at(0, BUFFER_BYTES))
  if (meaning.kind === 'refuse') throw meaning.failure
  return meaning.read(reader)
}

/** The size of a file in bytes, and its first bytes. */
export interface KnownFile {
  readonly bytes: number
  readonly start: Buffer
}

/** The size of an open file in bytes. Fails with NOT_AN_IMAGE for a folder, a pipe or a device. */
const sizeOf = async (file: FileHandle): Promise<number> => {
  const found = await file.stat()
  if (!found.isFile()) throw fail('NOT_AN_IMAGE', found.isDirectory() ? 'a folder' : 'a pipe or device')
  return found.size
}

/**
 * Identifies a file by its content alone (§4.1): reads the header and decodes no pixel. Opens the file only for bytes outside of `known`.
 * Fails with NOT_AN_IMAGE, FORMAT_UNSUPPORTED, or SOURCE_DAMAGED when the header is broken or has no size. Does not check limits.
 */
export const identify = async (path: string, known?: KnownFile): Promise<SourceFacts> => {
  // Without waiting: a pipe that nothing writes to would hold a thread for ever.
  const opened = lazily(() => open(path, constants.O_RDONLY | constants.O_NONBLOCK))
  let handle: FileHandle | undefined
  const file = async (): Promise<FileHandle> => {
    handle = await opened()
    return handle
  }
  try {
    const size = known?.bytes ?? (await sizeOf(await file()))
    const reader = readFileThrough(file, size, known?.start)
    const header = await readHeader(reader)
    const mark = await readMark(header.format, reader)
    return { ...header, bytes: size, ...(mark === undefined ? {} : { mark }) }
  } finally {
    await handle?.close()
  }
}
