import type { Rate } from '../../ports/rate.ts'
import type { RedisLink } from '../jobs/redis.ts'
import type { Seal } from '../jobs/seal.ts'

/**
 * Atomically compares and counts, by the clock of Redis. One hash has a field per second of the last 61: a minute may begin and end within
 * a second.
 */
const ALLOW = `
local now = tonumber(redis.call('time')[1])
local counts = redis.call('hgetall', KEYS[1])
local sum = 0
for i = 1, #counts, 2 do
  if tonumber(counts[i]) <= now - 61 then redis.call('hdel', KEYS[1], counts[i]) else sum = sum + tonumber(counts[i + 1]) end
end
if sum >= tonumber(ARGV[1]) then return 0 end
redis.call('hincrby', KEYS[1], now, 1)
redis.call('expire', KEYS[1], 62)
return 1`

export interface RedisRateSettings {
  readonly prefix: string
  readonly seal: Seal
  /** Counts on this node while Redis is away. */
  readonly fallback: Rate
}

/** Rates over all nodes, in Redis. While it is away, each node counts its own requests. */
export const openRedisRate = (link: RedisLink, { prefix, seal, fallback }: RedisRateSettings): Rate => ({
  allow: async (username, perMinute) => {
    if (perMinute <= 0) return true
    try {
      return await link.ask(
        async (client) =>
          (await client.eval(ALLOW, 1, `${prefix}rate:${seal.name(`rate ${username}`)}`, perMinute)) === 1,
      )
    } catch {
      return fallback.allow(username, perMinute)
    }
  },
})
