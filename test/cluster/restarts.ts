import { beforeAll, describe, expect, test } from 'vitest'
import type { Cluster } from './cluster.ts'
import { underLoad } from './load.ts'
import { picture } from './pictures.ts'
import { isWhole, post, statuses, told } from './requests.ts'
import { startGate } from './servers/gate.ts'
import { startNginx } from './servers/nginx.ts'
import { until } from './servers/process.ts'
import { note } from './table.ts'

/** Clients at once. */
const CLIENTS = 8

/** Nodes that are deployed again, one after the other. */
export const testRestarts = (cluster: Cluster): void => {
  const { nodes, accounts, used, unsettled } = cluster
  describe('restarted one after the other under load', () => {
    beforeAll(() => cluster.restart({ REDIRECT_AFTER: '25s', SHUTDOWN_DELAY: '2s' }))

    test('no request fails, and charges are right', async () => {
      await accounts.add('rolling', {})
      const { replies, broken } = await underLoad(cluster, { clients: CLIENTS, username: 'rolling' }, async () => {
        for (const node of nodes) {
          await node.stop()
          await node.start()
        }
      })
      note('rolling restart of 3 nodes under load of 8 clients', `${told(replies)}, ${broken} connections broken`)
      expect([broken, statuses(replies)]).toEqual([0, { 200: replies.length }])
      expect(replies.every(isWhole)).toBe(true)
      await until(async () => expect(await unsettled(replies)).toEqual([]))
      await until(async () => expect(await used('rolling')).toBe(replies.length))
    })

    test('a node that ends is not ready first, and answers what still comes', async () => {
      const [node] = nodes
      const ready = async () => (await fetch(`${node!.url}/-/ready`)).status
      expect(await ready()).toBe(200)
      const stopping = node!.stop()
      await until(async () => expect(await ready()).toBe(503))
      const reply = await post(node!.url, await picture(20, 200), 'rolling')
      await stopping
      await node!.start()
      expect([reply.status, reply.headers.get('connection')]).toEqual([200, 'close'])
    })

    test('a node that lost its database is not ready, and clients get their images from the others', async () => {
      const gone = await startGate(cluster.postgres.url)
      const url = new URL(cluster.databaseUrl)
      url.host = gone.host
      await using node = await cluster.startMore({ REDIRECT_AFTER: '25s', DATABASE_URL: url.href })
      await using nginx = await startNginx([node.port, nodes[0]!.port, nodes[1]!.port])
      expect((await fetch(`${node.url}/-/ready`)).status).toBe(200)
      gone.shut()
      await until(async () => expect((await fetch(`${node.url}/-/ready`)).status).toBe(503))
      const replies = await Promise.all(
        Array.from({ length: 12 }, async (_, turn) => post(nginx.url, await picture(30 + turn, 200), 'rolling')),
      )
      note('one of 3 nodes without PostgreSQL, 12 requests through nginx', told(replies))
      expect(statuses(replies)).toEqual({ 200: 12 })
      gone.open()
      await until(async () => expect((await fetch(`${node.url}/-/ready`)).status).toBe(200))
      await gone[Symbol.asyncDispose]()
    })
  })
}
