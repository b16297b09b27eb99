import { readFile } from 'node:fs/promises'
import { deadlineIn } from '../../src/core/deadline.ts'
import type { ResultFile } from '../../src/core/outcome.ts'
import '../../src/support/heap-growth.ts'
import { optimise } from '../../src/engine/child/optimise.ts'
import { type Asked, inScratch, QUIET } from './ask.ts'
import { timed } from './timed.ts'

/** The engine's result. */
export interface Ours {
  readonly result: ResultFile
  readonly bytes: Uint8Array
  /** CPU ms of everything after the decoding: survey, search, encoding, judging. */
  readonly cpu: number
}

/** Lets the engine make its result in this process, by the very code of the service's children. */
export const makeOurs = (asked: Omit<Asked, 'pixels'>, deadline = deadlineIn(60_000)): Promise<Ours> =>
  inScratch(asked, deadline, async (job) => {
    const { ms: cpu, value: result } = await timed(() => optimise(job, { ...QUIET, deadline }))
    return { result, cpu: cpu - asked.decoding, bytes: await readFile(result.path) }
  })
