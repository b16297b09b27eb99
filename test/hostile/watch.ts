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
}

const EVERY_MS = 50

/** Asks a service whether it lives, and how large it is, until `stop` is called. */
export const watch = (service: RunningService): { readonly stop: () => Promise<Worst> } => {
  const worst = { server: 0, child: 0 }
  let over = false
  const asking = new Worker(new URL('./ask-live.ts', import.meta.url), { workerData: service.address })
  const weigh = async (): Promise<void> => {
    while (!over) {
      const { server, children } = await service.memory()
      worst.server = Math.max(worst.server, server)
      worst.child = Math.max(worst.child, ...children)
      await sleep(EVERY_MS)
    }
  }
  const weighed = weigh()
  return {
    stop: async () => {
      over = true
      await weighed
      const [[liveMs]] = await Promise.all([once(asking, 'message'), asking.postMessage('stop')])
      return { ...worst, liveMs }
    },
  }
}
