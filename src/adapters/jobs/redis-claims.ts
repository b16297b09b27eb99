import { CHECK_MS } from '../../core/intervals.ts'
import type { Claims } from '../../ports/jobs.ts'
import type { SealedSettings } from './job-statuses.ts'
import type { RedisLink } from './redis.ts'
import { openRedisLeases, RENEW_MS } from './redis-leases.ts'

/** Claims of a node that shares Redis with other nodes. */
export interface RedisClaims extends Claims {
  /** Releases all claims, so that other nodes need not wait for their expiry. */
  readonly close: () => Promise<void>
}

/** Opens claims as keys of Redis that expire when their node dies. While Redis is away, it grants every claim. */
export const openRedisClaims = (link: RedisLink, { events, prefix, seal }: SealedSettings): RedisClaims => {
  const leases = openRedisLeases(link, events, prefix)
  /** The number of claims of this node by key. */
  const held = new Map<string, number>()

  const release = async (key: string): Promise<void> => {
    const count = (held.get(key) ?? 1) - 1
    if (count > 0) {
      held.set(key, count)
      return
    }
    held.delete(key)
    // A key that cannot be released expires by itself.
    await leases.release(key).catch(() => undefined)
  }
  const renewAll = (): void => {
    for (const key of held.keys()) void leases.renew(key).catch(() => undefined)
  }
  const timer = setInterval(renewAll, RENEW_MS).unref()

  const claim: Claims['claim'] = async (plain) => {
    const key = seal.name(`claim ${plain}`)
    const unheldMs = held.has(key) ? 0 : await leases.acquire(key).catch(() => 0)
    if (unheldMs === undefined) return undefined
    held.set(key, (held.get(key) ?? 0) + 1)
    let isReleased = false
    return {
      unheldMs,
      [Symbol.asyncDispose]: async () => {
        if (isReleased) return
        isReleased = true
        await release(key)
      },
    }
  }

  const whenFree: Claims['whenFree'] = async (plain, signal) => {
    const key = seal.name(`claim ${plain}`)
    while (!signal.aborted && !(await leases.isFree(key))) await events.next(key, CHECK_MS, signal)
  }

  return {
    shared: true,
    claim,
    whenFree,
    close: async () => {
      clearInterval(timer)
      const keys = [...held.keys()]
      held.clear()
      await Promise.all(keys.map((key) => leases.release(key).catch(() => undefined)))
    },
  }
}
