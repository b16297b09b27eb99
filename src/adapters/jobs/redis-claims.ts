import { randomUUID } from 'node:crypto'
import { CHECK_MS } from '../../core/intervals.ts'
import type { Claims } from '../../ports/jobs.ts'
import type { NodeEvents } from './node-events.ts'
import type { RedisLink } from './redis.ts'
import type { Seal } from './seal.ts'

/** ms after which the claims of a silent node expire. Another node then takes over within 5 s. */
const LEASE_MS = 3500
/** ms between signs of life: four fit into a lease. */
const RENEW_MS = 800
/** Value of a key that was released less than a lease ago. */
const FREE = 'free'
/** Minimum ms since any node held a key that Redis does not have. A node that died may have worked until its next renewal. */
const UNHELD_MS = LEASE_MS - RENEW_MS

/** Atomically acquires or renews a key, unless another node has it. */
const ACQUIRE = `
local owner = redis.call('get', KEYS[1])
if owner and owner ~= ARGV[1] and owner ~= '${FREE}' then return 0 end
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`

/** Releases a key, whose value is FREE for a lease, and publishes that on a channel. */
const RELEASE = `
if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('set', KEYS[1], '${FREE}', 'PX', ARGV[2]) end
return redis.call('publish', ARGV[3], ARGV[4])`

export interface RedisClaims extends Claims {
  /** Releases all claims, so that other nodes need not wait for their expiry. */
  readonly close: () => Promise<void>
}

export interface RedisClaimsSettings {
  readonly events: NodeEvents
  readonly prefix: string
  readonly seal: Seal
}

/** Claims as keys of Redis that expire when their node dies. While Redis is away, every claim is granted. */
export const openRedisClaims = (link: RedisLink, { events, prefix, seal }: RedisClaimsSettings): RedisClaims => {
  const node: string = randomUUID()
  const held = new Map<string, number>()
  const nameOf = (key: string): string => `${prefix}claim:${key}`

  const acquire = (key: string): Promise<boolean> =>
    link.ask(async (client) => (await client.eval(ACQUIRE, 1, nameOf(key), node, LEASE_MS)) === 1)
  /**
   * Acquires a key. Returns the ms since any node held it, or undefined while another node has it. One command for a key that Redis does
   * not have, which is the usual case. The script also accepts released keys, and claims that this node could not release.
   */
  const acquireNew = (key: string): Promise<number | undefined> =>
    link.ask(async (client) => {
      if ((await client.set(nameOf(key), node, 'PX', LEASE_MS, 'NX')) === 'OK') return UNHELD_MS
      return (await client.eval(ACQUIRE, 1, nameOf(key), node, LEASE_MS)) === 1 ? 0 : undefined
    })
  const free = async (key: string): Promise<void> => {
    await link.ask((client) => client.eval(RELEASE, 1, nameOf(key), node, LEASE_MS, events.channel, key))
  }
  const release = async (key: string): Promise<void> => {
    const count = (held.get(key) ?? 1) - 1
    if (count > 0) {
      held.set(key, count)
      return
    }
    held.delete(key)
    // A key that cannot be released expires by itself.
    await free(key).catch(() => undefined)
  }
  const renew = (): void => {
    for (const key of held.keys()) void acquire(key).catch(() => undefined)
  }
  const timer = setInterval(renew, RENEW_MS).unref()

  const claim: Claims['claim'] = async (plain) => {
    const key = seal.name(`claim ${plain}`)
    const unheldMs = held.has(key) ? 0 : await acquireNew(key).catch(() => 0)
    if (unheldMs === undefined) return undefined
    held.set(key, (held.get(key) ?? 0) + 1)
    let released = false
    return {
      unheldMs,
      [Symbol.asyncDispose]: async () => {
        if (released) return
        released = true
        await release(key)
      },
    }
  }

  const isFree = (key: string): Promise<boolean> =>
    link.ask(async (client) => [null, node, FREE].includes(await client.get(nameOf(key)))).catch(() => true)

  const whenFree: Claims['whenFree'] = async (plain, signal) => {
    const key = seal.name(`claim ${plain}`)
    while (!signal.aborted && !(await isFree(key))) await events.next(key, CHECK_MS, signal)
  }

  return {
    shared: true,
    claim,
    whenFree,
    close: async () => {
      clearInterval(timer)
      const keys = [...held.keys()]
      held.clear()
      await Promise.all(keys.map((key) => free(key).catch(() => undefined)))
    },
  }
}
