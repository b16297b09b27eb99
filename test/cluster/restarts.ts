import { beforeAll, describe, expect, test } from 'vitest'
import type { Cluster } from './cluster.ts'
import { underLoad } from './load.ts'
import { isWhole, told } from './requests.ts'
import { until } from './servers/process.ts'
import { note } from './table.ts'

/** Nodes that are deployed anew, one after the other. */
export const testRestarts = (cluster: Cluster): void => {
  const { nodes, accounts, used, unsettled } = cluster
  describe('restarted one after the other under load', () => {
    beforeAll(() => cluster.restart({ REDIRECT_AFTER: '25s' }))

    test('no request fails but by 503 with Retry-After, and charges are right', async () => {
      await accounts.add('rolling', {})
      const { replies, broken } = await underLoad(cluster, { clients: 4, username: 'rolling' }, async () => {
        for (const node of nodes) {
          await node.stop()
          await node.start()
        }
      })
      const images = replies.filter(({ status }) => status === 200)
      const refused = replies.filter(({ status }) => status === 503)
      note('rolling restart of 3 nodes under load', `${told(replies)}, ${broken} connections broken`)
      expect([broken, images.length + refused.length]).toEqual([0, replies.length])
      expect(refused.every(({ headers }) => headers.has('retry-after'))).toBe(true)
      expect(images.every(isWhole)).toBe(true)
      await until(async () => expect(await unsettled(images)).toEqual([]))
      await until(async () => expect(await used('rolling')).toBe(images.length))
    }, 120_000)
  })
}
