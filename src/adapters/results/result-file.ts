import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { ResultMeta } from '../../ports/results.ts'
import { isResultMeta } from './is-result-meta.ts'

// A stored result is one file: a line with the layout's name, the length of the metadata in bytes, the metadata as JSON, the body.
// One file is created and removed atomically, so that no crash leaves a body without its metadata.

const MAGIC = 'whittle-result-1'
const PRELUDE_BYTES = MAGIC.length + 1 + 8 + 1
/** Maximum bytes of metadata. Real metadata has at most 8 Warnings of 200 bytes (§5.3) and a few short headers. */
export const MAX_STORED_META_BYTES = 64 * 1024

/** Header of a result file. The body begins at `offset`. */
export interface ResultHeader {
  readonly key: string
  readonly meta: ResultMeta
  readonly offset: number
}

const headerOf = (key: string, meta: ResultMeta): Buffer => {
  const json = Buffer.from(JSON.stringify({ key, meta }))
  return Buffer.concat([Buffer.from(`${MAGIC}\n${json.length.toString(16).padStart(8, '0')}\n`), json])
}

/** Bytes of a block of the file system: the default of ext4, XFS and Btrfs. */
const BLOCK_BYTES = 4096

/** Bytes that a file of `bytes` occupies on the disk. */
export const onDisk = (bytes: number): number => Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES

/** Bytes that a result occupies on the disk. */
export const storedBytes = (key: string, meta: ResultMeta): number => onDisk(headerOf(key, meta).length + meta.bytes)

/** Writes and syncs a result file to `path`. `body`: bytes, or the path of a file. Throws when it does not have `meta.bytes` bytes. */
export const writeResultFile = async (
  path: string,
  { key, body, meta }: { key: string; body: string | Uint8Array; meta: ResultMeta },
): Promise<void> => {
  const header = headerOf(key, meta)
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(header)
    await file.writeFile(typeof body === 'string' ? createReadStream(body) : body)
    const written = (await file.stat()).size - header.length
    if (written !== meta.bytes)
      throw new Error(`The result to store has ${written} bytes and not the ${meta.bytes} that were announced.`)
    await file.sync()
  } finally {
    await file.close()
  }
}

const readExactly = async (file: FileHandle, position: number, length: number): Promise<Buffer | undefined> => {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return bytesRead === length ? buffer : undefined
}

const parseHeader = (json: Buffer): { key: string; meta: ResultMeta } | undefined => {
  try {
    const { key, meta } = JSON.parse(json.toString()) as { key?: unknown; meta?: unknown }
    return typeof key === 'string' && isResultMeta(meta) ? { key, meta } : undefined
  } catch {
    return undefined
  }
}

const readHeader = async (file: FileHandle): Promise<ResultHeader | undefined> => {
  const prelude = (await readExactly(file, 0, PRELUDE_BYTES))?.toString('latin1')
  const length = Number.parseInt(prelude?.match(/^whittle-result-1\n([0-9a-f]{8})\n$/)?.[1] ?? '', 16)
  if (!(length <= MAX_STORED_META_BYTES)) return undefined
  const json = await readExactly(file, PRELUDE_BYTES, length)
  const header = json === undefined ? undefined : parseHeader(json)
  if (header === undefined) return undefined
  const offset = PRELUDE_BYTES + length
  return (await file.stat()).size === offset + header.meta.bytes ? { ...header, offset } : undefined
}

/** An existing result file. */
export type OpenedResult =
  | { readonly kind: 'intact'; readonly file: FileHandle; readonly header: ResultHeader }
  | { readonly kind: 'corrupt' }

/** Opens a result file. undefined when it does not exist. The caller closes `file`. */
export const openResultFile = async (path: string, key: string): Promise<OpenedResult | undefined> => {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (file === undefined) return undefined
  const header = await readHeader(file).catch(() => undefined)
  if (header?.key === key) return { kind: 'intact', file, header }
  await file.close()
  return { kind: 'corrupt' }
}
