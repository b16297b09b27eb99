import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Cluster } from './cluster.ts'
import { underLoad } from './load.ts'
import { picture } from './pictures.ts'
import { areSame, follow, isWhole, post, type Reply, resultPath, statuses, told } from './requests.ts'
import { lockTables } from './servers/postgres.ts'
import { type StoreServer, until } from './servers/process.ts'
import { note } from './table.ts'

/** Seconds for which each store is away; the figures of docs/scaling.md are of 20. */
const AWAY_SECONDS = Number(process.env['CLUSTER_AWAY_SECONDS'] ?? 6)

/** Stores that are stopped under load and started again. */
export const testOutages = (cluster: Cluster): void => {
  const { nodes, accounts, used, unsettled, sum } = cluster

  /** Takes a store away and brings it back; `meanwhile` is done while it is away. */
  const take =
    (store: StoreServer, meanwhile: () => Promise<unknown> = async () => undefined) =>
    async (): Promise<void> => {
      await sleep(1000)
      await store.stop()
      await Promise.all([meanwhile(), sleep(AWAY_SECONDS * 1000)])
      await store.start()
      await sleep(2000)
    }
  const isUp = (store: string) =>
    until(async () => expect(await sum('whittle_store_up', `store="${store}"`)).toBe(nodes.length))
  const retryAfter = ({ headers }: { readonly headers: Headers }): boolean => headers.has('retry-after')

  describe('a store that goes away', () => {
    beforeAll(() => cluster.restart({ REDIRECT_AFTER: '25s' }))

    test('PostgreSQL under load: new work gets 503 with Retry-After, every image that went out is charged once', async () => {
      await accounts.add('outage', {})
      // Those under load may all be at work while it is away.
      const fresh: Reply[] = []
      const ask = async () => fresh.push(await post(cluster.front, await picture(80, 200), 'outage'))
      const { replies, broken } = await underLoad(
        cluster,
        { clients: 3, username: 'outage' },
        take(cluster.postgres, ask),
      )
      await isUp('accounts')
      const images = replies.filter(({ status }) => status === 200)
      const refused = [...fresh, ...replies].filter(({ status }) => status === 503)
      await until(async () => expect(await unsettled(images)).toEqual([]))
      await until(async () => expect(await used('outage')).toBe(images.length))
      const all = told([...fresh, ...replies])
      note(`PostgreSQL away for ${AWAY_SECONDS} s under load`, `${all}; ${await used('outage')} charged`)
      expect(statuses(fresh)).toEqual({ 503: 1 })
      expect([broken, images.length + refused.length]).toEqual([0, fresh.length + replies.length])
      expect(refused.every(retryAfter)).toBe(true)
      expect(images.every(isWhole)).toBe(true)
    })

    test('tables of PostgreSQL that are locked under load: 503 with Retry-After, every image that went out is charged once', async () => {
      await accounts.add('locked', {})
      const [warm, blocked] = [await picture(81, 1600), await picture(82, 200)]
      const early = post(cluster.front, warm, 'locked')
      await until(async () => expect(await sum('whittle_workers_busy')).toBe(1))
      const lock = await lockTables(cluster.databaseUrl, 'accounts, usage, reservations')
      const { replies, broken } = await underLoad(cluster, { clients: 3, username: 'locked' }, async () => {
        await Promise.all([
          post(cluster.front, blocked, 'locked').then(({ status }) => expect(status).toBe(503)),
          early,
        ])
        await lock[Symbol.asyncDispose]()
        await sleep(2000)
      })
      const images = [await early, ...replies].filter(({ status }) => status === 200)
      const refused = replies.filter(({ status }) => status === 503)
      note('tables of PostgreSQL locked under load', `${told([await early, ...replies])}; ${images.length} charged`)
      expect([broken, images.length + refused.length]).toEqual([0, 1 + replies.length])
      expect(refused.every(retryAfter)).toBe(true)
      expect((await early).status).toBe(200)
      await until(async () => expect(await unsettled(images)).toEqual([]))
      await until(async () => expect(await used('locked')).toBe(images.length))
    })

    test('no client under load notices that Redis is away, and afterwards nodes share work again', async () => {
      const { replies, broken } = await underLoad(cluster, { clients: 3, username: 'anna' }, take(cluster.redis))
      await isUp('jobs')
      note(`Redis away for ${AWAY_SECONDS} s under load`, told(replies))
      expect([broken, statuses(replies)]).toEqual([0, { 200: replies.length }])
      expect(replies.every(isWhole)).toBe(true)
      const before = await sum('whittle_results_total')
      const image = await picture(77, 500)
      const same = await Promise.all(Array.from({ length: 30 }, (_, turn) => post(nodes[turn % 3]!.url, image)))
      expect([areSame(same), (await sum('whittle_results_total')) - before]).toEqual([true, 1])
    })

    test('no client under load notices that S3 is away, and results are stored again afterwards', async () => {
      const { replies, broken } = await underLoad(cluster, { clients: 3, username: 'anna' }, take(cluster.s3))
      await isUp('results')
      note(`S3 away for ${AWAY_SECONDS} s under load`, told(replies))
      expect([broken, statuses(replies)]).toEqual([0, { 200: replies.length }])
      expect(replies.every(isWhole)).toBe(true)
      const image = await picture(78, 400)
      await post(nodes[0]!.url, image)
      const before = await sum('whittle_results_total')
      const same = await Promise.all(nodes.map(({ url }) => post(url, image)))
      expect([statuses(same), (await sum('whittle_results_total')) - before]).toEqual([{ 200: 3 }, 0])
    })

    test.each([
      ['PostgreSQL', cluster.postgres],
      ['Redis', cluster.redis],
      ['S3', cluster.s3],
    ])(
      '%s is back: the first request to a node that was idle meanwhile is served',
      async (name, store) => {
        const image = await picture(83, 300)
        await post(nodes[0]!.url, image)
        await store.stop()
        await sleep(AWAY_SECONDS * 1000)
        await store.start()
        const replies = await Promise.all(nodes.map(({ url }) => post(url, image)))
        note(`${name} away for ${AWAY_SECONDS} s while nodes were idle, then one request to each`, told(replies))
        expect(statuses(replies)).toEqual({ 200: 3 })
        expect([areSame(replies), replies.every(isWhole)]).toEqual([true, true])
      },
      120_000,
    )
  })

  test('a job that ends while S3 is away is on every node once S3 is back', async () => {
    await cluster.restart({ REDIRECT_AFTER: '1ms' })
    await cluster.s3.stop()
    const given = await post(nodes[0]!.url, await picture(79, 400))
    expect(given.status).toBe(303)
    const own = await follow(nodes[0]!.url + resultPath(given))
    // The job is over, but its image is nowhere that this node could have it from: it waits as for a job under way.
    const early = follow(nodes[1]!.url + resultPath(given))
    const first = await Promise.race([early.then(() => 'answered'), sleep(1500, 'waits')])
    await cluster.s3.start()
    const replies = await until(async () => {
      const all = await Promise.all(nodes.map(({ url }) => follow(url + resultPath(given))))
      expect(statuses(all)).toEqual({ 200: 3 })
      return all
    })
    note('a job that ended while S3 was away, afterwards on A, B and C', `${told(replies)}, the same bytes`)
    expect([own.status, first]).toEqual([200, 'waits'])
    expect(areSame([own, await early, ...replies])).toBe(true)
  })
}
