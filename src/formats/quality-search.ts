import type { Pixels, StillFormat } from '../core/image.ts'
import { type Axis, interpolate, nextProbe, type Probe } from '../plan/probe.ts'
import type { Candidate, SearchRequest } from './format.ts'
import { toPixels } from './raw.ts'

/** A lossy encoder with one quality setting. */
export interface QualityEncoder {
  readonly format: StillFormat
  readonly axis: Axis
  readonly encode: (pixels: Pixels, setting: number) => Promise<Uint8Array>
  /** The least CPU of all, for when little time is left. */
  readonly hasty?: (pixels: Pixels, setting: number) => Promise<Uint8Array>
  /** Of one full encode, decoded and judged, on a slow core. */
  readonly msPerMegapixel: number
  /** The same in a hurry: a fraction of the CPU, about the same score, more bytes. */
  readonly sketch?: (pixels: Pixels, setting: number) => Promise<Uint8Array>
}

const megapixels = ({ width, height }: Pixels): number => (width * height) / 1e6

/** Whether a search may not end in time, so that something must be there first. */
const isUrgent = ({ msPerMegapixel }: QualityEncoder, { pixels, deadline }: SearchRequest): boolean =>
  megapixels(pixels) * msPerMegapixel * MOST_ENCODES > deadline.remaining()

/** ms per megapixel that decoding and judging take on a slow core. */
const JUDGE_MS = 70

/** One hasty encode where most images reach the goal; judged when there is time for that. */
export const quickest = async (encoder: QualityEncoder, request: SearchRequest, goal: number): Promise<Candidate> => {
  const { pixels, judge, deadline } = request
  const setting = Math.min(encoder.axis.max, Math.round(interpolate(encoder.axis.curve, goal + 6)))
  const bytes = await (encoder.hasty ?? encoder.sketch ?? encoder.encode)(pixels, setting)
  request.encoded()
  const candidate = { format: encoder.format, bytes, lossless: false }
  if (megapixels(pixels) * JUDGE_MS > deadline.remaining()) return candidate
  return { ...candidate, score: judge(await toPixels(bytes)) }
}

/** Full encodes in a search; more only while nothing has reached the goal. */
const MOST_ENCODES = 3
/** Sketches before the first full encode; each costs about an eighth of one. */
const MOST_SKETCHES = 3
/** Above so many pixels one good file in time is worth more than sketches are. */
const LARGE_PIXELS = 16e6

/** The axis with the typical curve moved to where sketches showed this image to be. */
const sketchAxis = async (encoder: QualityEncoder, request: SearchRequest, goal: Probe['score']): Promise<Axis> => {
  const { axis, sketch } = encoder
  const { pixels, judge, deadline } = request
  if (sketch === undefined || pixels.width * pixels.height > LARGE_PIXELS) return axis
  const sketches: Probe[] = []
  for (;;) {
    const next = nextProbe(axis, { score: goal, slack: 1 }, sketches, MOST_SKETCHES)
    if (next.kind === 'stop' || sketches.length >= MOST_SKETCHES || deadline.signal.aborted) break
    sketches.push({ setting: next.setting, score: judge(await toPixels(await sketch(pixels, next.setting))) })
  }
  const nearest = sketches.toSorted((a, b) => Math.abs(a.score - goal) - Math.abs(b.score - goal))[0]
  return nearest === undefined ? axis : { ...axis, curve: moveThrough(axis.curve, nearest) }
}

/** The typical curve, moved sideways until it goes through a point. */
const moveThrough = (curve: Axis['curve'], { score, setting }: Probe): Axis['curve'] => {
  const off = setting - interpolate(curve, score)
  return curve.map(([at, typical]) => [at, typical + off] as const)
}

/**
 * Searches the lowest setting that reaches the goal; every candidate was decoded and judged. Candidates that miss the
 * goal are yielded too (the caller may have nothing better), never one that is larger than what is already verified.
 */
export async function* searchQuality(encoder: QualityEncoder, request: SearchRequest): AsyncGenerator<Candidate> {
  if (request.wanted.kind === 'lossless') return
  const { goal } = request.wanted
  const urgent = isUrgent(encoder, request)
  if (urgent) yield await quickest(encoder, request, goal.score)
  const axis = await sketchAxis(encoder, request, goal.score)
  const probes: Probe[] = []
  for (;;) {
    const next = nextProbe(axis, goal, probes, MOST_ENCODES)
    if (next.kind === 'stop' || request.deadline.signal.aborted) return
    // One that cannot end in time is not begun, unless there is nothing else.
    const isLate = megapixels(request.pixels) * encoder.msPerMegapixel > request.deadline.remaining()
    if (isLate && (urgent || Number.isFinite(request.beat()))) return request.hurried()
    const bytes = await encoder.encode(request.pixels, next.setting)
    request.encoded()
    const score = request.judge(await toPixels(bytes))
    probes.push({ setting: next.setting, score })
    yield { format: encoder.format, bytes, score, lossless: false }
    // Too large although below the goal: every setting that passes is larger still.
    if (score < goal.score && bytes.length >= request.beat()) return
  }
}
