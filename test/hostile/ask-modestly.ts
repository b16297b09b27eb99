/** A thread that asks for one image after the other: what it waits must not be its neighbours' work in the attacker's own process. */
import { parentPort, workerData } from 'node:worker_threads'
import { ask, photograph, unlike } from './crowd.ts'

/** Result: the statuses other than 200, and ms for each image. */
export interface Modest {
  readonly refused: readonly number[]
  readonly times: readonly number[]
  /** ms that the service says it waited for a worker. */
  readonly queued: readonly number[]
}

const { address, turns } = workerData as { readonly address: string; readonly turns: number }
const image = await photograph(600, 400)
const answers = []
for (let turn = 0; turn < turns; turn += 1) answers.push(await ask(address, 'modest/full', unlike(image)))
parentPort?.postMessage({
  refused: answers.map(({ status }) => status).filter((status) => status !== 200),
  times: answers.map(({ ms }) => ms),
  queued: answers.map(({ queueMs }) => queueMs),
} satisfies Modest)
