import { randomUUID } from 'node:crypto'
import { CHECK_MS } from '../../core/intervals.ts'
import type { NodeLoad } from '../../core/node-load.ts'
import type { Neighbours } from '../../ports/neighbours.ts'
import type { RedisLink } from './redis.ts'
import type { Seal } from './seal.ts'

const isLoad = (value: unknown): value is NodeLoad => {
  const load = value as Partial<NodeLoad> | null
  return (
    Number.isFinite(load?.waiting) &&
    typeof load?.begun === 'object' &&
    load.begun !== null &&
    Object.values(load.begun).every((cost) => Number.isFinite(cost) && cost >= 0)
  )
}

/** Reads a message. undefined for one of another version in another form. */
const read = (value: unknown): { readonly node: string; readonly load: NodeLoad } | undefined => {
  const { node, ...load } = (value ?? {}) as { node?: unknown }
  return typeof node === 'string' && isLoad(load) ? { node, load } : undefined
}

const isIdle = ({ waiting, begun }: NodeLoad): boolean => waiting === 0 && Object.keys(begun).length === 0

/** Exchanges the loads of nodes as messages of Redis, sealed since they contain usernames. */
export const openRedisNeighbours = (link: RedisLink, channel: string, seal: Seal): Neighbours => {
  const own: string = randomUUID()
  const subscriber = link.another('subscriber')
  let timer: NodeJS.Timeout | undefined
  return {
    exchange: (mine, receiveLoad) => {
      subscriber.on('message', (_channel: string, message: string) => {
        const report = read(seal.open(message, channel))
        if (report !== undefined && report.node !== own) receiveLoad(report.node, report.load)
      })
      void subscriber.subscribe(channel).catch(() => undefined)
      let idleTurns = 0
      timer = setInterval(() => {
        const load = mine()
        idleTurns = isIdle(load) ? idleTurns + 1 : 0
        // An idle node reports half as often. Other nodes count it as dead after two seconds.
        if (idleTurns > 0 && idleTurns % 2 === 0) return
        const message = seal.close({ node: own, ...load }, channel)
        void link.ask((client) => client.publish(channel, message)).catch(() => undefined)
      }, CHECK_MS).unref()
    },
    close: () => {
      clearInterval(timer)
      subscriber.disconnect()
    },
  }
}
