import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '../core/failure.ts'
import { BUFFER_BYTES, PIECE_BYTES } from '../core/piece-bytes.ts'
import { releaseBuffer } from '../support/release-buffer.ts'
import { removeFile } from '../support/remove.ts'
import type { Cacheability, Validators } from './cacheability.ts'

/** Suffix of spool files. At start, files with it are leftovers of a crash. */
const SUFFIX = '.source'

/** A source in a file that belongs to one request. Dispose of it when the request ends. */
export interface Spooled extends AsyncDisposable {
  readonly path: string
  readonly bytes: number
  /** The first bytes, at most 64 kB, enough to identify most files. Empty in a copy. */
  readonly start: Buffer
  /** SHA-256 of the bytes, hex. */
  readonly digest: string
  readonly cacheability: Cacheability
  /** Validators for a conditional fetch. */
  readonly validators?: Validators
  /** The image's address after redirects, without user info. Absent for uploads. */
  readonly finalUrl?: string
  /** The file name that the client sent with its upload. Absent for addresses and raw bodies. */
  readonly fileName?: string
  /** Removes the file. Idempotent. */
  readonly dispose: () => Promise<void>
}

/** A file that chunks are appended to, up to a size limit. */
export interface SpoolFile {
  readonly path: string
  readonly bytes: () => number
  /** Appends a chunk and owns it from then on. Fails with SOURCE_TOO_HEAVY if the file would exceed the limit. */
  readonly add: (chunk: Uint8Array) => Promise<void>
  /** Discards all bytes so far. */
  readonly clear: () => Promise<void>
  /** Writes all chunks and closes the file. */
  readonly close: () => Promise<void>
  /** The first bytes, at most 64 kB. */
  readonly start: () => Buffer
  /** SHA-256 of all bytes in hex. Call it once, at the end. */
  readonly digest: () => string
  /** Closes and removes the file. Idempotent. */
  readonly discard: () => Promise<void>
}

const writeAll = async (handle: FileHandle, chunk: Uint8Array, position: number): Promise<void> => {
  let done = 0
  while (done < chunk.length) {
    const { bytesWritten } = await handle.write(chunk, done, chunk.length - done, position + done)
    done += bytesWritten
  }
}

/** Creates a file, and its directory if it was removed. */
const openIn = async (directory: string, path: string): Promise<FileHandle> => {
  try {
    return await open(path, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await mkdir(directory, { recursive: true, mode: 0o700 })
    return await open(path, 'wx', 0o600)
  }
}

/** Opens an empty spool file with a random name, readable only by this user. */
const openSpoolFile = async (directory: string, maxBytes: number): Promise<SpoolFile> => {
  const path = join(directory, `${randomUUID()}${SUFFIX}`)
  const handle = await openIn(directory, path)
  let bytes = 0
  // Hashing chunks as they arrive costs less than reading the file again.
  let hash = createHash('sha256')
  let start = Buffer.alloc(0)
  // Each write switches threads, so small chunks are collected first.
  let held: Uint8Array[] = []
  let written = 0
  const flush = async (): Promise<void> => {
    const chunks = held
    held = []
    if (chunks.length === 0) return
    const all = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
    if (written === 0) start = Buffer.from(all.subarray(0, PIECE_BYTES))
    await writeAll(handle, all, written)
    written += all.length
    for (const one of new Set([...chunks, all])) releaseBuffer(one)
  }
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= handle.close()
    return closing
  }
  return {
    path,
    bytes: () => bytes,
    start: () => start,
    add: async (chunk) => {
      if (bytes + chunk.length > maxBytes) throw fail('SOURCE_TOO_HEAVY', maxBytes)
      if (chunk.length === 0) return
      hash.update(chunk)
      held.push(chunk)
      bytes += chunk.length
      if (bytes - written >= BUFFER_BYTES) await flush()
    },
    clear: async () => {
      held = []
      start = Buffer.alloc(0)
      bytes = 0
      written = 0
      hash = createHash('sha256')
      await handle.truncate(0)
    },
    close: async () => {
      await flush()
      await close()
    },
    digest: () => hash.digest('hex'),
    discard: async () => {
      await close().catch(() => undefined)
      await removeFile(path)
    },
  }
}

/** Runs `fill` on a new spool file and returns the file. Removes the file on any failure. */
export const spool = async (
  limits: { readonly spoolDirectory: string; readonly maxBytes: number },
  fill: (file: SpoolFile) => Promise<Pick<Spooled, 'cacheability' | 'validators' | 'finalUrl' | 'fileName'>>,
): Promise<Spooled> => {
  const file = await openSpoolFile(limits.spoolDirectory, limits.maxBytes)
  try {
    const origin = await fill(file)
    await file.close()
    return {
      path: file.path,
      bytes: file.bytes(),
      start: file.start(),
      digest: file.digest(),
      ...origin,
      dispose: file.discard,
      [Symbol.asyncDispose]: file.discard,
    }
  } catch (error) {
    await file.discard()
    throw error
  }
}

/** Appends all chunks to a spool file, which owns them from then on. */
export const pour = async (chunks: AsyncIterable<Uint8Array>, file: SpoolFile): Promise<void> => {
  for await (const chunk of chunks) await file.add(chunk)
}

/** Removes spool files of killed processes, and returns their number. Call it at start, before the first source arrives. */
export const sweepSpool = async (directory: string): Promise<number> => {
  const names = await readdir(directory).catch((): string[] => [])
  const leftovers = names.filter((name) => name.endsWith(SUFFIX))
  for (const name of leftovers) await removeFile(join(directory, name))
  return leftovers.length
}
