import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Cluster } from './cluster.ts'
import { picture } from './pictures.ts'
import { areSame, follow, post, resultPath, statuses, told } from './requests.ts'
import type { ServiceNode } from './servers/node.ts'
import { until } from './servers/process.ts'
import { note } from './table.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const SKEWED = resolve(import.meta.dirname, 'servers/skewed-clock.mjs')
/** More than the 15 minutes that S3 forgives. */
const SKEW_MS = 20 * 60_000

/** The program with another generation of its engine: its results are other ones. Resolves to its directory. */
const makeNewer = async (): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'whittle-newer-'))
  for (const name of ['node_modules', 'kernels', 'models', 'assets', 'docs', 'package.json'])
    await symlink(join(ROOT, name), join(directory, name))
  await cp(join(ROOT, 'src'), join(directory, 'src'), { recursive: true })
  const file = join(directory, 'src/jobs/result-key.ts')
  const text = await readFile(file, 'utf8')
  const newer = text.replace(/ENGINE_GENERATION = (\d+)/, (_, number) => `ENGINE_GENERATION = ${Number(number) + 1}`)
  expect(newer).not.toBe(text)
  await writeFile(file, newer)
  return directory
}

/** Nodes that are not alike: another version of the program, clocks that are wrong. */
export const testMixed = (cluster: Cluster): void => {
  const { nodes, accounts, used } = cluster

  describe('two versions of the program on the same stores', () => {
    let directory: string
    let newer: ServiceNode
    beforeAll(async () => {
      directory = await makeNewer()
      await cluster.restart({ REDIRECT_AFTER: '25s' })
      newer = await cluster.startMore(
        { REDIRECT_AFTER: '25s' },
        {
          main: join(directory, 'src/cli/main.ts'),
        },
      )
    })
    afterAll(async () => {
      await newer[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    })
    const made = async (): Promise<number> =>
      (await cluster.sum('whittle_results_total')) + (await newer.metric('whittle_results_total'))

    test('each finds its own results and never those of the other', async () => {
      const image = await picture(5, 300)
      const before = await made()
      for (let round = 0; round < 2; round += 1) {
        const replies = await Promise.all([...nodes, newer].map(({ url }) => post(url, image)))
        expect(statuses(replies)).toEqual({ 200: 4 })
        expect((await made()) - before).toBe(2)
      }
      note('the same image on three nodes and on one of another version, twice', '2 encodes, one for each version')
    })

    test('a job of one is seen to its end by the other, and answered at every address', async () => {
      await newer.stop()
      await newer.start({ REDIRECT_AFTER: '1ms' })
      const given = await post(newer.url, await picture(6, 700))
      expect(given.status).toBe(303)
      const waiting = nodes.map(({ url }) => follow(url + resultPath(given)))
      await newer.kill()
      const replies = await Promise.all(waiting)
      note(
        '303 from a node of another version that is then killed, GET from A, B and C',
        `${told(replies)}, the same bytes`,
      )
      expect(statuses(replies)).toEqual({ 200: 3 })
      expect(areSame(replies)).toBe(true)
    })
  })

  describe('clocks that are twenty minutes fast and slow', () => {
    const begin = (skews: readonly number[]): Promise<unknown> =>
      Promise.all(
        nodes.map(async (node, at) => {
          await node.stop()
          const skew = skews[at] ?? 0
          await node.start(
            skew === 0 ? {} : { REDIRECT_AFTER: '1ms', SKEW_MS: String(skew), NODE_OPTIONS: `--import=${SKEWED}` },
          )
        }),
      )
    beforeAll(() => begin([SKEW_MS, -SKEW_MS, 0]), 120_000)

    test('do no harm: results are shared, charges counted once', async () => {
      await accounts.add('skewed', {})
      const given = await Promise.all(
        [0, 1].map(async (at) => post(nodes[at]!.url, await picture(7 + at, 300), 'skewed')),
      )
      expect(statuses(given)).toEqual({ 303: 2 })
      for (const one of given) {
        const replies = await Promise.all(nodes.map(({ url }) => follow(url + resultPath(one))))
        expect(statuses(replies)).toEqual({ 200: 3 })
        expect(areSame(replies)).toBe(true)
      }
      await until(async () => expect(await used('skewed')).toBe(2))
      const before = await cluster.sum('whittle_results_total')
      // The third node knows what those with wrong clocks stored.
      const again = await Promise.all(
        [7, 8].map(async (seed) => post(nodes[2]!.url, await picture(seed, 300), 'skewed')),
      )
      expect([statuses(again), (await cluster.sum('whittle_results_total')) - before]).toEqual([{ 200: 2 }, 0])
      await until(async () => expect(await used('skewed')).toBe(4))
      note(
        'clocks of two nodes 20 minutes fast and slow: 303 from each, GET from A, B and C',
        '6 × 200, charged once each',
      )
    })
  })
}
