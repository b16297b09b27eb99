import { beforeAll, describe, expect, test } from 'vitest'
import type { Cluster } from './cluster.ts'
import { picture } from './pictures.ts'
import { areSame, follow, isWhole, post, type Reply, resultPath, statuses, told } from './requests.ts'
import type { ServiceNode } from './servers/node.ts'
import { until } from './servers/process.ts'
import { note } from './table.ts'

/** Sends one image `times` times at once, to the nodes in turn. */
const postToAll = ({ nodes }: Cluster, times: number, image: Buffer, username: string): Promise<Reply[]> =>
  Promise.all(Array.from({ length: times }, (_, turn) => post(nodes[turn % nodes.length]!.url, image, username)))

/** Shared functions of nodes: single flight, quota, rates, result addresses. */
export const testSharing = (cluster: Cluster): void => {
  const { nodes, accounts, sum, used } = cluster

  test('the same new image asked for 300 times over all nodes is encoded once', async () => {
    await cluster.restart({ REDIRECT_AFTER: '25s' })
    const replies = await postToAll(cluster, 300, await picture(1, 500), 'anna')
    const encodes = await sum('whittle_results_total')
    note('300 requests for one new image over 3 nodes', `${encodes} encode; ${told(replies)}, the same bytes`)
    expect(statuses(replies)).toEqual({ 200: 300 })
    expect(areSame(replies)).toBe(true)
    expect(encodes).toBe(1)
    expect(await used('anna')).toBe(300)
  })

  test('shared work goes on while one client waits, and ends on all nodes with the last', async () => {
    // So large that it is worked on for long after all of this.
    const image = await picture(9, 4000)
    const ask = (node: ServiceNode, signal: AbortSignal) =>
      fetch(`${node.url}/anna/full`, {
        method: 'POST',
        body: new Uint8Array(image),
        headers: { 'content-type': 'image/jpeg' },
        signal,
      }).then(
        ({ status }) => `${status}`,
        () => 'left',
      )
    const busy = () => sum('whittle_workers_busy')
    const before = await sum('whittle_results_total')
    const clients = nodes.map(() => new AbortController())
    const asked = nodes.map((node, at) => ask(node, clients[at]!.signal))
    await until(async () => expect([await sum('whittle_jobs_under_way'), await busy()]).toEqual([3, 1]))
    const worker = await Promise.all(nodes.map((node) => node.metric('whittle_workers_busy')))
    const first = worker.indexOf(1)
    clients[first]!.abort()
    // Another node takes it up.
    await until(async () => expect([await nodes[first]!.metric('whittle_workers_busy'), await busy()]).toEqual([0, 1]))
    for (const client of clients) client.abort()
    await until(async () => expect([await sum('whittle_jobs_under_way'), await busy()]).toEqual([0, 0]))
    expect(await Promise.all(asked)).toEqual(['left', 'left', 'left'])
    expect((await sum('whittle_results_total')) - before).toBe(0)
    note(
      'one image asked for on 3 nodes, whose clients leave one after the other',
      'taken up elsewhere, then stopped everywhere',
    )
  })

  test('60 requests at once over all nodes at a quota of 25: 25 are charged', async () => {
    await accounts.add('quota', { quota: 25 })
    const replies = await postToAll(cluster, 60, await picture(2, 200), 'quota')
    note('60 parallel requests, quota of 25', `${told(replies)}; ${await used('quota')} charged`)
    expect(statuses(replies)).toEqual({ 200: 25, 402: 35 })
    expect(await used('quota')).toBe(25)
  })

  test('rates of an account count over all nodes', async () => {
    await accounts.add('slow', { limits: { rate: 10 } })
    const replies = await postToAll(cluster, 30, await picture(2, 200), 'slow')
    note('30 requests at once, 10 a minute allowed', told(replies))
    expect(statuses(replies)).toEqual({ 200: 10, 429: 20 })
  })

  describe('with 303', () => {
    beforeAll(() => cluster.restart({ REDIRECT_AFTER: '1ms' }))

    test('a result address of one node answers on the others, with the same bytes', async () => {
      const given = await post(nodes[0]!.url, await picture(3, 400))
      expect(given.status).toBe(303)
      expect(resultPath(given)).toMatch(/^\/-\/results\/[0-9a-f]{32}$/)
      const replies = await Promise.all(nodes.map(({ url }) => follow(url + resultPath(given))))
      note('303 from node A, GET from A, B and C', `${told(replies)}, the same bytes`)
      expect(statuses(replies)).toEqual({ 200: 3 })
      expect(areSame(replies)).toBe(true)
      expect(replies.every(isWhole)).toBe(true)
    })

    test('an address that was never given is 404 on every node', async () => {
      const replies = await Promise.all(nodes.map(({ url }) => follow(`${url}/-/results/${'0'.repeat(32)}`)))
      expect(statuses(replies)).toEqual({ 404: 3 })
    })

    test('every node returns a failure that one of them found', async () => {
      const given = await post(nodes[0]!.url, (await picture(4, 300)).subarray(0, 200))
      const replies = await Promise.all(nodes.map(({ url }) => follow(url + resultPath(given))))
      expect(statuses(replies)).toEqual({ 422: 3 })
      expect(areSame(replies)).toBe(true)
    })
  })
}
