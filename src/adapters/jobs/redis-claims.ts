import { randomUUID } from 'node:crypto'
import type { Claims } from '../../ports/jobs.ts'
import type { News } from './news.ts'
import type { RedisLink } from './redis.ts'
import type { Seal } from './seal.ts'

/** After so long without a sign of life a node's claims are free: with the time to notice, another takes over within 5 s. */
const LEASE_MS = 3500
/** ms between signs of life: four fit into a lease. */
const RENEW_MS = 800
/** Ms between two looks of a waiting caller, because events can be lost. */
const LOOK_MS = 400

/** Takes the key, or renews it, unless another caller has it: atomically, by the clock of Redis. */
const ACQUIRE = `
local owner = redis.call('get', KEYS[1])
if owner and owner ~= ARGV[1] then return 0 end
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`

/** Lets go of the key, and publishes that on a channel. */
const RELEASE = `
if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('del', KEYS[1]) end
return redis.call('publish', ARGV[2], ARGV[3])`

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
  /** Most claims are of keys that no node has: one command. The script knows claims that this node could not release. */
  const acquireNew = (key: string): Promise<boolean> =>
    link.ask(async (client) => {
      const isNew = (await client.set(nameOf(key), node, 'PX', LEASE_MS, 'NX')) === 'OK'
      return isNew || (await client.eval(ACQUIRE, 1, nameOf(key), node, LEASE_MS)) === 1
    })
  const free = async (key: string): Promise<void> => {
    await link.ask((client) => client.eval(RELEASE, 1, nameOf(key), node, news.channel, key))
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
    const isGranted = held.has(key) || (await acquireNew(key).catch(() => true))
    if (!isGranted) return undefined
    held.set(key, (held.get(key) ?? 0) + 1)
    let released = false
    return {
      [Symbol.asyncDispose]: async () => {
        if (released) return
        released = true
        await release(key)
      },
    }
  }

  const isFree = (key: string): Promise<boolean> =>
    link.ask(async (client) => [null, node].includes(await client.get(nameOf(key)))).catch(() => true)

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
