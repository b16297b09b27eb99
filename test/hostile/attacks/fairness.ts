import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Modest } from '../ask-modestly.ts'
import { type Attack, isDocumented } from '../attack.ts'
import { accounts, ask, keepBusy, photograph, unlike } from '../crowd.ts'

/** ms by which a modest account may be later than when it is alone. */
const LATER_MS = 2_000
const AT_ONCE = 150

const worstOf = (times: readonly number[]): number => Math.max(0, ...times)

/** One account sends 150 large images at once, all the time; another wants one small image after the other. */
export const FAIRNESS: Attack = {
  name: 'fairness',
  long: true,
  run: async ({ service, short }) => {
    const { address } = service
    for (const name of ['greedy', 'modest']) await accounts(service, 'add', name)
    const large = await photograph(2400, 1600)
    const turns = short ? 6 : 100
    const problems: string[] = []
    const askModestly = async (): Promise<Modest> => {
      const thread = new Worker(new URL('../ask-modestly.ts', import.meta.url), { workerData: { address, turns } })
      const [told] = (await once(thread, 'message')) as [Modest]
      for (const status of told.refused) problems.push(`${status} for the modest account`)
      return told
    }
    await askModestly()
    const alone = await askModestly()
    const counts = new Map<number, number>()
    const flood = keepBusy(AT_ONCE, async () => {
      const { status, retryAfter } = await ask(address, 'greedy/full,timeout=15', unlike(large))
      counts.set(status, (counts.get(status) ?? 0) + 1)
      if (!isDocumented(status)) problems.push(`${status} for the greedy account`)
      if ([429, 503].includes(status) && !retryAfter) problems.push(`${status} without Retry-After`)
      if (status !== 200) await sleep(100)
    })
    await sleep(3_000)
    const beside = await askModestly()
    await flood.stop()
    const later = worstOf(beside.times) - worstOf(alone.times)
    if (later > LATER_MS) problems.push(`the modest account was ${Math.round(later)} ms later than alone`)
    const greedy = [...counts].map(([status, count]) => `${count} x ${status}`).join(', ')
    const worst = [alone, beside]
      .map(({ times, queued }) => `${Math.round(worstOf(times))} ms (${Math.round(worstOf(queued))} for a worker)`)
      .join(' alone, ')
    const notes = [
      `the slowest of ${turns} images of the modest account: ${worst} with the greedy one; the greedy one got ${greedy}`,
    ]
    return { tries: turns * 3 + [...counts.values()].reduce((sum, count) => sum + count, 0), problems, notes }
  },
}
