import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Cluster } from './cluster.ts'
import { underLoad } from './load.ts'
import { picture } from './pictures.ts'
import { follow, isWhole, post, type Reply, resultPath, statuses, told } from './requests.ts'
import { until } from './servers/process.ts'
import { note } from './table.ts'

/** Nodes killed in each round; the figures of docs/scaling.md are of 20. */
export const KILLS = Number(process.env['CLUSTER_KILLS'] ?? 4)
/** Jobs that are under way on a node each time that it is killed. */
const JOBS_A_KILL = 5
/** Clients at once in the round under load. */
const CLIENTS = 4

const TAKEN_OVER = 'whittle_jobs_taken_over_total'

/** Nodes that are killed, as machines fail: SIGKILL at any moment. */
export const testDeaths = (cluster: Cluster): void => {
  const { nodes, accounts, used, unsettled } = cluster

  /** Kills a node in the middle of jobs that clients wait for at the others. Resolves to their replies, and to the seconds until another node works on a job. */
  const killInMidJob = async (turn: number): Promise<{ replies: Reply[]; seconds: number }> => {
    const [victim, ...others] = [nodes[turn % 3]!, nodes[(turn + 1) % 3]!, nodes[(turn + 2) % 3]!]
    const jobs = Array.from({ length: JOBS_A_KILL }, (_, job) => picture(1000 + turn * JOBS_A_KILL + job, 900))
    const given = await Promise.all((await Promise.all(jobs)).map((image) => post(victim.url, image, 'jobs')))
    expect(statuses(given)).toEqual({ 303: JOBS_A_KILL })
    const takenOver = async () =>
      (await Promise.all(others.map((node) => node.metric(TAKEN_OVER)))).reduce((x, y) => x + y)
    const before = await takenOver()
    const getting = given.map((one, index) => follow(others[index % 2]!.url + resultPath(one)))
    await victim.kill()
    const killed = performance.now()
    await until(async () => expect(await takenOver()).toBeGreaterThan(before))
    const seconds = (performance.now() - killed) / 1000
    const replies = await Promise.all(getting)
    await victim.start()
    return { replies, seconds }
  }

  describe('killed', () => {
    beforeAll(() => cluster.restart({ REDIRECT_AFTER: '1ms' }))

    test(`every waiting client gets its image from another node, charged once, after ${KILLS} kills in mid-job`, async () => {
      await accounts.add('jobs', {})
      const rounds: Awaited<ReturnType<typeof killInMidJob>>[] = []
      for (let turn = 0; turn < KILLS; turn += 1) rounds.push(await killInMidJob(turn))
      const replies = rounds.flatMap((round) => round.replies)
      const longest = Math.max(...rounds.map(({ seconds }) => seconds))
      note(`${KILLS} nodes killed with ${JOBS_A_KILL} jobs each that are waited for elsewhere`, told(replies))
      note('longest time from a kill until its first job was in other hands', `${longest.toFixed(1)} s`)
      expect(statuses(replies)).toEqual({ 200: KILLS * JOBS_A_KILL })
      expect(replies.every(isWhole)).toBe(true)
      await until(async () => expect(await used('jobs')).toBe(KILLS * JOBS_A_KILL))
    }, 600_000)
  })

  describe('killed behind nginx', () => {
    beforeAll(() => cluster.restart({ REDIRECT_AFTER: '25s' }))

    test(`no charge is lost or doubled, and no result torn, after ${KILLS} kills under load`, async () => {
      await accounts.add('load', {})
      const { replies, broken } = await underLoad(cluster, { clients: CLIENTS, username: 'load' }, async () => {
        for (let kill = 0; kill < KILLS; kill += 1) {
          await sleep(700)
          await nodes[kill % 3]!.kill()
          await nodes[kill % 3]!.start()
        }
      })
      const images = replies.filter(({ status }) => status === 200)
      note(
        `${KILLS} nodes killed under load through nginx`,
        `${told(replies)}, ${broken} connections broken, ${await used('load')} charged`,
      )
      expect(images.length).toBeGreaterThan(KILLS)
      expect(images.every(isWhole)).toBe(true)
      expect([broken, statuses(replies)]).toEqual([0, { 200: images.length }])
      await until(async () => expect(await unsettled(images)).toEqual([]))
      await until(async () => expect(await used('load')).toBe(images.length))
    }, 600_000)
  })
}
