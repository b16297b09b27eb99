import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '../core/failure.ts'
import { removeFile } from '../core/remove.ts'
import { releaseChunk } from './batches.ts'
import type { Cacheability, Validators } from './cacheability.ts'

/** Spool files end like this, so that a start can tell what a crash left behind. */
const ENDING = '.source'

/** A source in a file that belongs to one request. Dispose of it when the request ends, however it ends. */
export interface Spooled extends AsyncDisposable {
  readonly path: string
  readonly bytes: number
  /** SHA-256 of the bytes, hex. */
  readonly digest: string
  readonly cacheability: Cacheability
  /** By which its server can tell whether it has changed. */
  readonly validators?: Validators
  /** Where the image was found after redirects, without user info; absent for uploads. */
  readonly finalUrl?: string
  /** What the client called its upload, as it was sent; absent for addresses and raw bodies. */
  readonly fileName?: string
  /** Removes the file. May be called again. */
  readonly dispose: () => Promise<void>
}

/** A file that chunks are added to, until its size is over the limit. */
export interface SpoolFile {
  readonly path: string
  readonly bytes: () => number
  /** Fails with SOURCE_TOO_HEAVY before more than the limit is written. */
  readonly add: (chunk: Uint8Array) => Promise<void>
  /** Forgets what was written so far. */
  readonly clear: () => Promise<void>
  readonly close: () => Promise<void>
  /** SHA-256 of what was written, hex; to be asked for once, at the end. */
  readonly digest: () => string
  /** Closes and removes the file; may be called again. */
  readonly discard: () => Promise<void>
}

const writeAll = async (handle: FileHandle, chunk: Uint8Array, position: number): Promise<void> => {
  let done = 0
  while (done < chunk.length) {
    const { bytesWritten } = await handle.write(chunk, done, chunk.length - done, position + done)
    done += bytesWritten
  }
}

/** Makes a new file, and its directory where that is not there any more. */
const openIn = async (directory: string, path: string): Promise<FileHandle> => {
  try {
    return await open(path, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await mkdir(directory, { recursive: true, mode: 0o700 })
    return await open(path, 'wx', 0o600)
  }
}

/** Opens an empty spool file of an unguessable name, readable by nobody else. */
const openSpoolFile = async (directory: string, maxBytes: number): Promise<SpoolFile> => {
  const path = join(directory, `${randomUUID()}${ENDING}`)
  const handle = await openIn(directory, path)
  let bytes = 0
  // Of the bytes as they come: to read the file again for it costs more than the hash.
  let hash = createHash('sha256')
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= handle.close()
    return closing
  }
  return {
    path,
    bytes: () => bytes,
    add: async (chunk) => {
      if (bytes + chunk.length > maxBytes) throw fail('SOURCE_TOO_HEAVY', maxBytes)
      hash.update(chunk)
      await writeAll(handle, chunk, bytes)
      bytes += chunk.length
    },
    clear: async () => {
      bytes = 0
      hash = createHash('sha256')
      await handle.truncate(0)
    },
    close,
    digest: () => hash.digest('hex'),
    discard: async () => {
      await close().catch(() => undefined)
      await removeFile(path)
    },
  }
}

/** Runs `fill` on a new spool file and hands the file over when that succeeds; whatever goes wrong, the file is removed. */
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

/** Writes all chunks to a spool file; each is released then. */
export const pour = async (chunks: AsyncIterable<Uint8Array>, file: SpoolFile): Promise<void> => {
  for await (const chunk of chunks) {
    await file.add(chunk)
    releaseChunk(chunk)
  }
}

/** Removes spool files that an earlier run left behind when it was killed; for the start, before anything is spooled. */
export const sweepSpool = async (directory: string): Promise<number> => {
  const names = await readdir(directory).catch((): string[] => [])
  const left = names.filter((name) => name.endsWith(ENDING))
  for (const name of left) await removeFile(join(directory, name))
  return left.length
}
