import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { withComment } from '../jpeg-comment.ts'
import type { Cluster } from './cluster.ts'
import { picture } from './pictures.ts'
import { post, type Reply, statuses } from './requests.ts'
import type { ServiceNode } from './servers/node.ts'
import { until } from './servers/process.ts'
import { note } from './table.ts'

/** Images that each account sends to each node at once. */
const BATCH = 14
/** Times that a worker is looked at which should stay idle. */
const LOOKS = 20
/** ms within which nodes have published their load twice. */
const TOLD_MS = 1200

/** Fairness across nodes. Each has a queue of its own. */
export const testFairness = (cluster: Cluster): void => {
  const { nodes, accounts } = cluster
  const [first, ...others] = nodes as readonly [ServiceNode, ...ServiceNode[]]
  const pictures = (from: number, count: number, width: number): Promise<Buffer[]> =>
    Promise.all(Array.from({ length: count }, (_, at) => picture(from + at, width)))
  const waitingOn = (some: readonly ServiceNode[]): Promise<number[]> =>
    Promise.all(some.map((node) => node.metric('whittle_queue_depth')))

  describe('fair together', () => {
    beforeAll(() => cluster.restart({ REDIRECT_AFTER: '25s' }), 120_000)

    test('an account that is served on all nodes lets one that asks a single node go first there', async () => {
      for (const username of ['everywhere', 'here']) await accounts.add(username, {})
      const flood = await Promise.all(nodes.map((_, at) => pictures(6000 + at * BATCH, BATCH, 500)))
      const few = await pictures(6500, BATCH, 500)
      const order: string[] = []
      const ask = async (node: ServiceNode, image: Buffer, username: string): Promise<Reply> => {
        const reply = await post(node.url, image, username)
        if (node === first) order.push(username)
        return reply
      }
      const replies = await Promise.all([
        ...nodes.flatMap((node, at) => flood[at]!.map((image) => ask(node, image, 'everywhere'))),
        ...few.map((image) => ask(first, image, 'here')),
      ])
      expect(statuses(replies)).toEqual({ 200: replies.length })
      const early = order.slice(0, BATCH).filter((username) => username === 'here').length
      note(
        `${BATCH} images each from two accounts on node A; B and C serve one of them as well`,
        `${early} of the first ${BATCH} answered on A are the other's`,
      )
      // In turn it would be half of them.
      expect(early).toBeGreaterThan(BATCH / 2 + 1)
    })

    test('background work rests until fewer jobs wait on the other nodes', async () => {
      const large = await picture(6700, 2400)
      const usual = await picture(6701, 900)
      let isFlooded = true
      let made = 0
      const keepAsking = async (node: ServiceNode): Promise<void> => {
        while (isFlooded) await post(node.url, withComment(usual, String(made++)))
      }
      const flood = others.flatMap((node) => Array.from({ length: BATCH }, () => keepAsking(node)))
      try {
        await until(async () => expect(Math.min(...(await waitingOn(others)))).toBeGreaterThan(BATCH / 2))
        await sleep(TOLD_MS)
        const cut = await fetch(`${first.url}/anna/full,timeout=1.5/`, {
          method: 'POST',
          body: new Uint8Array(large),
          headers: { 'content-type': 'image/jpeg' },
        })
        await cut.arrayBuffer()
        expect([cut.status, cut.headers.get('warning')]).toEqual([
          200,
          expect.stringContaining('left no time to search further'),
        ])
        // The child whose time was over is being ended.
        await until(async () => expect(await first.metric('whittle_workers_busy')).toBe(0))
        for (let looks = 0; looks < LOOKS; looks++) {
          expect(Math.min(...(await waitingOn(others)))).toBeGreaterThan(2)
          expect(await first.metric('whittle_workers_busy')).toBe(0)
          await sleep(50)
        }
      } finally {
        isFlooded = false
        await Promise.all(flood)
      }
      await until(async () => expect(await first.metric('whittle_workers_busy')).toBe(1))
      note('a background search on A, while requests wait on B and C', `left alone until they were served`)
    })
  })
}
