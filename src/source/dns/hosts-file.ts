import { readFile, stat } from 'node:fs/promises'
import { isIP } from 'node:net'

/** Addresses by host name in small letters. */
export type Hosts = ReadonlyMap<string, readonly string[]>

/** ms between two looks at whether the file has changed. */
const LOOK_EVERY_MS = 5_000

/** Reads the lines of a hosts file: an address, then the names it has; `#` begins a comment. */
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

/** Looks names up in the hosts file of this machine, which is read again when it has changed. */
export const openHostsFile = (path = '/etc/hosts'): ((name: string) => Promise<readonly string[] | undefined>) => {
  let hosts: Hosts = new Map()
  let changedAt: number | undefined
  let lookedAt = Number.NEGATIVE_INFINITY
  const look = async (): Promise<void> => {
    lookedAt = performance.now()
    const { mtimeMs } = await stat(path)
    if (mtimeMs === changedAt) return
    hosts = parseHosts(await readFile(path, 'utf8'))
    changedAt = mtimeMs
  }
  return async (name) => {
    // Without the file there is DNS.
    if (performance.now() - lookedAt > LOOK_EVERY_MS) await look().catch(() => undefined)
    return hosts.get(name)
  }
}
