import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Deadline } from '../../src/core/deadline.ts'
import type { Raster, SourceFacts } from '../../src/core/image.ts'
import type { Job } from '../../src/core/outcome.ts'
import { makePixels } from '../../src/engine/child/make-pixels.ts'
import { parseOptions } from '../../src/options/parse.ts'
import { makePlan } from '../../src/plan/make-plan.ts'
import type { Limits, Plan } from '../../src/plan/plan.ts'
import { withoutAlpha } from '../../src/raster/flatten.ts'
import { survey } from '../../src/raster/survey.ts'
import { identify } from '../../src/source/identify.ts'
import { stillClock } from '../../test/still-clock.ts'
import { timed } from './timed.ts'

const LIMITS: Limits = { maxBytes: 50e6, maxPixels: 1e8, maxSide: 10000, maxTotalPixels: 1e9 }
/** Offers and stages have no listener here. */
export const QUIET = { offer: () => undefined, stage: () => undefined }

/** One source with its plan, and the pixels that its result is compared with. */
export interface Asked {
  readonly path: string
  readonly facts: SourceFacts
  readonly plan: Plan
  /** The reference pixels of the result. */
  readonly pixels: Raster
  /** CPU ms that decoding took, which every peer would need as well. */
  readonly decoding: number
}

type Work<T> = (job: Job<Plan>, deadline: Deadline) => Promise<T>

/** Does work on a source with a scratch directory of its own. */
export const inScratch = async <T>(
  asked: Omit<Asked, 'pixels' | 'decoding'>,
  deadline: Deadline,
  work: Work<T>,
): Promise<T> => {
  const directory = await mkdtemp(join(tmpdir(), 'corpus-'))
  try {
    return await work({ ...asked, directory, budget: deadline.remaining() }, deadline)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Identifies a source and plans for it, as a request with these options and no Accept header would. */
export const askWithoutPixels = async (path: string, options: string): Promise<Omit<Asked, 'pixels' | 'decoding'>> => {
  const parsed = parseOptions(options, { maxTimeout: 60 })
  if (parsed.kind === 'wrong') throw parsed.failure
  const facts = await identify(path)
  const plan = makePlan(parsed.options, facts, {
    limits: LIMITS,
    acceptWebp: false,
    acceptAvif: false,
    canEncodeAnimatedAvif: false,
  })
  return { path, facts, plan }
}

/** The same, with the pixels that a result of a still image is compared with. */
export const ask = async (path: string, options: string): Promise<Asked> => {
  const asked = await askWithoutPixels(path, options)
  const { ms: decoding, value } = await timed(() =>
    inScratch(asked, stillClock(), (job, deadline) => makePixels(job, { ...QUIET, deadline })),
  )
  const { pixels } = value
  return { ...asked, decoding, pixels: survey(pixels).opaque ? withoutAlpha(pixels) : pixels }
}
