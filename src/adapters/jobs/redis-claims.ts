import { randomUUID } from 'node:crypto'
import type { Claims } from '../../ports/jobs.ts'
import type { News } from './news.ts'
import type { RedisLink } from './redis.ts'
import type { Seal } from './seal.ts'

/** After so long without a sign of life a node's claims are free: with the time to notice, another takes over within 5 s. */
const LEASE_MS = 3500
/** ms between signs of life: four fit into a lease. */
const RENEW_MS = 800
/** Value of a key that was let go of less than a lease ago. */
const FREE = 'free'
/** ms in which no node held a key that Redis does not know. A node that died may have worked until a renewal was due. */
const UNHELD_MS = LEASE_MS - RENEW_MS
/** Ms between two looks of a waiting caller, because events can be lost. */
const LOOK_MS = 400

/** Takes the key, or renews it, unless another caller has it: atomically, by the clock of Redis. */
const ACQUIRE = `
local owner = redis.call('get', KEYS[1])
if owner and owner ~= ARGV[1] and owner ~= '${FREE}' then return 0 end
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`

/** Lets go of the key, which stays known for a lease, and publishes that on a channel. */
const RELEASE = `
if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('set', KEYS[1], '${FREE}', 'PX', ARGV[2]) end
return redis.call('publish', ARGV[3], ARGV[4])`

export interface RedisClaims extends Claims {
  /** Lets go of all claims, so that others need not wait for them. */
  readonly close: () => Promise<void>
}

export interface RedisClaimsSettings {
  readonly news: News
  readonly prefix: string
  readonly seal: Seal
}

/** Claims as keys of Redis that expire with their node. While Redis is away every claim is granted. */
export const openRedisClaims = (link: RedisLink, { news, prefix, seal }: RedisClaimsSettings): RedisClaims => {
  const node: string = randomUUID()
  const held = new Map<string, number>()
  const nameOf = (key: string): string => `${prefix}claim:${key}`

  const acquire = (key: string): Promise<boolean> =>
    link.ask(async (client) => (await client.eval(ACQUIRE, 1, nameOf(key), node, LEASE_MS)) === 1)
  /**
   * Ms in which no node held the key; undefined while another node has it. Most claims are of keys that Redis does not know: one
   * command. The script takes those that were let go of, and those that this node could not release.
   */
  const acquireNew = (key: string): Promise<number | undefined> =>
    link.ask(async (client) => {
      if ((await client.set(nameOf(key), node, 'PX', LEASE_MS, 'NX')) === 'OK') return UNHELD_MS
      return (await client.eval(ACQUIRE, 1, nameOf(key), node, LEASE_MS)) === 1 ? 0 : undefined
    })
  const free = async (key: string): Promise<void> => {
    await link.ask((client) => client.eval(RELEASE, 1, nameOf(key), node, LEASE_MS, news.channel, key))
  }
  const release = async (key: string): Promise<void> => {
    const count = (held.get(key) ?? 1) - 1
    if (count > 0) {
      held.set(key, count)
      return
    }
    held.delete(key)
    // A key that cannot be freed expires by itself.
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
    while (!signal.aborted && !(await isFree(key))) await news.next(key, LOOK_MS, signal)
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
