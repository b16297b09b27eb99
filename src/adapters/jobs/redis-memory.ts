import { randomUUID } from 'node:crypto'
import type { RedisLink } from './redis.ts'

/** Notices that Redis forgot what it held: FLUSHALL, an eviction, a restart without its data, another server behind its name. */
export interface RedisMemory {
  /** Whether Redis lost its data so recently that nodes may not have written theirs again. */
  readonly isYoung: () => Promise<boolean>
  readonly close: () => void
}

/** How often each node looks, in ms. */
const LOOK_MS = 1000
/** Seconds in which nodes write their data again, with a margin for busy machines: longer than a lease. */
const YOUNG_SECONDS = 8

/** The mark that stands in Redis since it began to remember: seconds by its own clock, then a random name. */
const MARK = `
local mark = redis.call('get', KEYS[1])
if mark then return mark end
local since = ARGV[2]
if since == '' then since = redis.call('time')[1] end
mark = since .. ' ' .. ARGV[1]
redis.call('set', KEYS[1], mark)
return mark`

/** Seconds since the mark was set; 0 without one. */
const AGE = `
local mark = redis.call('get', KEYS[1])
if not mark then return 0 end
return tonumber(redis.call('time')[1]) - tonumber(string.match(mark, '^%d+'))`

/** Reads the mark under `key`, now and once a second. Calls `tick` each time with whether Redis lost its data since the last. */
export const openRedisMemory = async (
  link: RedisLink,
  key: string,
  tick: (isForgotten: boolean) => Promise<void>,
): Promise<RedisMemory> => {
  const look = (since: string) => link.ask((client) => client.eval(MARK, 1, key, randomUUID(), since))
  // Where no node was before, nothing can be missing: the mark is as old as can be.
  let mark = await look('0')
  let looking = false
  const timer = setInterval(async () => {
    if (looking) return
    looking = true
    try {
      const seen = await link.ask((client) => client.get(key))
      const now = seen ?? (await look(''))
      const isForgotten = now !== mark
      await tick(isForgotten)
      mark = now
    } catch {
      // Redis is away: the next look comes soon.
    } finally {
      looking = false
    }
  }, LOOK_MS).unref()
  return {
    isYoung: () => link.ask(async (client) => Number(await client.eval(AGE, 1, key)) < YOUNG_SECONDS),
    close: () => clearInterval(timer),
  }
}
