/**
 * Searches the smallest file of an encoder with one quality setting. Drafts, at a fraction of the CPU, predict the setting of the
 * first full encode; another one follows where it breaks a bound or more than 4 % can be saved (`search/find-setting`).
 */
import type { Raster } from '../core/image.ts'
import type { BoundName } from '../plan/promise.ts'
import { toPixels } from '../raster/raw.ts'
import { hasTimeFor } from '../search/budget.ts'
import { type Curve, clamp, inverse, valueAt } from '../search/curve.ts'
import { nextSetting } from '../search/find-setting.ts'
import type { Margins } from '../search/margins.ts'
import type { SettingProblem, SettingTrial } from '../search/setting-problem.ts'
import type { Candidate, SearchRequest } from './format.ts'
import type { QualityEffort, QualityEncoder } from './quality-encoder.ts'
import { PROCESS_STEPS } from './step-pace.ts'

/** Share of the bytes that another full encode must be expected to save. */
const MIN_SAVING = 0.04
const MAX_TRIALS = 5
/** The same while every trial breaks a bound. */
const MAX_FAILING = 6
/** Standard deviation of margins around a smooth curve, and of the logarithm of an image's slope in terms of the usual one. */
const NOISE = 0.4
const SLOPE_SPREAD = 0.35
/** Drafts predict the margin of a full encode within 2.3 points (one standard deviation): nearer than this to the goal none is needed. */
const DRAFT_SLACK = 3
const MAX_DRAFTS = 2
/** A prediction is worth this share of the CPU of a full encode. */
const MAX_DRAFT_COST = 0.3
/** Points above the goal at which a draft aims that no other encode corrects. */
const SAFETY = 4
/** A full encode takes at least this share of the bytes of a draft of the same score (18 photographs: 0.52 to 0.97). */
const MIN_SHARE_OF_DRAFT = 0.6
/** Full encodes that must fit into the time before the first one begins: the second corrects the first. */
const FULL_ENCODES = 2
/** ms per megapixel that decoding and measuring take on a slow core. */
const MEASURE_MS = 70

const megapixels = ({ width, height }: Raster): number => (width * height) / 1e6

/** A measured encode with its place on the axis. */
export interface QualityTrial extends SettingTrial {
  readonly effort: QualityEffort
  readonly bytes: number
  readonly margins: Margins<BoundName>
}

/** A candidate with the trial that made it. */
interface Tried {
  readonly candidate: Candidate
  readonly trial: QualityTrial
}

/** One search: its encoder, its request and its goal in points of score. */
interface Session {
  readonly encoder: QualityEncoder
  readonly request: SearchRequest
  readonly goal: number
}

const usualMs = ({ request }: Session, { msPerMegapixel }: Pick<QualityEffort, 'msPerMegapixel'>): number =>
  megapixels(request.pixels) * msPerMegapixel

/** Whether `encodes` of an effort end in time, at the pace of this machine. */
const fits = (session: Session, effort: Pick<QualityEffort, 'msPerMegapixel'>, encodes = 1): boolean =>
  hasTimeFor(session.request, PROCESS_STEPS.expected(usualMs(session, effort)) * encodes)

/** The typical margin by setting, moved up by `shift` points. */
const priorOf = ({ encoder, goal }: Session, shift = 0): Curve =>
  encoder.curve.map(([setting, score]) => [setting, score - goal + shift] as const)

const problemOf = (session: Session, prior = priorOf(session)): SettingProblem => ({
  axis: session.encoder.axis,
  prior,
  slopeSpread: SLOPE_SPREAD,
  noise: NOISE,
  tolerance: 0,
  maxTrials: MAX_TRIALS,
  maxFailing: MAX_FAILING,
  saving: { min: MIN_SAVING, rise: valueAt(session.encoder.rise, session.goal) },
})

/**
 * Factor on the margins of contours and tile colours. They rise by 0.2 to 0.7 of the score's margin per step of the setting (13 photographs),
 * with more noise. Without it a search ended with a quarter more bytes than needed when a tile's colour kept its bound by half a point.
 */
const WORST_TILE_SLOPE = 2

/** The smallest margin, in points that rise with the setting as the score does. */
const solverMargin = (margins: Margins<BoundName>): number => {
  const { contour, tileColour, ...means } = margins
  const worst = Math.min(contour ?? Number.POSITIVE_INFINITY, tileColour ?? Number.POSITIVE_INFINITY)
  return Math.min(worst * WORST_TILE_SLOPE, ...Object.values(means))
}

/** Encodes, decodes and measures. */
const tryAt = async (session: Session, effort: QualityEffort, setting: number): Promise<Tried> => {
  const { pixels, examine } = session.request
  const since = performance.now()
  const bytes = await effort.encode(pixels, setting)
  const examined = examine(await toPixels(bytes), session.encoder.format)
  PROCESS_STEPS.took(usualMs(session, effort), performance.now() - since)
  const { margins } = examined
  const margin = solverMargin(margins)
  return {
    candidate: { kind: 'candidate', format: session.encoder.format, bytes, examined, lossless: false },
    trial: { setting, margin, effort, bytes: bytes.length, margins },
  }
}

/** The setting where most images keep the promise. */
const safeSetting = (session: Session): number => {
  const { min, max, step } = session.encoder.axis
  return clamp(Math.round(valueAt(inverse(priorOf(session)), SAFETY) / step) * step, min, max)
}

/** One draft where most images keep the promise; measured where there is time. */
export const quickest = async (encoder: QualityEncoder, request: SearchRequest, goal: number): Promise<Candidate> => {
  const session = { encoder, request, goal }
  const setting = safeSetting(session)
  if (fits(session, { msPerMegapixel: MEASURE_MS })) return (await tryAt(session, encoder.draft, setting)).candidate
  const bytes = await encoder.draft.encode(request.pixels, setting)
  return { kind: 'candidate', format: encoder.format, bytes, lossless: false }
}

/** Searches the smallest draft that keeps the promise, for when there is no time for full encodes. */
async function* searchDrafts(session: Session): AsyncGenerator<Tried> {
  const { draft } = session.encoder
  const problem = { ...problemOf(session), start: safeSetting(session) }
  const trials: QualityTrial[] = []
  for (;;) {
    const next = nextSetting(problem, trials)
    if (next.kind === 'stop' || !fits(session, draft)) return
    const tried = await tryAt(session, draft, next.setting)
    trials.push(tried.trial)
    yield tried
  }
}

/**
 * Drafts that predict the setting of a full encode; none where they cost nearly as much. A margin within the slack of 0 on either
 * side ends them: the solver works on margins that are shifted by the slack.
 */
async function* predict(session: Session): AsyncGenerator<Tried, readonly QualityTrial[]> {
  const { encoder, goal } = session
  const { draft } = encoder
  const trials: QualityTrial[] = []
  if (draft.msPerMegapixel > encoder.full(goal, []).msPerMegapixel * MAX_DRAFT_COST) return trials
  const { saving: _, ...usual } = problemOf(session, priorOf(session, DRAFT_SLACK))
  const problem = { ...usual, noise: DRAFT_SLACK, tolerance: 2 * DRAFT_SLACK }
  while (trials.length < MAX_DRAFTS) {
    const shifted = trials.map((trial) => ({ setting: trial.setting, margin: asFull(session, trial) + DRAFT_SLACK }))
    const next = nextSetting(problem, shifted)
    if (next.kind === 'stop' || session.request.deadline.signal.aborted) break
    const tried = await tryAt(session, draft, next.setting)
    trials.push(tried.trial)
    yield tried
  }
  return trials
}

/** The margin that a full encode at a trial's setting is expected to have. */
const asFull = ({ encoder: { draft } }: Session, { effort, margin, setting }: QualityTrial): number =>
  effort === draft ? margin - valueAt(draft.bias, setting) : margin

/** The typical margins of full encodes, moved through the trial that is nearest to the goal. */
const predictedBy = (session: Session, trials: readonly QualityTrial[]): Curve => {
  const [nearest] = trials.toSorted((a, b) => Math.abs(a.margin) - Math.abs(b.margin))
  if (nearest === undefined) return priorOf(session)
  return priorOf(session, asFull(session, nearest) - (valueAt(session.encoder.curve, nearest.setting) - session.goal))
}

/** Whether no full encode can be the smallest: a draft breaks a bound and is far larger than what another format has. */
const isHopeless = ({ request }: Session, drafts: readonly QualityTrial[]): boolean =>
  drafts.some(({ margin, bytes }) => margin < 0 && bytes * MIN_SHARE_OF_DRAFT > request.beat())

/** Full encodes from the predicted setting on. What suits the binding constraint better starts from what the others showed. */
async function* searchFull(session: Session, drafts: readonly QualityTrial[]): AsyncGenerator<Tried> {
  const { encoder, request, goal } = session
  const trials = [...drafts]
  for (;;) {
    const effort = encoder.full(
      goal,
      trials.map(({ margins }) => margins),
    )
    const own = trials.filter((trial) => trial.effort === effort)
    const others = trials.filter((trial) => trial.effort !== effort)
    const next = nextSetting(problemOf(session, predictedBy(session, others)), own)
    if (next.kind === 'stop' || request.deadline.signal.aborted) return
    if (!fits(session, effort)) return request.outOfTime()
    const tried = await tryAt(session, effort, next.setting)
    request.encoded()
    trials.push(tried.trial)
    yield tried
    // Too large although it breaks a bound: every setting that keeps it is larger still.
    if (tried.trial.margin < 0 && tried.trial.bytes >= request.beat()) return
  }
}

/** Searches the lowest setting that keeps every bound, and yields what it tried. Tries nothing where there is no time for two full encodes, nor for drafts. */
export async function* searchTrials(encoder: QualityEncoder, request: SearchRequest): AsyncGenerator<Tried> {
  if (request.wanted.kind === 'lossless') return
  const { score: goal } = request.wanted.goal
  const session = { encoder, request, goal }
  const full = encoder.full(goal, [])
  if (fits(session, full, FULL_ENCODES)) {
    const drafts = yield* predict(session)
    if (isHopeless(session, drafts)) return
    yield* searchFull(session, drafts)
    if (Number.isFinite(request.beat()) || fits(session, full)) return
  }
  request.outOfTime()
  if (fits(session, encoder.draft)) yield* searchDrafts(session)
}

/**
 * Searches the lowest setting that keeps every bound; every candidate was decoded and measured, but for a quick one where time is short. Candidates
 * that break a bound are yielded too, because the caller may have nothing better.
 */
export async function* searchQuality(encoder: QualityEncoder, request: SearchRequest): AsyncGenerator<Candidate> {
  if (request.wanted.kind === 'lossless') return
  let isEmpty = true
  for await (const { candidate } of searchTrials(encoder, request)) {
    isEmpty = false
    yield candidate
  }
  if (isEmpty && !Number.isFinite(request.beat())) yield await quickest(encoder, request, request.wanted.goal.score)
}
