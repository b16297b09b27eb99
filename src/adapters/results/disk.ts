import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MINUTE_MS } from '../../core/units.ts'
import type { ByteRange, ResultMeta, Results } from '../../ports/results.ts'
import { makeTurns } from '../../support/in-turn.ts'
import { removeFile } from '../../support/remove.ts'
import { type LruEntry, type LruIndex, makeLruIndex, PROMISE_MS } from './lru-index.ts'
import { onDisk, openResultFile, storedBytes, writeResultFile } from './result-file.ts'

export interface DiskResultsSettings {
  /** A directory of its own; made when it is not there. */
  readonly directory: string
  /** Most bytes of all results together, results being written included. */
  readonly maxBytes: number
  /** Ms after which a result is removed however often it is used; at least an hour (§5.1). */
  readonly maxAgeMs: number
  readonly now?: () => Date
}

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

/** Files of the directory, least recently used first. A file's time of change is that of its last use. */
const readIndex = async (directory: string): Promise<LruIndex> => {
  const names = (await readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && KEY.test(entry.name))
    .map((entry) => ({ key: entry.name, path: join(entry.parentPath, entry.name) }))
  const found = []
  for (const { key, path } of names) {
    const facts = await statIfThere(path)
    if (facts !== undefined) found.push({ key, bytes: onDisk(facts.size), createdAt: facts.mtimeMs, promised: true })
  }
  const index = makeLruIndex()
  for (const entry of found.sort((a, b) => a.createdAt - b.createdAt)) index.add(entry)
  return index
}

/** Removes what a killed process was writing; what a live one writes is seconds old. */
const removeLeftovers = async (spool: string, now: number): Promise<void> => {
  for (const name of await readdir(spool)) {
    const facts = await statIfThere(join(spool, name))
    if (facts !== undefined && now - facts.mtimeMs > 10 * MINUTE_MS) await removeFile(join(spool, name))
  }
}

const entryOf = (key: string, meta: ResultMeta): LruEntry => ({
  key,
  bytes: storedBytes(key, meta),
  createdAt: meta.createdAt,
  promised: meta.promised !== false,
})

const explain = (directory: string, error: unknown): Error => {
  const why = error instanceof Error ? error.message : String(error)
  return new Error(
    `The directory for results "${directory}" cannot be used (${why}). Make it readable and writable for this user, or choose another data directory.`,
    { cause: error },
  )
}

/** Folders of one directory of results, and the index of its files. */
interface Place {
  readonly directory: string
  readonly spool: string
  readonly index: LruIndex
  readonly now: () => Date
}

const pathIn = ({ directory }: Place, key: string): string => join(directory, shardOf(key), key)

/** Changes the index and the disk together, one change after the other. */
const openRoom = (place: Place, maxBytes: number) => {
  const { index, now } = place
  const turns = makeTurns()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => turns('', work)
  let writing = 0
  const drop = async (key: string): Promise<void> => {
    index.drop(key)
    await removeFile(pathIn(place, key))
  }
  const evict = async (bytes: number): Promise<boolean> => {
    const going = index.makeRoom({ bytes: writing + bytes, limit: maxBytes, now: now().getTime() })
    for (const { key } of going ?? []) await drop(key)
    return going !== undefined
  }
  return {
    inTurn,
    remove: (key: string): Promise<void> => inTurn(() => drop(key)),
    evict: (): Promise<boolean> => inTurn(() => evict(0)),
    /** Runs work that writes `bytes`, after evicting as many. Returns false without running it when that is not possible. */
    withRoom: async (bytes: number, work: () => Promise<void>): Promise<boolean> => {
      const hasRoom = await inTurn(async () => {
        if (!(await evict(bytes))) return false
        writing += bytes
        return true
      })
      if (!hasRoom) return false
      try {
        await work()
      } finally {
        writing -= bytes
      }
      return true
    },
  }
}

/** Notes on the disk when a result was used; once a minute is enough to know after a restart what was used last. */
const openTouches = (place: Place) => {
  const touched = new Map<string, number>()
  return async (key: string): Promise<void> => {
    const now = place.now()
    if (now.getTime() - (touched.get(key) ?? 0) < MINUTE_MS) return
    if (touched.size > 1000) touched.clear()
    touched.set(key, now.getTime())
    await utimes(pathIn(place, key), now, now).catch(() => undefined)
  }
}

const openBody = async (path: string, key: string, range: ByteRange | undefined): Promise<NodeJS.ReadableStream> => {
  const opened = await openResultFile(path, key)
  if (opened?.kind !== 'intact') throw new Error('This result was removed meanwhile.')
  // The stream owns the open file: a removal from now on does not take it away.
  const { offset } = opened.header
  return opened.file.createReadStream(
    range === undefined ? { start: offset } : { start: offset + range.first, end: offset + range.last },
  )
}

/** Writes a result to the spool. `publish` then moves the whole file to its name. */
const writeAside = async (
  { spool, now }: Place,
  result: Parameters<typeof writeResultFile>[1],
  publish: (part: string) => Promise<void>,
): Promise<void> => {
  const part = join(spool, `${randomUUID()}.part`)
  try {
    await writeResultFile(part, result)
    await utimes(part, now(), now())
    await publish(part)
  } catch (error) {
    await removeFile(part)
    throw error
  }
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
  const index = await makeDirectories(directory, spool)
    .then(() => readIndex(directory))
    .catch((error: unknown) => {
      throw explain(directory, error)
    })
  const place: Place = { directory, spool, index, now }
  const room = openRoom(place, maxBytes)
  const touch = openTouches(place)

  const remove: Results['remove'] = async (key) => {
    if (KEY.test(key)) await room.remove(key)
  }
  const sweep = async (): Promise<void> => {
    for (const { key } of index.expired(maxAgeMs, now().getTime())) await remove(key)
    await room.evict()
    await removeLeftovers(spool, Date.now())
  }
  const put: Results['put'] = async (key, body, meta) => {
    if (!KEY.test(key)) throw new Error(`"${key}" is not a key of at least 128 bits in hex.`)
    const entry = entryOf(key, meta)
    return room.withRoom(entry.bytes, () =>
      writeAside(place, { key, body, meta }, async (part) => {
        await mkdir(join(directory, shardOf(key)), { recursive: true, mode: 0o700 })
        await room.inTurn(async () => {
          await rename(part, pathIn(place, key))
          index.add(entry)
        })
      }),
    )
  }
  const get: Results['get'] = async (key) => {
    if (!KEY.test(key)) return undefined
    if (!index.has(key)) return undefined
    const path = pathIn(place, key)
    const opened = await openResultFile(path, key)
    if (opened === undefined) return undefined
    if (opened.kind === 'intact') await opened.file.close()
    if (opened.kind === 'corrupt' || now().getTime() - opened.header.meta.createdAt > maxAgeMs) {
      await remove(key)
      return undefined
    }
    const { meta } = opened.header
    // The index of start does not know the age of a file. An entry that was just evicted must not come back.
    if (index.has(key)) index.add(entryOf(key, meta))
    await touch(key)
    return { meta, open: (range) => openBody(path, key, range) }
  }

  await sweep()
  const timer = setInterval(() => void sweep().catch(() => undefined), 10 * MINUTE_MS).unref()
  return { put, get, remove, close: async () => clearInterval(timer) }
}
