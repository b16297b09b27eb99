import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Deadline, deadlineIn } from '../../src/core/deadline.ts'
import type { Pixels, SourceFacts } from '../../src/core/image.ts'
import type { Job, Made } from '../../src/core/outcome.ts'
import { makePixels } from '../../src/engine/make-pixels.ts'
import { optimise } from '../../src/engine/optimise.ts'
import { parseOptions } from '../../src/options/parse.ts'
import { withoutAlpha } from '../../src/pixels/flatten.ts'
import { survey } from '../../src/pixels/survey.ts'
import { makePlan } from '../../src/plan/make-plan.ts'
import type { Limits, Plan } from '../../src/plan/plan.ts'
import { identify } from '../../src/source/identify.ts'
import { timed } from './timed.ts'

const LIMITS: Limits = { maxBytes: 50e6, maxPixels: 1e8, maxSide: 10000, maxTotalPixels: 1e9 }
const QUIET = { offer: () => undefined, stage: () => undefined }

/** One source with what was asked for it, and the pixels that its result is judged against. */
export interface Asked {
  readonly path: string
  readonly facts: SourceFacts
  readonly plan: Plan
  /** What the result is to show. */
  readonly pixels: Pixels
}

/** What the engine made of it. */
export interface Ours {
  readonly made: Made
  readonly bytes: Uint8Array
  /** CPU ms of everything, from the decoding on. */
  readonly cpu: number
}

type Work<T> = (job: Job<Plan>, deadline: Deadline) => Promise<T>

const inScratch = async <T>(asked: Omit<Asked, 'pixels'>, seconds: number, work: Work<T>): Promise<T> => {
  const directory = await mkdtemp(join(tmpdir(), 'corpus-'))
  try {
    return await work({ ...asked, directory, budget: seconds * 1000 }, deadlineIn(seconds * 1000))
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Reads a source and plans for it, as a request with these options and no Accept header would. */
export const ask = async (path: string, options: string): Promise<Asked> => {
  const parsed = parseOptions(options, { maxTimeout: 60 })
  if (parsed.kind === 'wrong') throw parsed.failure
  const facts = await identify(path)
  const plan = makePlan(parsed.options, facts, {
    limits: LIMITS,
    acceptWebp: false,
    acceptAvif: false,
    canEncodeAnimatedAvif: false,
  })
  const asked = { path, facts, plan }
  const { pixels } = await inScratch(asked, 60, (job, deadline) => makePixels(job, { ...QUIET, deadline }))
  return { ...asked, pixels: survey(pixels).opaque ? withoutAlpha(pixels) : pixels }
}

/** Lets the engine make its result in this process, by the very code of the service's children. */
export const makeOurs = (asked: Asked, seconds = 60): Promise<Ours> =>
  inScratch(asked, seconds, async (job, deadline) => {
    const { ms: cpu, value: made } = await timed(() => optimise(job, { ...QUIET, deadline }))
    return { made, cpu, bytes: await readFile(made.path) }
  })
