import { randomUUID } from 'node:crypto'
import { CHECK_MS } from '../../core/intervals.ts'
import type { RedisLink } from './redis.ts'

/** Detects that Redis has lost its data: by FLUSHALL, an eviction, a restart without persistence, or a new server at its address. */
export interface RedisMemory {
  /** Whether Redis lost its data so recently that nodes may not have written theirs again yet. */
  readonly isYoung: () => Promise<boolean>
  readonly close: () => void
}

/** Seconds within which all nodes have written their data again, with a margin for busy machines. Longer than a lease. */
const YOUNG_SECONDS = 8

/** Returns the mark, or sets one: the time in seconds by Redis's clock, then a random name. A lost mark means lost data. */
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

/** Reads the mark under `key` once a second. Calls `tick` each time with whether Redis has lost its data since the last time. */
export const openRedisMemory = async (
  link: RedisLink,
  key: string,
  tick: (isForgotten: boolean) => Promise<void>,
): Promise<RedisMemory> => {
  const readMark = (since: string) => link.ask((client) => client.eval(MARK, 1, key, randomUUID(), since))
  // A first start has lost nothing, so its mark gets the oldest time.
  let mark = await readMark('0')
  let isChecking = false
  const timer = setInterval(async () => {
    if (isChecking) return
    isChecking = true
    try {
      const seen = await link.ask((client) => client.get(key))
      const now = seen ?? (await readMark(''))
      const isForgotten = now !== mark
      await tick(isForgotten)
      mark = now
    } catch {
      // Redis is away. The next check follows in a second.
    } finally {
      isChecking = false
    }
  }, CHECK_MS).unref()
  return {
    isYoung: () => link.ask(async (client) => Number(await client.eval(AGE, 1, key)) < YOUNG_SECONDS),
    close: () => clearInterval(timer),
  }
}
