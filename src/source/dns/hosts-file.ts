import { readFile, stat } from 'node:fs/promises'
import { isIP } from 'node:net'
import { RARE_CHECK_MS } from '../../core/intervals.ts'

/** Addresses by lower-case host name. */
export type Hosts = ReadonlyMap<string, readonly string[]>

/** Parses a hosts file: an address and its names on each line. `#` starts a comment. */
const parseHosts = (text: string): Hosts => {
  const hosts = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.split('#', 1)[0]!.trim().split(/\s+/)
    if (isIP(address) === 0) continue
    for (const name of names) {
      const key = name.toLowerCase()
      hosts.set(key, [...(hosts.get(key) ?? []), address])
    }
  }
  return hosts
}

/** Returns a function that looks a name up in this machine's hosts file. It reads the file again after a change. */
export const openHostsFile = (path = '/etc/hosts'): ((name: string) => Promise<readonly string[] | undefined>) => {
  let hosts: Hosts = new Map()
  let changedAt: number | undefined
  let checkedAt = Number.NEGATIVE_INFINITY
  const refresh = async (): Promise<void> => {
    checkedAt = performance.now()
    const { mtimeMs } = await stat(path)
    if (mtimeMs === changedAt) return
    hosts = parseHosts(await readFile(path, 'utf8'))
    changedAt = mtimeMs
  }
  return async (name) => {
    // Without a hosts file, only DNS is used.
    if (performance.now() - checkedAt > RARE_CHECK_MS) await refresh().catch(() => undefined)
    return hosts.get(name)
  }
}
