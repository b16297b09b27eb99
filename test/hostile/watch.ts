import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { RunningService } from '../../scripts/corpus/service.ts'

/** The worst that was seen of a service while it was attacked. */
export interface Worst {
  /** ms until `/-/live` answered. */
  readonly liveMs: number
  /** Bytes that the server held, and the largest of its children. */
  readonly server: number
  readonly child: number
  /** The attempt during which the largest child was measured. */
  readonly childAt: string
}

/** A watch that goes on until it is stopped. */
export interface Watching {
  readonly trying: (what: string) => void
  readonly stop: () => Promise<Worst>
}

const EVERY_MS = 50

/** Asks a service whether it lives, and how large it is, until `stop` is called. */
export const watch = (service: Pick<RunningService, 'address' | 'memory'>): Watching => {
  const worst = { server: 0, child: 0, childAt: '' }
  let tried = ''
  let over = false
  const asking = new Worker(new URL('./ask-live.ts', import.meta.url), { workerData: service.address })
  const weigh = async (): Promise<void> => {
    while (!over) {
      const { server, children } = await service.memory()
      worst.server = Math.max(worst.server, server)
      const largest = Math.max(0, ...children)
      if (largest > worst.child) Object.assign(worst, { child: largest, childAt: tried })
      await sleep(EVERY_MS)
    }
  }
  const weighed = weigh()
  return {
    trying: (what) => {
      tried = what
    },
    stop: async () => {
      over = true
      await weighed
      const [[liveMs]] = await Promise.all([once(asking, 'message'), asking.postMessage('stop')])
      return { ...worst, liveMs }
    },
  }
}
