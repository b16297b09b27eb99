import { openBullQueue } from '../adapters/jobs/bullmq.ts'
import { openInProcessClaims, openInProcessQueue, openNoNeighbours } from '../adapters/jobs/in-process.ts'
import { openNews } from '../adapters/jobs/news.ts'
import { explainRedis, openRedis, type RedisLink } from '../adapters/jobs/redis.ts'
import { openRedisClaims } from '../adapters/jobs/redis-claims.ts'
import { openRedisNeighbours } from '../adapters/jobs/redis-neighbours.ts'
import { openInProcessRate } from '../adapters/rate/in-process.ts'
import { openRedisRate } from '../adapters/rate/redis.ts'
import type { Claims, JobQueue } from '../ports/jobs.ts'
import type { Neighbours } from '../ports/neighbours.ts'
import type { Rate } from '../ports/rate.ts'
import type { StoreWatch } from '../ports/store-watch.ts'

/** What nodes share beside their stores: who works on what, which jobs there are, how often accounts ask. */
export interface Sharing {
  readonly claims: Claims
  readonly queue: JobQueue
  readonly rate: Rate
  readonly neighbours: Neighbours
  readonly close: () => Promise<void>
}

/** All keys of Redis begin with it. */
const PREFIX = 'whittle:'

const alone = (): Sharing => ({
  claims: openInProcessClaims(),
  queue: openInProcessQueue(),
  rate: openInProcessRate(),
  neighbours: openNoNeighbours(),
  close: async () => undefined,
})

const openOn = async (link: RedisLink): Promise<Sharing> => {
  const news = await openNews(link, `${PREFIX}news`)
  const claims = openRedisClaims(link, news, PREFIX)
  const queue = await openBullQueue(link, news, PREFIX)
  const neighbours = openRedisNeighbours(link, `${PREFIX}load`)
  return {
    claims,
    queue,
    rate: openRedisRate(link, PREFIX, openInProcessRate()),
    neighbours,
    close: async () => {
      neighbours.close()
      await queue.close()
      await claims.close()
      news.close()
      await link.close()
    },
  }
}

/** What nodes share on Redis, or of a node that is alone when there is no address. Throws one plain sentence. */
export const openSharing = async (redisUrl: string | undefined, watch: StoreWatch | undefined): Promise<Sharing> => {
  if (redisUrl === undefined) return alone()
  const link = await openRedis(redisUrl, watch)
  return openOn(link).catch(async (error: unknown) => {
    await link.close()
    throw explainRedis(redisUrl, error)
  })
}
