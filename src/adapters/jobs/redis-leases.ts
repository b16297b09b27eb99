import { randomUUID } from 'node:crypto'
import type { NodeEvents } from './node-events.ts'
import type { RedisLink } from './redis.ts'

/** ms after which the claims of a silent node expire. Another node can claim its keys within 5 s. */
const LEASE_MS = 3500
/** ms between signs of life: four fit into a lease. */
export const RENEW_MS = 800
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

/** Keys of Redis that this node holds for a lease. All methods except `isFree` fail with STORE_AWAY. */
export interface RedisLeases {
  /**
   * Acquires a key. Returns the ms since any node held it, or undefined while another node has it. Needs one command for a key that
   * Redis does not have, which is the usual case. Also accepts released keys, and keys that this node could not release.
   */
  readonly acquire: (key: string) => Promise<number | undefined>
  readonly renew: (key: string) => Promise<void>
  /** Releases a key and wakes the nodes that wait for it. */
  readonly release: (key: string) => Promise<void>
  /** Whether no other node holds a key. True while Redis is away. */
  readonly isFree: (key: string) => Promise<boolean>
}

/** Opens the leases of this node. `prefix` is that of all keys of this installation. */
export const openRedisLeases = (link: RedisLink, events: NodeEvents, prefix: string): RedisLeases => {
  const node: string = randomUUID()
  const nameOf = (key: string): string => `${prefix}claim:${key}`
  return {
    acquire: (key) =>
      link.ask(async (client) => {
        if ((await client.set(nameOf(key), node, 'PX', LEASE_MS, 'NX')) === 'OK') return UNHELD_MS
        return (await client.eval(ACQUIRE, 1, nameOf(key), node, LEASE_MS)) === 1 ? 0 : undefined
      }),
    renew: async (key) => {
      await link.ask((client) => client.eval(ACQUIRE, 1, nameOf(key), node, LEASE_MS))
    },
    release: async (key) => {
      await link.ask((client) => client.eval(RELEASE, 1, nameOf(key), node, LEASE_MS, events.channel, key))
    },
    isFree: (key) =>
      link.ask(async (client) => [null, node, FREE].includes(await client.get(nameOf(key)))).catch(() => true),
  }
}
