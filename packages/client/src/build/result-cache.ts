import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeWhole } from './write-whole.ts'

/** A result as it was kept. */
export interface KeptResult {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly contentType: string
  readonly warnings: readonly string[]
  readonly score?: number
  readonly butteraugli?: number
  /** Of a source that was asked for by address: how it may be cached, as its server says. */
  readonly cacheControl?: string
  /** ms since 1970 */
  readonly savedAt: number
}

/** Results on disk, by what they are made of. A directory that cannot be written to costs the cache, never the build. */
export interface ResultCache {
  readonly get: (key: string) => Promise<KeptResult | undefined>
  readonly put: (key: string, result: KeptResult) => Promise<void>
}

/** Another number leaves alone what older versions kept. */
const LAYOUT = 1

/** Of content, in hex. */
export const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** The key of an image's content (or address) with an option list. */
export const keyOf = (source: Uint8Array | string, options: string): string =>
  createHash('sha256')
    .update(`${LAYOUT}\0${options}\0${typeof source === 'string' ? `address\0${source}` : digestOf(source)}`)
    .digest('hex')

/** One line of JSON, then the bytes. */
const written = ({ bytes, ...told }: KeptResult): Uint8Array =>
  Buffer.concat([Buffer.from(`${JSON.stringify({ ...told, digest: digestOf(bytes) })}\n`), bytes])

/** Undefined where the file is not whole. */
const readBack = (file: Uint8Array<ArrayBuffer>): KeptResult | undefined => {
  const end = file.indexOf(0x0a)
  const bytes = file.subarray(end + 1)
  try {
    const { digest, ...told } = JSON.parse(Buffer.from(file.subarray(0, end)).toString()) as { digest: string }
    return digest === digestOf(bytes) ? ({ ...told, bytes } as KeptResult) : undefined
  } catch {
    return undefined
  }
}

/** Results in a directory, one file each, written whole or not at all. */
export const openResultCache = (directory: string): ResultCache => {
  const pathOf = (key: string): string => join(directory, key.slice(0, 2), key.slice(2))
  return {
    get: async (key) => {
      const file = await readFile(pathOf(key)).catch(() => undefined)
      return file === undefined ? undefined : readBack(file)
    },
    put: async (key, result) => {
      try {
        await writeWhole(pathOf(key), written(result))
      } catch {
        // A disk that is full or read-only: the next build asks again.
      }
    },
  }
}

/** Keeps nothing. */
export const NO_CACHE: ResultCache = { get: async () => undefined, put: async () => undefined }
