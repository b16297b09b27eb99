import { openBullQueue } from '../adapters/jobs/bullmq.ts'
import { openInProcessClaims, openInProcessQueue, openNoNeighbours } from '../adapters/jobs/in-process.ts'
import { openNodeEvents } from '../adapters/jobs/node-events.ts'
import { explainRedis, openRedis, type RedisLink } from '../adapters/jobs/redis.ts'
import { openRedisClaims } from '../adapters/jobs/redis-claims.ts'
import { openRedisNeighbours } from '../adapters/jobs/redis-neighbours.ts'
import { makeSeal, type Seal } from '../adapters/jobs/seal.ts'
import { openInProcessRate } from '../adapters/rate/in-process.ts'
import { openRedisRate } from '../adapters/rate/redis.ts'
import type { Claims, JobQueue } from '../ports/jobs.ts'
import type { Neighbours } from '../ports/neighbours.ts'
import type { Rate } from '../ports/rate.ts'
import type { StoreWatch } from '../ports/store-watch.ts'

/** State that nodes share besides their stores: claims, jobs and request rates. */
export interface Sharing {
  readonly claims: Claims
  readonly queue: JobQueue
  readonly rate: Rate
  readonly neighbours: Neighbours
  readonly close: () => Promise<void>
}

/** Prefix of all keys in Redis. */
const PREFIX = 'whittle:'

const singleNode = (): Sharing => ({
  claims: openInProcessClaims(),
  queue: openInProcessQueue(),
  rate: openInProcessRate(),
  neighbours: openNoNeighbours(),
  close: async () => undefined,
})

const openOnRedis = async (link: RedisLink, seal: Seal): Promise<Sharing> => {
  const events = await openNodeEvents(link, `${PREFIX}news`)
  const claims = openRedisClaims(link, { events, prefix: PREFIX, seal })
  const queue = await openBullQueue(link, { events, prefix: PREFIX, seal })
  const neighbours = openRedisNeighbours(link, `${PREFIX}load`, seal)
  return {
    claims,
    queue,
    rate: openRedisRate(link, { prefix: PREFIX, seal, fallback: openInProcessRate() }),
    neighbours,
    close: async () => {
      neighbours.close()
      await queue.close()
      await claims.close()
      events.close()
      await link.close()
    },
  }
}

/** Settings of sharing. */
export interface SharingSettings {
  /** Absent: a single node. */
  readonly url: string | undefined
  /** The secret of the installation, awaited once Redis responds. */
  readonly secret: Promise<Uint8Array>
  readonly watch?: StoreWatch | undefined
}

/** State shared on Redis, or that of a single node without an address. Throws one plain sentence. */
export const openSharing = async ({ url, secret, watch }: SharingSettings): Promise<Sharing> => {
  if (url === undefined) return singleNode()
  const link = await openRedis(url, watch)
  try {
    const seal = makeSeal(await secret)
    return await openOnRedis(link, seal).catch((error: unknown) => {
      throw explainRedis(url, error)
    })
  } catch (error) {
    await link.close()
    throw error
  }
}
