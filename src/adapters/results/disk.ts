import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { removeFile } from '../../core/remove.ts'
import type { ByteRange, ResultMeta, Results, StoredResult } from '../../ports/results.ts'
import { type LruEntry, type LruIndex, makeLruIndex, PROMISE_MS } from './lru-index.ts'
import { openResultFile, storedBytes, writeResultFile } from './result-file.ts'

export interface DiskResultsSettings {
  /** A directory of its own; made when it is not there. */
  readonly directory: string
  /** Most bytes of all results together, results being written included. */
  readonly maxBytes: number
  /** Ms after which a result is removed however often it is used; at least an hour (§5.1). */
  readonly maxAgeMs: number
  readonly now?: () => Date
}

const MINUTE = 60_000
const KEY = /^[0-9a-f]{32,128}$/

/** `ab/abcdef…`: 256 directories keep each of them small. */
const shardOf = (key: string): string => key.slice(0, 2)

/** Proves at start that files can be made, rather than at the first result. */
const makeDirectories = async (directory: string, spool: string): Promise<void> => {
  await mkdir(spool, { recursive: true, mode: 0o700 })
  const probe = join(spool, `${randomUUID()}.part`)
  await writeFile(probe, '')
  await removeFile(probe)
  await readdir(directory)
}

/** Ignores files that went away meanwhile: another process, or an eviction, was faster. */
const statIfThere = (path: string) => stat(path).catch(() => undefined)

/** What lies in the directory, least recently used first: the time of change of a file is that of its last use. */
const readShelf = async (directory: string): Promise<LruIndex> => {
  const names = (await readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && KEY.test(entry.name))
    .map((entry) => ({ key: entry.name, path: join(entry.parentPath, entry.name) }))
  const found = []
  for (const { key, path } of names) {
    const facts = await statIfThere(path)
    if (facts !== undefined) found.push({ key, bytes: facts.size, createdAt: facts.mtimeMs, promised: true })
  }
  const shelf = makeLruIndex()
  for (const entry of found.sort((a, b) => a.createdAt - b.createdAt)) shelf.add(entry)
  return shelf
}

/** Removes what a killed process was writing; what a live one writes is seconds old. */
const removeLeftovers = async (spool: string, now: number): Promise<void> => {
  for (const name of await readdir(spool)) {
    const facts = await statIfThere(join(spool, name))
    if (facts !== undefined && now - facts.mtimeMs > 10 * MINUTE) await removeFile(join(spool, name))
  }
}

const entryOf = (key: string, meta: ResultMeta): LruEntry => ({
  key,
  bytes: storedBytes(key, meta),
  createdAt: meta.createdAt,
  promised: meta.promised !== false,
})

type Queue = <T>(work: () => Promise<T>) => Promise<T>

/** Runs one piece of work after the other: what is in the index and what is on the disk change together. */
const makeQueue = (): Queue => {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work)
    last = mine.catch(() => undefined)
    return mine
  }
}

const explain = (directory: string, error: unknown): Error => {
  const why = error instanceof Error ? error.message : String(error)
  return new Error(
    `The directory for results "${directory}" cannot be used (${why}). Make it readable and writable for this user, or choose another data directory.`,
    { cause: error },
  )
}

/**
 * Results as files under one directory, for one process. At the limit the least recently used result goes first, but never one
 * that is promised and younger than an hour: when only such are left, `put` stores nothing and says so. Throws one
 * plain sentence when the directory cannot be used.
 */
export const openDiskResults = async (settings: DiskResultsSettings): Promise<Results> => {
  const { directory, maxBytes, maxAgeMs, now = () => new Date() } = settings
  if (maxAgeMs < PROMISE_MS) throw new Error('Results have to be kept for at least an hour.')
  const spool = join(directory, 'tmp')
  const present = () => now().getTime()
  const pathOf = (key: string) => join(directory, shardOf(key), key)
  const shelf = await makeDirectories(directory, spool)
    .then(() => readShelf(directory))
    .catch((error: unknown) => {
      throw explain(directory, error)
    })
  const inTurn = makeQueue()
  let writing = 0

  const drop = async (key: string): Promise<void> => {
    shelf.drop(key)
    await removeFile(pathOf(key))
  }
  const remove = async (key: string): Promise<void> => {
    if (KEY.test(key)) await inTurn(() => drop(key))
  }
  const evict = async (bytes: number): Promise<boolean> => {
    const going = shelf.makeRoom({ bytes: writing + bytes, limit: maxBytes, now: present() })
    for (const { key } of going ?? []) await drop(key)
    return going !== undefined
  }
  const sweep = async (): Promise<void> => {
    for (const { key } of shelf.expired(maxAgeMs, present())) await remove(key)
    await inTurn(() => evict(0))
    await removeLeftovers(spool, Date.now())
  }

  const write = async (key: string, body: string, meta: ResultMeta): Promise<void> => {
    const part = join(spool, `${randomUUID()}.part`)
    try {
      await writeResultFile(part, { key, body, meta })
      await utimes(part, now(), now())
      await mkdir(join(directory, shardOf(key)), { recursive: true, mode: 0o700 })
      await inTurn(async () => {
        await rename(part, pathOf(key))
        shelf.add(entryOf(key, meta))
      })
    } finally {
      await removeFile(part)
    }
  }

  const put: Results['put'] = async (key, path, meta) => {
    if (!KEY.test(key)) throw new Error(`"${key}" is not a key of at least 128 bits in hex.`)
    const { bytes } = entryOf(key, meta)
    const hasRoom = await inTurn(async () => {
      if (!(await evict(bytes))) return false
      writing += bytes
      return true
    })
    if (!hasRoom) return false
    try {
      await write(key, path, meta)
    } finally {
      writing -= bytes
    }
    return true
  }

  const touched = new Map<string, number>()
  /** Once a minute is enough to know after a restart what was used last. */
  const touch = async (key: string): Promise<void> => {
    if (present() - (touched.get(key) ?? 0) < MINUTE) return
    if (touched.size > 1000) touched.clear()
    touched.set(key, present())
    await utimes(pathOf(key), now(), now()).catch(() => undefined)
  }

  const openBody = async (key: string, range: ByteRange | undefined): Promise<NodeJS.ReadableStream> => {
    const opened = await openResultFile(pathOf(key), key)
    if (opened?.kind !== 'intact') throw new Error('This result was removed meanwhile.')
    // The stream owns the open file: a removal from now on does not take it away.
    const { offset } = opened.header
    return opened.file.createReadStream(
      range === undefined ? { start: offset } : { start: offset + range.first, end: offset + range.last },
    )
  }

  const get = async (key: string): Promise<StoredResult | undefined> => {
    if (!KEY.test(key)) return undefined
    const opened = await openResultFile(pathOf(key), key)
    if (opened === undefined) return undefined
    if (opened.kind === 'corrupt' || present() - opened.header.meta.createdAt > maxAgeMs) {
      if (opened.kind === 'intact') await opened.file.close()
      await remove(key)
      return undefined
    }
    await opened.file.close()
    const { meta } = opened.header
    // Of what was found at start only the file itself tells its age; what was evicted just now must not come back.
    if (shelf.has(key)) shelf.add(entryOf(key, meta))
    await touch(key)
    return { meta, open: (range) => openBody(key, range) }
  }

  await sweep()
  const timer = setInterval(() => void sweep().catch(() => undefined), 10 * MINUTE).unref()
  return { put, get, remove, close: async () => clearInterval(timer) }
}
