/**
 * Searches the smallest file of an encoder with one quality setting. Drafts, at a fraction of the CPU, predict the setting of the
 * first full encode; another one follows where it breaks a bound or may save enough (`search/find-setting`).
 */
import type { Raster } from '../core/image.ts'
import type { BoundName } from '../plan/promise.ts'
import { toPixels } from '../raster/raw.ts'
import { hasTimeFor, MIN_SAVING, MS_PER_MEGAPIXEL } from '../search/budget.ts'
import { type Curve, clamp, inverse, valueAt } from '../search/curve.ts'
import { nextSetting, smallestPassing } from '../search/find-setting.ts'
import type { Margins } from '../search/margins.ts'
import type { NextSetting, SettingProblem, SettingTrial } from '../search/setting-problem.ts'
import type { Candidate, SearchRequest } from './format.ts'
import type { EffortTrial, QualityEffort, QualityEncoder } from './quality-encoder.ts'
import { quickSampleOf } from './sample/sample.ts'

/** Full encodes of a search at most. */
const MAX_TRIALS = 5
/** The same while every trial breaks a bound. */
const MAX_FAILING = 6
/** Standard deviation of margins around a smooth curve, in points. */
const NOISE = 0.4
/** Standard deviation of the logarithm of an image's slope in terms of the usual one. */
const SLOPE_SPREAD = 0.35
/** Drafts of a search at most. */
const MAX_DRAFTS = 3
/** Points by which a prediction that nothing can correct aims higher. */
const CAUTION = 1
/** A draft is made where it costs at most this share of the CPU of a full encode. */
const MAX_DRAFT_COST = 0.5
/** Points above the goal at which a draft aims that no other encode corrects. */
const SAFETY = 4
/** A full encode takes at least this share of the bytes of a draft of the same score (18 photographs: 0.52 to 0.97). */
const MIN_SHARE_OF_DRAFT = 0.6
/** Full encodes that a search usually takes. Where they do not fit into the time, a draft at a safe setting comes first. */
const USUAL_ENCODES = 3

const megapixels = ({ width, height }: Raster): number => (width * height) / 1e6

/** A measured encode with its place on the axis. */
export interface QualityTrial extends SettingTrial, EffortTrial {
  readonly bytes: number
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
  hasTimeFor(session.request, session.request.pace.expected(usualMs(session, effort)) * encodes)

/** The typical margin by setting, moved up by `shift` points. */
const priorOf = ({ encoder, goal }: Session, shift = 0): Curve =>
  encoder.curve.map(([setting, score]) => [setting, score - goal + shift] as const)

const minSavingOf = ({ encoder: { minSaving }, goal }: Session): number =>
  minSaving === undefined ? MIN_SAVING : valueAt(minSaving, goal)

const problemOf = (session: Session, prior = priorOf(session)): SettingProblem => ({
  axis: session.encoder.axis,
  prior,
  ...(session.encoder.maxJump === undefined ? {} : { maxJump: session.encoder.maxJump }),
  slopeSpread: SLOPE_SPREAD,
  noise: NOISE,
  tolerance: 0,
  maxTrials: MAX_TRIALS,
  maxFailing: MAX_FAILING,
  saving: { min: minSavingOf(session), rise: valueAt(session.encoder.rise, session.goal) },
})

/**
 * Factor on the margins of contours and tile colours where they are kept: they rise by 0.2 to 0.7 of the score's margin per step of the setting (13
 * photographs), with more noise. Without it a search ended with a quarter more bytes than needed when a tile's colour kept its bound by half a point.
 * Below 0 they rise as fast as the score (82 photographs as WebP).
 */
const WORST_TILE_SLOPE = 2

/** The smallest margin, in points that rise with the setting as the score does. */
const solverMargin = (margins: Margins<BoundName>): number => {
  const { contour, tileColour, ...means } = margins
  const worst = Math.min(contour ?? Number.POSITIVE_INFINITY, tileColour ?? Number.POSITIVE_INFINITY)
  return Math.min(worst * (worst > 0 ? WORST_TILE_SLOPE : 1), ...Object.values(means))
}

/** Encodes, and returns the file with the function that decodes and measures it. The pace is taken of both together. */
const encodeAt = async (session: Session, effort: QualityEffort, setting: number) => {
  const { format, decode = toPixels, patience = 0 } = session.encoder
  const { pixels, examine, pace } = session.request
  const since = performance.now()
  const bytes = await effort.encode(pixels, setting)
  return {
    file: { kind: 'candidate', format, bytes, lossless: false } as const,
    measure: async () => {
      const examined = examine(await decode(bytes), format, patience)
      pace.took(usualMs(session, effort), performance.now() - since)
      return examined
    },
  }
}

/** Encodes, decodes and measures. */
const tryAt = async (session: Session, effort: QualityEffort, setting: number): Promise<Tried> => {
  const { file, measure } = await encodeAt(session, effort, setting)
  const { bytes } = file
  const examined = await measure()
  const { margins } = examined
  const margin = solverMargin(margins)
  return {
    candidate: { ...file, examined },
    trial: { setting, margin, effort, bytes: bytes.length, margins },
  }
}

/** The setting where most images keep the promise. */
const safeSetting = (session: Session): number => {
  const { min, max, step } = session.encoder.axis
  return clamp(Math.round(valueAt(inverse(priorOf(session)), SAFETY) / step) * step, min, max)
}

/** Points above its bounds that the sample is drafted to: it errs, and nothing may be left to correct it. */
const SAMPLE_AIM = 1.5

/** The setting of a quick file: the lowest draft of a small sample that keeps every bound, else one with which most images keep them. */
const quickSetting = async (session: Session): Promise<number> => {
  const { encoder, request, goal } = session
  const sample = quickSampleOf(request.pixels)
  if (sample === undefined || request.deadline.signal.aborted) return safeSetting(session)
  const { pixels, interiors } = sample
  using measures = request.examinePart(pixels, 1, interiors)
  const part = { ...session, request: { ...request, ...measures, pixels }, goal: goal + SAMPLE_AIM }
  const trials: QualityTrial[] = []
  while (trials.length < MAX_DRAFTS) {
    const next = nextSetting({ ...problemOf(part), start: safeSetting(session) }, trials)
    if (next.kind === 'stop') break
    const { trial } = await tryAt(part, encoder.draft, next.setting)
    trials.push({ ...trial, margin: trial.margin - SAMPLE_AIM })
  }
  return smallestPassing(trials)?.setting ?? safeSetting(session)
}

/**
 * One draft that most likely keeps the promise; once more with its measurements where there is time for them. Without another file it is
 * yielded before it is measured, since time may end in between.
 */
export async function* quickest(
  encoder: QualityEncoder,
  request: SearchRequest,
  goal: number,
): AsyncGenerator<Candidate> {
  const session = { encoder, request, goal }
  const { file, measure } = await encodeAt(session, encoder.draft, await quickSetting(session))
  const isMeasured = fits(session, { msPerMegapixel: MS_PER_MEGAPIXEL.score })
  if (!isMeasured || !Number.isFinite(request.bytesToBeat())) yield file
  if (!isMeasured) return
  yield { ...file, examined: await measure() }
}

/** The setting where trials of other efforts predict a margin of `caution` points, and the typical margins moved through it. */
const predictedBy = (
  session: Session,
  trials: readonly QualityTrial[],
  { effort, caution }: { readonly effort: QualityEffort; readonly caution: number },
): Pick<SettingProblem, 'prior' | 'start'> => {
  const { encoder, goal } = session
  if (trials.length === 0) return { prior: priorOf(session, -caution) }
  const foreseen = trials.map((trial) => ({
    setting: trial.setting,
    margin: solverMargin(encoder.expected(trial, effort)) - caution,
  }))
  const { saving: _, ...usual } = problemOf(session)
  const next = nextSetting({ ...usual, tolerance: NOISE, maxTrials: Number.POSITIVE_INFINITY }, foreseen)
  const start = next.kind === 'trial' ? next.setting : (smallestPassing(foreseen)?.setting ?? encoder.axis.max)
  return { start, prior: priorOf(session, goal - valueAt(encoder.curve, start)) }
}

/** Whether no full encode can be the smallest: a draft breaks a bound and is far larger than what another format has. */
const exceedsByDraft = ({ request }: Session, drafts: readonly QualityTrial[]): boolean =>
  drafts.some(({ margin, bytes }) => margin < 0 && bytes * MIN_SHARE_OF_DRAFT > request.bytesToBeat())

/** The effort of the next full encode. */
const fullAfter = ({ encoder, goal }: Session, trials: readonly QualityTrial[]): QualityEffort =>
  encoder.full(
    goal,
    trials.map(({ margins }) => margins),
  )

/** Whether trials showed that full encodes need another effort, which cheaper ones hardly predict. */
const isOtherFull = (session: Session, trials: readonly QualityTrial[]): boolean =>
  fullAfter(session, trials) !== fullAfter(session, [])

const keepsAll = ({ margin }: QualityTrial): boolean => margin >= 0

const ofEffort = (trials: readonly QualityTrial[], effort: QualityEffort): readonly QualityTrial[] =>
  trials.filter((trial) => trial.effort === effort)

/** The trials that predict best: full encodes of another effort, else those of the effort between, else drafts. */
const predicting = (
  { encoder }: Session,
  trials: readonly QualityTrial[],
  effort: QualityEffort,
): readonly QualityTrial[] => {
  const { draft, between } = encoder
  const others = trials.filter((trial) => trial.effort !== effort)
  const above = others.filter((trial) => trial.effort !== draft && trial.effort !== between)
  const ofBetween = others.filter((trial) => trial.effort === between)
  return [above, ofBetween, others].find(({ length }) => length > 0) ?? []
}

/**
 * Whether no higher setting of an effort is expected to save enough: all its trials break a bound, and the last one is so near to it
 * that the bytes beyond are known.
 */
const cannotSave = (session: Session, own: readonly QualityTrial[]): boolean => {
  const { encoder, request, goal } = session
  const { margin, bytes } = own.at(-1)!
  const points = margin < -CAUTION ? 0 : -margin
  const expected = bytes * Math.exp(points * valueAt(encoder.rise, goal))
  const wanted = request.bytesToBeat() * (points > 0 ? 1 - minSavingOf(session) : 1)
  return own.every((trial) => trial.margin < 0) && expected >= wanted
}

/** The encodes of one effort. */
interface Phase {
  readonly effortFor: (trials: readonly QualityTrial[]) => QualityEffort
  /** Trials at most, the first that keeps every bound being the last. Absent for encodes that go on until they are solved. */
  readonly maxTrials?: number
  /** Points by which a setting that drafts alone predict is set higher. */
  readonly caution: number
  /** The setting of the first trial of all; where the prior reaches the bounds unless given. */
  readonly start?: () => Promise<number>
}

/** The setting that follows the trials of an effort, by what other efforts predict. */
const nextOf = async (
  session: Session,
  effort: QualityEffort,
  { caution, start }: Phase,
  trials: readonly QualityTrial[],
): Promise<NextSetting> => {
  const { draft } = session.encoder
  const own = ofEffort(trials, effort)
  const others = predicting(session, trials, effort)
  const isByDrafts = others.every((trial) => trial.effort === draft)
  const predicted =
    trials.length === 0 && start !== undefined
      ? { prior: priorOf(session), start: await start() }
      : predictedBy(session, others, { effort, caution: isByDrafts ? caution : 0 })
  return nextSetting({ ...problemOf(session, predicted.prior), ...predicted }, own)
}

/** Encodes of one phase. Adds them to `trials`. Returns whether the phase ended before the time. */
async function* searchPhase(session: Session, phase: Phase, trials: QualityTrial[]): AsyncGenerator<Tried, boolean> {
  const { effortFor, maxTrials } = phase
  for (;;) {
    const effort = effortFor(trials)
    const own = ofEffort(trials, effort)
    if (maxTrials !== undefined && (own.length >= maxTrials || own.some(keepsAll) || isOtherFull(session, trials)))
      return true
    const next = await nextOf(session, effort, phase, trials)
    if (next.kind === 'stop') return true
    if (!fits(session, effort)) return false
    const tried = await tryAt(session, effort, next.setting)
    if (effort !== session.encoder.draft) session.request.encoded()
    trials.push(tried.trial)
    yield tried
    if (maxTrials === undefined && cannotSave(session, [...own, tried.trial])) return true
  }
}

const hasCheapDrafts = ({ encoder, goal }: Session): boolean =>
  encoder.draft.msPerMegapixel <= encoder.full(goal, []).msPerMegapixel * MAX_DRAFT_COST

/** The phases of a search from the cheapest effort to the full one; each predicts the next. */
const phasesOf = (session: Session): readonly Phase[] => {
  const { draft, between } = session.encoder
  const isHurried = !fits(session, fullAfter(session, []), USUAL_ENCODES)
  const isCheap = hasCheapDrafts(session)
  // Without an effort between, the trials are the same at every timeout.
  const caution = isHurried && between !== undefined ? CAUTION : 0
  const drafts: Phase = {
    effortFor: () => draft,
    maxTrials: isCheap ? MAX_DRAFTS : 1,
    caution,
    start: () => quickSetting(session),
  }
  return [
    ...(isCheap || isHurried ? [drafts] : []),
    ...(between !== undefined && isHurried ? [{ effortFor: () => between, maxTrials: 1, caution }] : []),
    { effortFor: (trials) => fullAfter(session, trials), caution },
  ]
}

/**
 * Runs phase after phase. Time only ends them, so that more time never gives more bytes. Where a full encode no longer fits into the time that is left,
 * encodes of the cheaper efforts go on until they are solved.
 */
async function* searchSettings(session: Session): AsyncGenerator<Tried> {
  const { draft, between } = session.encoder
  const trials: QualityTrial[] = []
  let hasTime = true
  for (const phase of phasesOf(session)) {
    hasTime = yield* searchPhase(session, phase, trials)
    if (!hasTime || exceedsByDraft(session, trials)) break
  }
  if (hasTime) return
  session.request.outOfTime()
  for (const effort of between === undefined ? [draft] : [between, draft]) {
    yield* searchPhase(session, { effortFor: () => effort, caution: CAUTION }, trials)
    if (trials.some((trial) => trial.effort === between && keepsAll(trial))) return
  }
}

/** A trial that breaks a bound once more, with every bound measured: the answer names those that the nearest result breaks. */
const measuredInFull = async ({ encoder, request }: Session, { candidate, trial }: Tried): Promise<Tried> => {
  const { format, decode = toPixels } = encoder
  const examined = request.examine(await decode(candidate.bytes), format, Number.POSITIVE_INFINITY)
  const { margins } = examined
  return { candidate: { ...candidate, examined }, trial: { ...trial, margins, margin: solverMargin(margins) } }
}

/**
 * Searches the lowest setting that keeps every bound, and yields what it tried. Where time is short, the first try is a draft that most
 * likely keeps them; full encodes follow as long as each fits into the time. Tries nothing where there is no time for a draft.
 */
export async function* searchTrials(encoder: QualityEncoder, request: SearchRequest): AsyncGenerator<Tried> {
  if (request.wanted.kind === 'lossless') return
  const session = { encoder, request, goal: request.wanted.goal.score }
  let nearest: Tried | undefined
  for await (const tried of searchSettings(session)) {
    if (nearest === undefined || tried.trial.margin > nearest.trial.margin) nearest = tried
    yield tried
  }
  if (nearest === undefined || nearest.trial.margin >= 0 || nearest.candidate.examined?.butteraugli !== undefined)
    return
  if (!request.deadline.signal.aborted) yield await measuredInFull(session, nearest)
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
  if (isEmpty && !Number.isFinite(request.bytesToBeat())) yield* quickest(encoder, request, request.wanted.goal.score)
}
