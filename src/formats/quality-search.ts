import type { Raster, StillFormat } from '../core/image.ts'
import { type Axis, aimAt, fitCurve, type Goal, interpolate, nextProbe, type Probe, settingFor } from '../plan/probe.ts'
import { toPixels } from '../raster/raw.ts'
import type { Candidate, Examined, SearchRequest } from './format.ts'

/** The smallest full encode that keeps the promise, its setting, and whether contours told. */
export interface FoundSetting {
  readonly bytes: Uint8Array
  readonly setting: number
  readonly contours: boolean
}

/** A lossy encoder with one quality setting. */
export interface QualityEncoder {
  readonly format: StillFormat
  readonly axis: Axis
  readonly encode: (pixels: Raster, setting: number) => Promise<Uint8Array>
  /** The same for images of which a file broke the bound of contours: about the same score and bytes, quieter smooth places. */
  readonly encodeSmooth?: (pixels: Raster, setting: number) => Promise<Uint8Array>
  /** What was found in fewer bytes, for CPU that no search could pay at every setting: files of which the first that keeps the promise is taken. */
  readonly finish?: (pixels: Raster, found: FoundSetting) => Promise<readonly Uint8Array[]>
  /** The least CPU of all, for when little time is left. */
  readonly fast?: (pixels: Raster, setting: number) => Promise<Uint8Array>
  /** Of one full encode, decoded and scored, on a slow core. */
  readonly msPerMegapixel: number
  /** The same in a hurry: a fraction of the CPU, about the same score, more bytes. */
  readonly draft?: (pixels: Raster, setting: number) => Promise<Uint8Array>
  /** By how much drafts score higher than full encodes in the mean: [setting, points] pairs, rising by setting. */
  readonly draftBias?: readonly (readonly [setting: number, points: number])[]
}

const megapixels = ({ width, height }: Raster): number => (width * height) / 1e6

/** What measures the files of one search, and remembers whether contours told against one of them. */
interface Measuring {
  /** `standing` is the score that a search follows: once contours have told, that of the worst place has a say where all bounds are kept too. */
  readonly measure: (bytes: Uint8Array) => Promise<{ readonly examined: Examined; readonly standing: number }>
  readonly contoursTell: () => boolean
}

const openMeasuring = ({ examine, places }: SearchRequest): Measuring => {
  let contoursTell = false
  const measure: Measuring['measure'] = async (bytes) => {
    const shown = await toPixels(bytes)
    const examined = examine(shown)
    contoursTell ||= examined.broken.includes('contour')
    const byPlaces = contoursTell && examined.keeps
    return { examined, standing: byPlaces ? Math.min(examined.effective, places(shown)) : examined.effective }
  }
  return { measure, contoursTell: () => contoursTell }
}

/** Whether a search may not end in time, so that something must be there first. */
const isUrgent = (encoder: QualityEncoder, request: SearchRequest): boolean =>
  encodeMs(encoder, request) * MOST_ENCODES > request.deadline.remaining()

/** ms per megapixel that decoding and scoring take on a slow core. */
const SCORE_MS = 70

/** One fast encode where most images reach the goal, or at `setting`; scored when there is time for that. */
export const quickest = async (
  encoder: QualityEncoder,
  request: SearchRequest,
  goal: number,
  setting = settingFor(encoder.axis, goal + 6),
): Promise<Candidate> => {
  const { pixels, examine, deadline } = request
  const bytes = await (encoder.fast ?? encoder.draft ?? encoder.encode)(pixels, setting)
  request.encoded()
  const candidate = { format: encoder.format, bytes, lossless: false }
  if (megapixels(pixels) * SCORE_MS > deadline.remaining()) return candidate
  return { ...candidate, examined: examine(await toPixels(bytes)) }
}

/** ms that a full encode may take. */
const encodeMs = ({ msPerMegapixel }: QualityEncoder, { pixels }: SearchRequest): number =>
  megapixels(pixels) * msPerMegapixel

/** Fast encodes when there is no time for a full one. */
const MOST_FAST = 3
/** Points above the goal where a fast encode is near enough. */
const FAST_SLACK = 5
/** One more encode may take so much longer than the one before. */
const CAUTION = 1.25

/** Something at once; then, while a full encode would come too late, fast ones that are nearer to the goal. Returns what was learnt. */
async function* hasten(
  encoder: QualityEncoder,
  request: SearchRequest,
  goal: Goal,
): AsyncGenerator<Candidate, Probe[]> {
  const { deadline } = request
  const probes: Probe[] = []
  let setting = settingFor(encoder.axis, goal.score + 6)
  for (;;) {
    const since = performance.now()
    const candidate = await quickest(encoder, request, goal.score, setting)
    const expected = (performance.now() - since) * CAUTION
    const score = candidate.examined?.effective
    if (score !== undefined) probes.push({ setting, score })
    yield candidate
    const next = nextProbe(encoder.axis, { score: goal.score, slack: FAST_SLACK }, probes, MOST_FAST)
    const fullFits = encodeMs(encoder, request) < deadline.remaining()
    if (score === undefined || next.kind === 'stop' || fullFits || probes.length === MOST_FAST) return probes
    if (expected > deadline.remaining()) return probes
    setting = next.setting
  }
}

/** The axis with the typical curve moved to where fast encodes showed this image to be. */
async function* fastAxis(encoder: QualityEncoder, request: SearchRequest, goal: Goal): AsyncGenerator<Candidate, Axis> {
  const { axis } = encoder
  return { ...axis, curve: fitCurve(axis, yield* hasten(encoder, request, goal), aimAt(goal)) }
}

/** Full encodes in a search; more only while nothing has reached the goal. */
const MOST_ENCODES = 3
/** The same where contours bind, which go with the setting by fits and starts; so a smaller part of the slack is near enough. */
const MOST_FOR_CONTOURS = 5
const CONTOURS_SLACK = 0.3
/** Drafts before the first full encode; each costs about an eighth of one. A third gained nothing. */
const MOST_DRAFTS = 2
/** Drafts score within 3 points (one standard deviation) of a full encode: nearer to the goal none is needed. */
const DRAFT_SLACK = 3
/** A full encode weighs at least so much of a draft of the same score (18 photographs: 0.52 to 0.97, 0.74 in the median). */
const LEAST_OF_DRAFT = 0.6
/** Above so many pixels one good file in time is worth more than drafts are. */
const LARGE_PIXELS = 16e6

/**
 * The axis with the typical curve moved to where drafts showed this image to be. A draft is a file like any other, only
 * larger: each is yielded, so that something is there early. Undefined where no full encode can be the smallest of all.
 */
async function* draftAxis(
  encoder: QualityEncoder,
  request: SearchRequest,
  aim: number,
  { measure }: Measuring,
): AsyncGenerator<Candidate, Axis | undefined> {
  const { axis, draft, draftBias, format } = encoder
  const { pixels, deadline } = request
  if (draft === undefined || pixels.width * pixels.height > LARGE_PIXELS) return axis
  const drafts: Probe[] = []
  while (drafts.length < MOST_DRAFTS && !deadline.signal.aborted) {
    const setting = settingFor({ ...axis, curve: fitCurve(axis, drafts, aim) }, aim)
    if (drafts.some((one) => one.setting === setting)) break
    const bytes = await draft(pixels, setting)
    const { examined, standing: score } = await measure(bytes)
    if (score < aim && bytes.length * LEAST_OF_DRAFT > request.beat()) return undefined
    yield { format, bytes, examined, lossless: false }
    const full = score - (draftBias === undefined ? 0 : interpolate(draftBias, setting))
    drafts.push({ setting, score: full })
    if (Math.abs(full - aim) < DRAFT_SLACK) break
  }
  return { ...axis, curve: fitCurve(axis, drafts, aim) }
}

/** Points above the goal that a last fast encode aims at: nothing corrects it. */
const SAFELY = 3

/** What was kept, once more in fewer bytes, where an encoder can and others left it a chance. */
async function* finished(
  { finish, format }: QualityEncoder,
  request: SearchRequest,
  found: FoundSetting,
): AsyncGenerator<Candidate> {
  if (request.deadline.signal.aborted || found.bytes.length > request.beat()) return
  for (const bytes of (await finish?.(request.pixels, found)) ?? []) {
    request.encoded()
    if (bytes.length >= found.bytes.length) continue
    const examined = request.examine(await toPixels(bytes))
    yield { format, bytes, examined, lossless: false }
    if (examined.keeps) return
  }
}

/**
 * Searches the lowest setting that reaches the goal; every candidate was decoded and scored. Candidates that miss the
 * goal are yielded too (the caller may have nothing better), never one that is larger than what is already verified.
 */
export async function* searchQuality(encoder: QualityEncoder, request: SearchRequest): AsyncGenerator<Candidate> {
  if (request.wanted.kind === 'lossless') return
  const { goal } = request.wanted
  const { deadline } = request
  const urgent = isUrgent(encoder, request)
  const measuring = openMeasuring(request)
  const axis = yield* urgent ? fastAxis(encoder, request, goal) : draftAxis(encoder, request, aimAt(goal), measuring)
  if (axis === undefined) return
  const probes: Probe[] = []
  let found: FoundSetting | undefined
  let slowest = encodeMs(encoder, request)
  for (;;) {
    const contours = measuring.contoursTell()
    const next = contours
      ? nextProbe(axis, { ...goal, slack: goal.slack * CONTOURS_SLACK }, probes, MOST_FOR_CONTOURS)
      : nextProbe(axis, goal, probes, MOST_ENCODES)
    if (next.kind === 'stop' || deadline.signal.aborted) {
      if (found !== undefined) yield* finished(encoder, request, found)
      return
    }
    if (slowest > deadline.remaining()) {
      request.outOfTime()
      // One that cannot end in time is not begun; where nothing has reached the goal yet, a fast one can.
      if (urgent || Number.isFinite(request.beat())) return
      return yield await quickest(encoder, request, goal.score, settingFor(axis, goal.score + SAFELY))
    }
    const since = performance.now()
    const encode = contours ? (encoder.encodeSmooth ?? encoder.encode) : encoder.encode
    const bytes = await encode(request.pixels, next.setting)
    request.encoded()
    const { examined, standing: score } = await measuring.measure(bytes)
    slowest = Math.max(slowest, performance.now() - since)
    probes.push({ setting: next.setting, score })
    if (examined.keeps && bytes.length < (found?.bytes.length ?? Number.POSITIVE_INFINITY))
      found = { bytes, setting: next.setting, contours }
    yield { format: encoder.format, bytes, examined, lossless: false }
    // Too large although below the goal: every setting that passes is larger still.
    if (score < goal.score && bytes.length >= request.beat()) return
  }
}
