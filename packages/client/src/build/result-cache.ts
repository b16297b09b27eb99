import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeAtomically } from './write-atomically.ts'

/** A result in the cache. */
export interface CachedResult {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly contentType: string
  readonly warnings: readonly string[]
  readonly score?: number
  readonly butteraugli?: number
  /** `Cache-Control` of the result; present only for a source with an address. */
  readonly cacheControl?: string
  /** Time of storage in ms since 1970. */
  readonly savedAt: number
}

/** Stores results by key. Never fails: without a writable directory it stores nothing. */
export interface ResultCache {
  /** Returns undefined if the cache has no intact result for the key. */
  readonly get: (key: string) => Promise<CachedResult | undefined>
  readonly put: (key: string, result: CachedResult) => Promise<void>
}

/** Version of the file format, part of every key. A new number makes old files unreachable. */
const LAYOUT = 1

/** Returns the SHA-256 of bytes in hex. */
export const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Returns the cache key for the content or the address of an image, and an option list. */
export const keyOf = (source: Uint8Array | string, options: string): string =>
  createHash('sha256')
    .update(`${LAYOUT}\0${options}\0${typeof source === 'string' ? `address\0${source}` : digestOf(source)}`)
    .digest('hex')

/** Encodes a result as a file: one line of JSON, then the bytes. */
const encode = ({ bytes, ...facts }: CachedResult): Uint8Array =>
  Buffer.concat([Buffer.from(`${JSON.stringify({ ...facts, digest: digestOf(bytes) })}\n`), bytes])

/** Decodes a file of {@link encode}. Returns undefined if it is damaged. */
const decode = (file: Uint8Array<ArrayBuffer>): CachedResult | undefined => {
  const end = file.indexOf(0x0a)
  const bytes = file.subarray(end + 1)
  try {
    const { digest, ...facts } = JSON.parse(Buffer.from(file.subarray(0, end)).toString()) as { digest: string }
    return digest === digestOf(bytes) ? ({ ...facts, bytes } as CachedResult) : undefined
  } catch {
    return undefined
  }
}

/** Opens a cache in a directory, with one file per result. It never reads a partly written file. */
export const openResultCache = (directory: string): ResultCache => {
  const pathOf = (key: string): string => join(directory, key.slice(0, 2), key.slice(2))
  return {
    get: async (key) => {
      const file = await readFile(pathOf(key)).catch(() => undefined)
      return file === undefined ? undefined : decode(file)
    },
    put: async (key, result) => {
      try {
        await writeAtomically(pathOf(key), encode(result))
      } catch {
        // The disk is full or read-only. The next build requests the result again.
      }
    },
  }
}

/** A cache that stores nothing. */
export const NO_CACHE: ResultCache = { get: async () => undefined, put: async () => undefined }
