import { deadlineIn } from '../../src/core/deadline.ts'
import { avifEncoderFor } from '../../src/formats/avif.ts'
import { openExaminer } from '../../src/formats/examine.ts'
import type { SearchRequest } from '../../src/formats/format.ts'
import type { QualityEffort, QualityEncoder } from '../../src/formats/quality-encoder.ts'
import { type QualityTrial, searchTrials } from '../../src/formats/quality-search.ts'
import { openStepPace } from '../../src/formats/step-pace.ts'
import { webpEncoderFor } from '../../src/formats/webp.ts'
import type { PerceptualMetrics } from '../../src/metric/metrics.ts'
import { goalFor } from '../../src/plan/targets.ts'
import { toPixels } from '../../src/raster/raw.ts'
import { survey } from '../../src/raster/survey.ts'
import { bindingConstraint } from '../../src/search/margins.ts'
import { ask } from '../corpus/ask.ts'

/** One search next to the sweep of its encoder. */
export interface SweepReading {
  readonly file: string
  readonly quality: string
  readonly format: string
  /** Where the search ended, and its bytes in terms of the smallest of the sweep; NaN where it missed a bound. */
  readonly setting: number
  readonly ratio: number
  /** The setting of the smallest file. */
  readonly smallest: number
  /** Full encodes and drafts. */
  readonly trials: number
  /** Setting and margin of each. */
  readonly why: string
}

interface Asked {
  readonly file: string
  readonly quality: string
  readonly format: string
}

/** Points below a bound from which lower settings are not tried. */
const FAR_BELOW = 6

/** The file of the fewest bytes that keeps every bound, from `from` downwards. */
const smallestFrom = async (
  { pixels, examine }: SearchRequest,
  { axis, format }: QualityEncoder,
  { encode }: QualityEffort,
  from: number,
): Promise<{ readonly setting: number; readonly bytes: number }> => {
  let best = { setting: Number.NaN, bytes: Number.NaN }
  for (let setting = from; setting >= axis.min; setting -= axis.step) {
    const file = await encode(pixels, setting)
    const { keeps, margins } = examine(await toPixels(file), format)
    if (keeps && !(file.length >= best.bytes)) best = { setting, bytes: file.length }
    if (bindingConstraint(margins)!.margin < -FAR_BELOW) break
  }
  return best
}

/** Searches one image, and sweeps the settings below the result. */
export const sweepImage = async (
  metrics: PerceptualMetrics,
  { file, quality, format }: Asked,
): Promise<SweepReading> => {
  const { pixels, plan } = await ask(file, `quality=${quality},full,format=${format}`)
  const { target } = plan
  if (target.kind === 'lossless') throw new Error('a preset with loss is needed')
  using examiner = openExaminer(metrics, { pixels, target, density: 1 })
  const trials: QualityTrial[] = []
  const request: SearchRequest = {
    pixels,
    features: survey(pixels),
    wanted: { kind: 'score', goal: { score: goalFor(target.score), slack: 1 } },
    ...examiner,
    deadline: deadlineIn(3_600_000),
    pace: openStepPace(),
    alone: true,
    bytesToBeat: () => Number.POSITIVE_INFINITY,
    encoded: () => undefined,
    outOfTime: () => undefined,
  }
  const encoder = format === 'webp' ? await webpEncoderFor(request) : avifEncoderFor(request)
  for await (const { trial } of searchTrials(encoder, request)) trials.push(trial)
  const [best] = trials.filter(({ margin }) => margin >= 0).toSorted((a, b) => a.bytes - b.bytes)
  const effort = trials.at(-1)!.effort
  const smallest = await smallestFrom(request, encoder, effort, best?.setting ?? encoder.axis.max)
  return {
    file,
    quality,
    format,
    setting: best?.setting ?? Number.NaN,
    smallest: smallest.setting,
    ratio: best === undefined ? Number.NaN : best.bytes / smallest.bytes,
    trials: trials.length,
    why: trials.map(({ setting, margin }) => `${setting}:${margin.toFixed(1)}`).join(' '),
  }
}
