import type { Deadline } from '../../src/core/deadline.ts'
import type { ResultFile } from '../../src/core/outcome.ts'
import '../../src/support/heap-growth.ts'
import { optimise } from '../../src/engine/child/optimise.ts'
import { stillClock } from '../../test/still-clock.ts'
import { type Asked, inScratch, QUIET } from '../corpus/ask.ts'
import { cpuMs } from '../corpus/timed.ts'

/** ms that a child process keeps for handing its result over. */
const CHILD_MARGIN_MS = 150
/** ms between two looks at the clock. */
const LOOK_MS = 20

/** From here on `performance.now` counts CPU: steps are judged by what they take of a core, whatever else the machine does. */
export const useCpuClock = (): void => {
  performance.now = cpuMs
}

/** A deadline in CPU ms. */
const cpuDeadlineIn = (ms: number): Deadline & Disposable => {
  const end = cpuMs() + ms
  const over = new AbortController()
  const remaining = (): number => Math.max(0, end - cpuMs())
  const timer = setInterval(() => {
    if (remaining() === 0) over.abort(new DOMException('The time is over.', 'TimeoutError'))
  }, LOOK_MS)
  return { remaining, signal: over.signal, [Symbol.dispose]: () => clearInterval(timer) }
}

/** A result, and how it came. */
export interface Timed {
  readonly bytes: number
  /** CPU ms. */
  readonly ms: number
  readonly meetsTarget: boolean
  readonly cutShort: boolean
}

/** The engine's result within `seconds`. A result that comes later counts as the best one that was there in time. */
export const makeWithin = (asked: Asked, seconds: number): Promise<Timed> =>
  inScratch(asked, stillClock(seconds * 1000), async (job) => {
    const since = cpuMs()
    using deadline = cpuDeadlineIn(seconds * 1000 - CHILD_MARGIN_MS)
    const isLate = (): boolean => cpuMs() - since > seconds * 1000
    let inTime: ResultFile | undefined
    const offer = (result: ResultFile): void => {
      if (!isLate()) inTime = result
    }
    const last = await optimise(job, { ...QUIET, offer, deadline })
    const result = isLate() && inTime !== undefined ? { ...inTime, cutShort: true } : last
    return {
      bytes: result.bytes,
      ms: cpuMs() - since,
      meetsTarget: result.meetsTarget === true || result.untouched === true,
      cutShort: result.cutShort === true,
    }
  })
