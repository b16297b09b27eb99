import { randomUUID } from 'node:crypto'
import type { NodeLoad } from '../../core/node-load.ts'
import type { Neighbours } from '../../ports/neighbours.ts'
import type { RedisLink } from './redis.ts'

/** How often a node tells of its load: within it others may be served out of turn, and each time is a message to every node. */
const TELL_MS = 500

const isLoad = (value: unknown): value is NodeLoad => {
  const load = value as Partial<NodeLoad> | null
  return (
    Number.isFinite(load?.waiting) &&
    typeof load?.begun === 'object' &&
    load.begun !== null &&
    Object.values(load.begun).every((cost) => Number.isFinite(cost) && cost >= 0)
  )
}

/** What another version of the program tells may be of another form. */
const parse = (message: string): { readonly node: string; readonly load: NodeLoad } | undefined => {
  try {
    const { node, ...load } = JSON.parse(message) as { node?: unknown }
    return typeof node === 'string' && isLoad(load) ? { node, load } : undefined
  } catch {
    return undefined
  }
}

/** Loads of nodes as messages of Redis. */
export const openRedisNeighbours = (link: RedisLink, channel: string): Neighbours => {
  const own: string = randomUUID()
  const subscriber = link.another('subscriber')
  let timer: NodeJS.Timeout | undefined
  return {
    exchange: (mine, hear) => {
      subscriber.on('message', (_channel: string, message: string) => {
        const told = parse(message)
        if (told !== undefined && told.node !== own) hear(told.node, told.load)
      })
      void subscriber.subscribe(channel).catch(() => undefined)
      timer = setInterval(() => {
        const message = JSON.stringify({ node: own, ...mine() })
        void link.ask((client) => client.publish(channel, message)).catch(() => undefined)
      }, TELL_MS).unref()
    },
    close: () => {
      clearInterval(timer)
      subscriber.disconnect()
    },
  }
}
