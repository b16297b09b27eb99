import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { deadlineIn } from '../../src/core/deadline.ts'
import type { Effort } from '../../src/core/effort.ts'
import type { Raster, SourceFacts } from '../../src/core/image.ts'
import type { Job, ResultFile } from '../../src/core/outcome.ts'
import { makePixels } from '../../src/engine/child/make-pixels.ts'
import { optimise } from '../../src/engine/child/optimise.ts'
import { openSsimulacra2 } from '../../src/metric/ssimulacra2/ssimulacra2.ts'
import { parseOptions } from '../../src/options/parse.ts'
import { makePlan } from '../../src/plan/make-plan.ts'
import type { Plan } from '../../src/plan/plan.ts'
import { goalFor } from '../../src/plan/targets.ts'
import { toPixels } from '../../src/raster/raw.ts'
import { identify } from '../../src/source/identify.ts'
import { LIMITS } from '../plan-samples.ts'
import { stillClock } from '../still-clock.ts'

/** The engine's result. */
export interface Answer {
  readonly result: ResultFile
  readonly facts: SourceFacts
  readonly plan: Plan
  readonly bytes: Uint8Array
  readonly offers: readonly ResultFile[]
}

/** The engine's result, with independent measurements. */
export interface Result extends Answer {
  /** The format that the bytes have. */
  readonly format: string | undefined
  /** Exact score of the returned bytes, decoded, against the pixels that were to be shown; NaN where a budget changed the size. */
  readonly score: number
  /** Minimum of that score. */
  readonly goal: number
  readonly pixels: Raster
}

const metric = openSsimulacra2()

interface Request {
  readonly options?: string
  /** Seconds of the clock until the deadline. Without it the clock stands still, so that the machine's load cannot decide. */
  readonly seconds?: number
  readonly webp?: boolean
  readonly avif?: boolean
  readonly effort?: Effort
}

const inScratch = async <T>(work: (directory: string) => Promise<T>): Promise<T> => {
  const directory = await mkdtemp(join(tmpdir(), 'engine-'))
  try {
    return await work(directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

const answerIn = async (
  directory: string,
  source: Uint8Array,
  { options = 'full', seconds, webp = false, avif = false, effort = 'usual' }: Request,
): Promise<{ readonly job: Job<Plan>; readonly answer: Answer }> => {
  const path = join(directory, 'source')
  await writeFile(path, source)
  const facts = await identify(path)
  const parsed = parseOptions(options, { maxTimeout: 60 })
  if (parsed.kind === 'wrong') throw parsed.failure
  const plan = makePlan(parsed.options, facts, {
    limits: LIMITS,
    acceptWebp: webp,
    acceptAvif: avif,
    canEncodeAnimatedAvif: false,
    effort,
  })
  const deadline = seconds === undefined ? stillClock() : deadlineIn(seconds * 1000)
  const job = { path, facts, plan, directory, budget: deadline.remaining() }
  const offers: ResultFile[] = []
  const report = { stage: () => undefined, offer: (offer: ResultFile) => offers.push(offer) }
  const result = await optimise(job, { ...report, deadline })
  return { job, answer: { result, facts, plan, bytes: await readFile(result.path), offers } }
}

/** Sends bytes through planning and the engine like the service. */
export const answer = (source: Uint8Array, request: Request = {}): Promise<Answer> =>
  inScratch(async (directory) => (await answerIn(directory, source, request)).answer)

/** The same, and scores the result independently. */
export const run = (source: Uint8Array, request: Request = {}): Promise<Result> =>
  inScratch(async (directory) => {
    const { job, answer } = await answerIn(directory, source, request)
    const { plan, bytes } = answer
    const report = { stage: () => undefined, offer: () => undefined, deadline: stillClock() }
    const { pixels } = await makePixels(job, report)
    using reference = (await metric).prepare(pixels, 'exact')
    const { format } = await sharp(bytes).metadata()
    const goal = plan.target.kind === 'score' ? goalFor(plan.target.score) : 100
    const shown = await toPixels(bytes)
    const isComparable = shown.width === pixels.width && shown.height === pixels.height
    const score = isComparable ? reference.compare(shown) : Number.NaN
    return { ...answer, format, goal, pixels, score }
  })
