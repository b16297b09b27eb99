import type { Redis } from 'ioredis'
import { Failure } from '../../core/failure.ts'
import type { StoreWatch } from '../../ports/store-watch.ts'
import { hostAndPath } from '../../support/host-and-path.ts'
import { loadOptional } from '../../support/optional-package.ts'

/** Time limits in ms. */
const LIMIT_MS = {
  /** A command. Without a connection commands fail immediately, and the node works as if it were alone. */
  command: 2500,
  /** Chosen, not measured. */
  connect: 3000,
  /** Pause before reconnecting. Chosen, not measured. */
  reconnect: 300,
} as const

/** A connection that several adapters share. */
export interface RedisLink {
  readonly client: Redis
  /** Opens a further connection, whose commands wait during an outage instead of failing. */
  readonly another: (kind: 'subscriber' | 'blocking') => Redis
  /** Runs commands. Fails with STORE_AWAY when Redis does not answer in time. */
  readonly ask: <T>(work: (client: Redis) => Promise<T>) => Promise<T>
  readonly close: () => Promise<void>
}

/** An error with one sentence about why Redis cannot be used, without its password. */
export const explainRedis = (url: string, error: unknown): Error => {
  const { message } = error as Error
  const { code = '' } = error as NodeJS.ErrnoException
  return new Error(
    `Redis at ${hostAndPath(url)} cannot be used (${code && !message.includes(code) ? `${code}: ` : ''}${message}). Check REDIS_URL: host, port, user and password, and that the user may use keys, channels and scripts.`,
    { cause: error },
  )
}

/** Checks that scripts, keys and events work. A user may lack rights, and a replica refuses writes. */
const probe = async (client: Redis): Promise<void> => {
  await client.eval(`return redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])`, 1, 'whittle:probe', 'probe', 1000)
  await client.get('whittle:probe')
  await client.publish('whittle:probe', 'probe')
}

/** Connects and runs the first commands, which fail with a wrong password or while Redis is loading. */
const connect = async (client: Redis): Promise<void> => {
  let last: unknown
  const note = (error: unknown): void => {
    last = error
  }
  client.on('error', note)
  try {
    await client.connect()
    await client.ping()
    await probe(client)
  } catch (error) {
    // The error "Connection is closed." hides the reason, which came as an event.
    throw last ?? error
  } finally {
    client.off('error', note)
  }
}

/** Opens Redis at `url`. Throws one plain sentence when it cannot be used. Later, reconnects by itself. */
export const openRedis = async (url: string, watch?: StoreWatch): Promise<RedisLink> => {
  const { Redis } = await loadOptional({ name: 'ioredis', setting: 'REDIS_URL' }, () => import('ioredis'))
  let isOpen = false
  const common = {
    connectTimeout: LIMIT_MS.connect,
    keepAlive: 10_000,
    lazyConnect: true,
    // The first failure at start is thrown. Later, reconnecting never stops.
    retryStrategy: () => (isOpen ? LIMIT_MS.reconnect : null),
  }
  const client = new Redis(url, {
    ...common,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: LIMIT_MS.command,
  })
  await connect(client).catch((error: unknown) => {
    client.disconnect()
    throw explainRedis(url, error)
  })
  isOpen = true
  const further: Redis[] = []
  client.on('ready', () => watch?.back())
  client.on('error', (error) => watch?.away(error))
  client.on('close', () => watch?.away(new Error('The connection to Redis is closed.')))
  return {
    client,
    another: (kind) => {
      const more = new Redis(url, {
        ...common,
        maxRetriesPerRequest: null,
        ...(kind === 'subscriber' ? { autoResubscribe: true } : {}),
      })
      more.on('error', () => undefined)
      further.push(more)
      return more
    },
    ask: async (work) => {
      try {
        const answer = await work(client)
        watch?.back()
        return answer
      } catch (error) {
        watch?.away(error)
        throw new Failure({ code: 'STORE_AWAY', args: [] }, error)
      }
    },
    close: async () => {
      isOpen = false
      client.removeAllListeners('close')
      for (const one of [client, ...further]) one.disconnect()
    },
  }
}
