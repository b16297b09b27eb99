import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MINUTE_MS } from '../../core/units.ts'
import type { ByteRange, ResultMeta, Results } from '../../ports/results.ts'
import { makeTurns } from '../../support/in-turn.ts'
import { removeFile } from '../../support/remove.ts'
import { type LruEntry, type LruIndex, makeLruIndex, PROMISE_MS } from './lru-index.ts'
import { onDisk, openResultFile, storedBytes, writeResultFile } from './result-file.ts'
import { assertResultKey, isResultKey } from './result-key.ts'

export interface DiskResultsSettings {
  /** A directory without other files. Created if missing. */
  readonly directory: string
  /** Maximum bytes of all results, including those being written. */
  readonly maxBytes: number
  /** ms after which a result is removed, even if it is used. At least an hour (§5.1). */
  readonly maxAgeMs: number
  readonly now?: () => Date
}

/** The directory of a key: `ab` for `abcdef…`. 256 directories stay small. */
const shardOf = (key: string): string => key.slice(0, 2)

/** Creates the directories, and fails at start if files cannot be created in them. */
const makeDirectories = async (directory: string, spool: string): Promise<void> => {
  await mkdir(spool, { recursive: true, mode: 0o700 })
  const probe = join(spool, `${randomUUID()}.part`)
  await writeFile(probe, '')
  await removeFile(probe)
  await readdir(directory)
}

/** undefined for a file that was removed in the meantime. */
const statIfThere = (path: string) => stat(path).catch(() => undefined)

/** Reads the index, least recently used first. The modification time of a file is that of its last use. */
const readIndex = async (directory: string): Promise<LruIndex> => {
  const names = (await readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && isResultKey(entry.name))
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

/** Removes partial files of killed processes. Those of running ones are only seconds old. */
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

/** A directory of results with its spool directory and the index of its files. */
interface ResultDirectory {
  readonly directory: string
  readonly spool: string
  readonly index: LruIndex
  readonly now: () => Date
}

const pathIn = ({ directory }: ResultDirectory, key: string): string => join(directory, shardOf(key), key)

/** Keeps the directory below `maxBytes`. Changes index and disk together, one change after the other. */
const openCapacity = (results: ResultDirectory, maxBytes: number) => {
  const { index, now } = results
  const turns = makeTurns()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => turns('', work)
  let writing = 0
  const drop = async (key: string): Promise<void> => {
    index.drop(key)
    await removeFile(pathIn(results, key))
  }
  const evict = async (bytes: number): Promise<boolean> => {
    const evicted = index.evictionsFor({ bytes: writing + bytes, limit: maxBytes, now: now().getTime() })
    for (const { key } of evicted ?? []) await drop(key)
    return evicted !== undefined
  }
  return {
    inTurn,
    remove: (key: string): Promise<void> => inTurn(() => drop(key)),
    evict: (): Promise<boolean> => inTurn(() => evict(0)),
    /** Evicts results until `bytes` fit, then runs work that writes them. False, without running it, when they cannot fit. */
    withCapacity: async (bytes: number, work: () => Promise<void>): Promise<boolean> => {
      const isReserved = await inTurn(async () => {
        if (!(await evict(bytes))) return false
        writing += bytes
        return true
      })
      if (!isReserved) return false
      try {
        await work()
      } finally {
        writing -= bytes
      }
      return true
    },
  }
}

/** Writes the time of use of a result to the disk, at most once a minute, so that the order of use survives a restart. */
const openTouches = (results: ResultDirectory) => {
  const touched = new Map<string, number>()
  return async (key: string): Promise<void> => {
    const now = results.now()
    if (now.getTime() - (touched.get(key) ?? 0) < MINUTE_MS) return
    if (touched.size > 1000) touched.clear()
    touched.set(key, now.getTime())
    await utimes(pathIn(results, key), now, now).catch(() => undefined)
  }
}

const openBody = async (path: string, key: string, range: ByteRange | undefined): Promise<NodeJS.ReadableStream> => {
  const opened = await openResultFile(path, key)
  if (opened?.kind !== 'intact') throw new Error('This result was removed meanwhile.')
  // The stream has the file open, so a removal does not interrupt it.
  const { offset } = opened.header
  return opened.file.createReadStream(
    range === undefined ? { start: offset } : { start: offset + range.first, end: offset + range.last },
  )
}

/** Writes a result to the spool directory. `publish` then renames the complete file. */
const writeToSpool = async (
  { spool, now }: ResultDirectory,
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
 * Results as files in one directory, for one process. At the limit the least recently used result is evicted, but never a promised one
 * within its first hour: if only such are left, `put` returns false. Throws one plain sentence when the directory cannot be used.
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
  const results: ResultDirectory = { directory, spool, index, now }
  const capacity = openCapacity(results, maxBytes)
  const touch = openTouches(results)

  const remove: Results['remove'] = async (key) => {
    if (isResultKey(key)) await capacity.remove(key)
  }
  const sweep = async (): Promise<void> => {
    for (const { key } of index.expired(maxAgeMs, now().getTime())) await remove(key)
    await capacity.evict()
    await removeLeftovers(spool, Date.now())
  }
  const put: Results['put'] = async (key, body, meta) => {
    assertResultKey(key)
    const entry = entryOf(key, meta)
    return capacity.withCapacity(entry.bytes, () =>
      writeToSpool(results, { key, body, meta }, async (part) => {
        await mkdir(join(directory, shardOf(key)), { recursive: true, mode: 0o700 })
        await capacity.inTurn(async () => {
          await rename(part, pathIn(results, key))
          index.add(entry)
        })
      }),
    )
  }
  const get: Results['get'] = async (key) => {
    if (!isResultKey(key) || !index.has(key)) return undefined
    const path = pathIn(results, key)
    const opened = await openResultFile(path, key)
    if (opened === undefined) return undefined
    if (opened.kind === 'intact') await opened.file.close()
    if (opened.kind === 'corrupt' || now().getTime() - opened.header.meta.createdAt > maxAgeMs) {
      await remove(key)
      return undefined
    }
    const { meta } = opened.header
    // Sets the real age, which the index does not have after a restart. An entry that was just evicted must not return.
    if (index.has(key)) index.add(entryOf(key, meta))
    await touch(key)
    return { meta, open: (range) => openBody(path, key, range) }
  }

  await sweep()
  const timer = setInterval(() => void sweep().catch(() => undefined), 10 * MINUTE_MS).unref()
  return { put, get, remove, close: async () => clearInterval(timer) }
}
