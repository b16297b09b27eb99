import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startService } from '../../../scripts/corpus/service.ts'
import type { Attack } from '../attack.ts'
import { ask, keepBusy, photograph, unlike } from '../crowd.ts'

const CLOCK = fileURLToPath(new URL('../jumping-clock.ts', import.meta.url))

/** The time of day jumps by weeks, in both directions, while images are optimised. Every answer must stay right. */
export const CLOCKS: Attack = {
  name: 'clocks',
  run: async ({ short }) => {
    const service = await startService({ NODE_OPTIONS: `--import=${CLOCK}` })
    const problems: string[] = []
    let tries = 0
    try {
      const image = await photograph(400, 300)
      const working = keepBusy(4, async () => {
        tries += 1
        const { status } = await ask(service.address, 'demo/full', unlike(image))
        if (status !== 200) problems.push(`${status} while the clock jumped`)
      })
      for (let jump = 0; jump < (short ? 6 : 40); jump += 1) {
        await sleep(500)
        process.kill(service.pid, 'SIGUSR2')
      }
      await working.stop()
      service.assertAlive()
      const left = await service.leftovers()
      if (left.length > 0) problems.push(`left behind: ${left.join(', ')}`)
    } finally {
      await service.stop()
    }
    return { tries, problems }
  },
}
