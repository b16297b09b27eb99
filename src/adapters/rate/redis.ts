import type { Rate } from '../../ports/rate.ts'
import type { RedisLink } from '../jobs/redis.ts'
import type { Seal } from '../jobs/seal.ts'

/**
 * Counts of the last 61 seconds as fields of one hash; takes and compares in one step, by the clock of Redis. One second
 * more than a minute: the second under way and the one a minute ago both count in full.
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
  readonly alone: Rate
}

/** Rates over all nodes, in Redis; while it is away each node counts what it sees itself, in `alone`. */
export const openRedisRate = (link: RedisLink, { prefix, seal, alone }: RedisRateSettings): Rate => ({
  allow: async (username, perMinute) => {
    if (perMinute <= 0) return true
    try {
      return await link.ask(
        async (client) =>
          (await client.eval(ALLOW, 1, `${prefix}rate:${seal.name(`rate ${username}`)}`, perMinute)) === 1,
      )
    } catch {
      return alone.allow(username, perMinute)
    }
  },
})
