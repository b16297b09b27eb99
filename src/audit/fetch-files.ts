/** Fetches files of a site or a folder into files on this machine, one at a time. */
import { lookup } from 'node:dns/promises'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join, relative, sep } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Failure, fail } from '../core/failure.ts'
import { fetchSource } from '../source/fetch.ts'
import { makeTurns } from '../support/in-turn.ts'
import { reasonOf } from './reason-of.ts'
import { MAX_ROBOTS_BYTES, type Robots, readRobots } from './robots.ts'

/** One file that was fetched. */
export interface FetchedFile extends AsyncDisposable {
  readonly path: string
  readonly bytes: number
  /** Its address after redirects. */
  readonly finalUrl: string
}

export interface FileSource {
  /** Fails with a {@link Failure}. */
  readonly fetch: (url: string) => Promise<FetchedFile>
  /** Whether the site's robots.txt allows an address. */
  readonly allows: (url: string) => Promise<boolean>
}

export interface SiteLimits {
  readonly directory: string
  /** Bytes of one file. */
  readonly maxFileBytes: number
  /** Bytes of all files together. */
  readonly maxTotalBytes: number
  /** ms between two requests to one host, unless robots.txt requires more. */
  readonly pauseMs: number
  /** Whether the host of the first address may be private. */
  readonly allowPrivate: boolean
  readonly signal: AbortSignal
}

const USER_AGENT = 'WhittleAudit'

/** Maximum ms of a pause that robots.txt requires, so that the time of an audit is bounded. */
const MAX_PAUSE_MS = 10_000

/** IP addresses of the host that the user named. It may be private, such as this machine. */
const rangesOf = async (hostname: string): Promise<readonly string[]> => {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const found = isIP(host) > 0 ? [{ address: host }] : await lookup(host, { all: true }).catch(() => [])
  return found.map(({ address }) => `${address}/${isIP(address) === 4 ? 32 : 128}`)
}

/**
 * Opens a site. Sends one request at a time, with a pause in between. The service's guard checks every address: only the host of the
 * first one may be private, and only with `allowPrivate`.
 */
export const openSite = async (start: URL, limits: SiteLimits): Promise<FileSource> => {
  const own = limits.allowPrivate ? await rangesOf(start.hostname) : []
  const robots = new Map<string, Promise<Robots>>()
  let total = 0
  const turns = makeTurns()
  let pause = 0

  const get = async (address: string, maxBytes: number): Promise<FetchedFile> => {
    const { host } = new URL(address)
    if (pause > 0) await wait(pause, undefined, { signal: limits.signal })
    pause = limits.pauseMs
    const remaining = limits.maxTotalBytes - total
    if (remaining <= 0) throw fail('SOURCE_TOO_HEAVY', limits.maxTotalBytes)
    const spooled = await fetchSource(address, {
      spoolDirectory: limits.directory,
      maxBytes: Math.min(maxBytes, remaining),
      signal: limits.signal,
      userAgent: USER_AGENT,
      allowPrivate: host === start.host ? own : [],
    })
    total += spooled.bytes
    return Object.assign(spooled, { finalUrl: spooled.finalUrl ?? address })
  }
  const inTurn = (address: string, maxBytes: number): Promise<FetchedFile> => turns('', () => get(address, maxBytes))
  const rulesOf = (origin: string) => {
    const known = robots.get(origin)
    if (known !== undefined) return known
    const address = `${origin}/robots.txt`
    const rules = (async () => {
      try {
        await using file = await inTurn(address, MAX_ROBOTS_BYTES)
        return readRobots(await readFile(file.path, 'utf8'), USER_AGENT)
      } catch (error) {
        // RFC 9309, section 2.3.1: a missing file allows everything, a failing server nothing.
        const isMissing = error instanceof Failure && ['SOURCE_NOT_FOUND', 'ORIGIN_FORBIDS'].includes(error.code)
        if (isMissing) return readRobots('', USER_AGENT)
        throw new Error(`its robots.txt cannot be read: ${reasonOf(error)}`)
      }
    })()
    robots.set(origin, rules)
    return rules
  }
  return {
    fetch: (address) => inTurn(address, limits.maxFileBytes),
    allows: async (address) => {
      const rules = await rulesOf(new URL(address).origin)
      pause = Math.min(MAX_PAUSE_MS, Math.max(pause, rules.pauseSeconds * 1000))
      return rules.allows(address)
    },
  }
}

/** Opens a folder as a site: `file:///a/b.png` is the file `a/b.png` below it. Reads no file outside of it, not even through links. */
export const openFolder = async (folder: string, maxFileBytes: number): Promise<FileSource> => {
  const root = await realpath(folder)
  const pathOf = async (url: string): Promise<string | undefined> => {
    try {
      const path = await realpath(join(root, fileURLToPath(new URL(url))))
      return relative(root, path).startsWith('..') ? undefined : path
    } catch {
      return undefined
    }
  }
  return {
    fetch: async (url) => {
      if (!url.startsWith('file:'))
        throw new Error('It lies on another site. Audit the address of the site to measure it.')
      const path = await pathOf(url)
      const found = path === undefined ? undefined : await stat(path)
      if (path === undefined || found?.isFile() !== true) throw new Error('There is no such file in the folder.')
      if (found.size > maxFileBytes) throw fail('SOURCE_TOO_HEAVY', maxFileBytes)
      return { path, bytes: found.size, finalUrl: url, [Symbol.asyncDispose]: async () => undefined }
    },
    allows: async () => true,
  }
}

/** Addresses of all pages below a folder, by name. Skips hidden folders and `node_modules`. */
export const pagesIn = async (folder: string): Promise<readonly string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && /\.x?html?$/i.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !path.split(sep).some((part) => part.startsWith('.') || part === 'node_modules'))
    .toSorted()
    .map((path) => pathToFileURL(`/${path}`).href)
}
