import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RedisLink } from './redis.ts'

/** Named events between nodes. Events are lost while Redis is away. */
export interface NodeEvents {
  /** The channel of Redis, for scripts that publish events themselves. */
  readonly channel: string
  readonly publish: (name: string) => Promise<void>
  /** Resolves at the next event `name`, after `ms`, or when `signal` fires. */
  readonly next: (name: string, ms: number, signal: AbortSignal) => Promise<void>
  readonly close: () => void
}

/** Opens a channel of Redis for events. */
export const openNodeEvents = async (link: RedisLink, channel: string): Promise<NodeEvents> => {
  const events = new EventEmitter().setMaxListeners(0)
  const subscriber = link.another('subscriber')
  subscriber.on('message', (_channel, name) => events.emit(name))
  await subscriber.subscribe(channel)
  return {
    channel,
    publish: async (name) => {
      await link.ask((client) => client.publish(channel, name))
    },
    next: async (name, ms, signal) => {
      const done = new AbortController()
      const either = AbortSignal.any([signal, done.signal])
      // Both end with an AbortError when the other was first.
      const ends = [once(events, name, { signal: either }), sleep(ms, undefined, { signal: either })]
      await Promise.race(ends.map((end) => end.catch(() => undefined)))
      done.abort()
    },
    close: () => {
      subscriber.disconnect()
      events.removeAllListeners()
    },
  }
}
