import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeSigningKey, readSigningKey } from '../../src/core/signing-key.ts'
import { signAddress } from '../../src/service/deliver/delivery-right.ts'
import { type ChangingOrigin, startChangingOrigin } from '../origin/changing-origin.ts'
import type { Cluster } from './cluster.ts'
import { KILLS } from './deaths.ts'
import { picture } from './pictures.ts'
import { areSame, follow, isWhole, type Reply, statuses, told } from './requests.ts'
import { until } from './servers/process.ts'
import { note } from './table.ts'

const USERNAME = 'live'
/** Wide enough that its quick result takes more than a moment. */
const WIDE = 4800

const isQuick = ({ headers }: Reply): boolean => headers.get('warning')?.includes('quick first result') === true

/** Whether all quick answers are the same bytes, and all searched ones. */
const areTwoAtMost = (replies: readonly Reply[]): boolean =>
  [replies.filter(isQuick), replies.filter((reply) => !isQuick(reply))].every(
    (kind) => kind.length === 0 || areSame(kind),
  )

/** Live delivery (§8) from signed addresses, by nodes that know of one another by the stores alone. */
export const testDelivery = (cluster: Cluster): void => {
  const { nodes, accounts, sum, front } = cluster
  const key = makeSigningKey()
  let origin: ChangingOrigin

  /** The path of a signed address; each image has a path of its own at its origin. */
  const sign = (options: string, path: string): string => {
    const imageUrl = origin.url(path)
    const sig = signAddress(readSigningKey(key)!, { username: USERNAME, list: options, imageUrl })
    return `/${USERNAME}/${options},sig=${sig}/${imageUrl}`
  }
  const show = async (seed: number, width: number) => origin.show({ body: await picture(seed, width) })
  const askAll = (path: string, times = 1): Promise<Reply[]> =>
    Promise.all([...nodes, ...nodes, ...nodes].slice(0, 3 * times).map(({ url }) => follow(url + path)))
  const searched = (path: string): Promise<Reply[]> =>
    until(async () => {
      const replies = await askAll(path)
      expect(replies.some(isQuick)).toBe(false)
      return replies
    })
  const made = () => sum('whittle_results_total')
  const purge = (path: string) =>
    fetch(nodes[2]!.url + path, { method: 'DELETE', headers: { authorization: `Bearer ${key}` } })
  /** Images charged since this was called first. */
  const countCharged = async () => {
    const before = await cluster.used(USERNAME)
    return async () => (await cluster.used(USERNAME)) - before
  }

  describe('live delivery', () => {
    beforeAll(async () => {
      origin = await startChangingOrigin({ body: await picture(5000, 300) })
      await accounts.add(USERNAME, { signingKey: key })
      await cluster.restart({ REDIRECT_AFTER: '25s', FETCH_TIMEOUT: '60s' })
    })
    afterAll(() => origin[Symbol.asyncDispose]())

    test('the same address asked for on all nodes and through nginx at once is fetched, made and charged once', async () => {
      await show(5001, 1200)
      const charged = await countCharged()
      const [asked, before] = [origin.asked.length, await made()]
      const path = sign('900', '/same.jpg')
      const replies = await Promise.all([...Array.from({ length: 12 }, () => follow(front + path)), askAll(path, 3)])
      const first = replies.flat()
      expect(statuses(first)).toEqual({ 200: 21 })
      expect([first.every(isWhole), areTwoAtMost(first)]).toEqual([true, true])
      const later = await searched(path)
      expect([statuses(later), areSame(later)]).toEqual([{ 200: 3 }, true])
      const found = { fetched: origin.asked.length - asked, made: (await made()) - before, charged: await charged() }
      note(
        'live delivery: one signed address asked for 21 times on 3 nodes and through nginx',
        `${told(first)}; fetched ${found.fetched}, made ${found.made}, charged ${found.charged}`,
      )
      expect(found).toEqual({ fetched: 1, made: 1, charged: 1 })
    })

    test('a 303 of delivery and of information is answered by every node, also when its own node dies', async () => {
      // So slow that the answer is due first.
      origin.show({ body: await picture(5006, 300), afterMs: 27_000 })
      const charged = await countCharged()
      const ask = (base: string, path: string, init?: RequestInit) =>
        fetch(base + path, { redirect: 'manual', signal: AbortSignal.timeout(60_000), ...init })
      const info = `/${USERNAME}/info/${origin.url('/slow-posted.jpg')}`
      const given = await Promise.all([
        ask(nodes[0]!.url, sign('90', '/slow-a.jpg')),
        ask(nodes[0]!.url, sign('info', '/slow-b.jpg')),
        ask(nodes[0]!.url, info, { method: 'POST' }),
        ask(nodes[1]!.url, sign('90', '/slow-c.jpg')),
        ask(nodes[1]!.url, sign('info', '/slow-d.jpg')),
      ])
      expect(given.map(({ status }) => status)).toEqual([303, 303, 303, 303, 303])
      origin.show({ body: await picture(5006, 300) })
      const paths = given.map(({ headers }) => new URL(headers.get('location')!).pathname)
      const others = [nodes[1]!, nodes[2]!]
      const early = paths.slice(0, 3).flatMap((path) => others.map(({ url }) => follow(url + path)))
      await nodes[0]!.kill()
      const replies = await Promise.all([
        ...early,
        ...paths.flatMap((path) => others.map(({ url }) => follow(url + path))),
      ])
      await nodes[0]!.start()
      replies.push(...(await Promise.all(paths.map((path) => follow(nodes[0]!.url + path)))))
      note('303 of delivery and information from two nodes, one of them killed, GET from all', told(replies))
      expect(statuses(replies)).toEqual({ 200: 21 })
      // One image at several addresses: delivered, described by GET, described by POST.
      await until(async () => expect(await charged()).toBe(3))
    })

    test('a variant is charged once, and another one again', async () => {
      await show(5002, 500)
      const charged = await countCharged()
      for (const options of ['200', '210', '220'])
        for (let round = 0; round < 2; round += 1)
          expect(statuses(await askAll(sign(options, '/variants.jpg')))).toEqual({ 200: 3 })
      note('live delivery: three variants of one image, each asked for on 3 nodes, twice', `${await charged()} charged`)
      expect(await charged()).toBe(3)
    })

    test('one image at two addresses, asked for on two nodes, is charged though the client of one of them leaves', async () => {
      // So large that neither client has even the quick answer before one of them leaves.
      await show(5003, WIDE)
      const charged = await countCharged()
      const stays = follow(nodes[0]!.url + sign('4000', '/one.jpg'))
      await until(async () => expect(await charged()).toBe(1))
      const leaving = new AbortController()
      const asked = origin.asked.length
      const leaves = fetch(nodes[1]!.url + sign('4000', '/two.jpg'), { signal: leaving.signal }).catch(() => 'left')
      await until(async () => expect(origin.asked.length).toBe(asked + 1))
      await sleep(100)
      leaving.abort()
      expect([await leaves, (await stays).status]).toEqual(['left', 200])
      await sleep(500)
      expect(await charged()).toBe(1)
    })

    test('a third node purges what two nodes stored of a source at once, and all fetch it again', async () => {
      await show(5004, 300)
      const paths = ['150', '160', '170', '180'].map((options) => sign(options, '/purged.jpg'))
      await Promise.all(paths.map((path, at) => follow(nodes[at % 2]!.url + path)))
      const old = await Promise.all(paths.map(searched))
      await show(5005, 300)
      const purged = await purge(paths[0]!)
      const count = Number(/^\d+/.exec(await purged.text())?.[0])
      const repeated = await Promise.all(paths.map(searched))
      const isNew = repeated.map((replies, at) => areSame(replies) && !areSame([replies[0]!, old[at]![0]!]))
      note(
        'live delivery: 4 variants made on nodes A and B, purged on C',
        `${count} stored results purged, new on all nodes`,
      )
      expect([purged.status, count >= paths.length]).toEqual([200, true])
      expect(isNew).toEqual([true, true, true, true])
    })

    test(`a node killed while it delivers, ${KILLS} times: who waits elsewhere gets the image, charged once`, async () => {
      const charged = await countCharged()
      const all: Reply[] = []
      for (let turn = 0; turn < KILLS; turn += 1) {
        await show(5100 + turn, WIDE)
        const [victim, ...others] = [nodes[turn % 3]!, nodes[(turn + 1) % 3]!, nodes[(turn + 2) % 3]!]
        const path = sign('4000', `/killed-${turn}.jpg`)
        const lost = follow(victim.url + path).catch(() => 'broken')
        await until(async () => expect(await victim.metric('whittle_workers_busy')).toBe(1))
        const getting = [...others.map(({ url }) => follow(url + path)), follow(front + path)]
        await victim.kill()
        const replies = await Promise.all(getting)
        expect([statuses(replies), replies.every(isWhole), areTwoAtMost(replies)]).toEqual([{ 200: 3 }, true, true])
        expect(await lost).toBe('broken')
        all.push(...replies)
        await victim.start()
      }
      note(
        `live delivery: ${KILLS} nodes killed while they deliver an address that is waited for elsewhere`,
        `${told(all)}; ${await charged()} charged`,
      )
      expect(await charged()).toBe(KILLS)
    }, 600_000)
  })
}
