import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack } from '../attack.ts'
import { accounts, ask, keepBusy, photograph, unlike } from '../crowd.ts'

const STORMERS = 4
const LEAVE_MS = 150
/** Share of the throughput that the other of two accounts keeps: half, minus the cost of the storm. */
const MIN_SHARE = 0.25

/** Four clients that leave 150 ms after they have sent an image, again and again, while another account waits for its images. */
export const ABORTS: Attack = {
  name: 'aborts',
  long: true,
  run: async ({ service, short }) => {
    const { address } = service
    for (const name of ['stormy', 'innocent']) await accounts(service, 'add', name)
    const [small, large] = await Promise.all([photograph(600, 400), photograph(2400, 1600)])
    const problems: string[] = []
    const seconds = short ? 5 : 20
    let tries = 0
    /** Images a second that the innocent account gets with two requests at once. */
    const rate = async (): Promise<number> => {
      let done = 0
      const working = keepBusy(2, async () => {
        const { status } = await ask(address, 'innocent/full', unlike(small))
        if (status === 200) done += 1
        else problems.push(`${status} for the innocent account`)
      })
      await sleep(seconds * 1000)
      const counted = done / seconds
      await working.stop()
      tries += done
      return counted
    }
    await rate()
    const alone = await rate()
    const storm = keepBusy(STORMERS, async () => {
      tries += 1
      await ask(address, 'stormy/full', unlike(large), AbortSignal.timeout(LEAVE_MS))
    })
    await sleep(2_000)
    const beside = await rate()
    await storm.stop()
    if (beside < alone * MIN_SHARE) problems.push('the storm cost the innocent account more than its share')
    const notes = [
      `images a second of the innocent account: ${alone.toFixed(1)} alone, ${beside.toFixed(1)} in the storm`,
    ]
    return { tries, problems, notes }
  },
}
