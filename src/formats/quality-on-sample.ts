import type { Raster } from '../core/image.ts'
import { toPixels } from '../raster/raw.ts'
import { clamp, inverse, valueAt } from '../search/curve.ts'
import type { Candidate, SearchRequest } from './format.ts'
import type { QualityEffort, QualityEncoder } from './quality-encoder.ts'
import { type QualityTrial, quickest, searchQuality, searchTrials } from './quality-search.ts'
import { isSampled } from './sample/sample.ts'
import { type Prediction, type SampledEncoder, type SampledFormat, searchSampled } from './sampled-search.ts'

/** A setting of a lossy encoder and the effort that it was found at. */
interface QualityChoice {
  readonly setting: number
  readonly effort: QualityEffort
}

/** The smallest file of the sample that keeps every bound, else the nearest; drafts count only where nothing else was encoded. */
const predictOn = async (
  encoder: QualityEncoder,
  sample: SearchRequest,
): Promise<Prediction<QualityChoice> | undefined> => {
  const trials: QualityTrial[] = []
  for await (const { trial } of searchTrials(encoder, sample)) trials.push(trial)
  const full = trials.filter(({ effort }) => effort !== encoder.draft)
  const usable = full.length > 0 ? full : trials
  const passing = usable.filter(({ margin }) => margin >= 0).toSorted((a, b) => a.bytes - b.bytes)
  const best = passing[0] ?? usable.toSorted((a, b) => b.margin - a.margin)[0]
  return best && { setting: best, keeps: best.margin >= 0 }
}

/** Moves a setting along the typical curve, by one step at least. */
const adjustOn =
  ({ axis, curve }: QualityEncoder): SampledEncoder<QualityChoice>['adjust'] =>
  ({ setting, effort }, points) => {
    const moved = valueAt(inverse(curve), valueAt(curve, setting) + points) / axis.step
    const onAxis = (points > 0 ? Math.ceil(moved) : Math.floor(moved)) * axis.step
    return { setting: clamp(onAxis, axis.min, axis.max), effort }
  }

const sampledFormat = (
  encoder: QualityEncoder,
  pixels: Raster,
  quick: () => Promise<Candidate>,
): SampledFormat<QualityChoice> => ({
  format: encoder.format,
  msPerMegapixel: encoder.full(0, []).msPerMegapixel,
  quick,
  pixelsOf: toPixels,
  open: (sample) => ({
    predict: () => predictOn(encoder, sample),
    adjust: adjustOn(encoder),
    encode: ({ setting, effort }) => effort.encode(pixels, setting),
  }),
})

/** Searches the lowest setting of a lossy encoder that keeps every bound; that of a large image on a sample of it. */
export async function* searchLossy(encoder: QualityEncoder, request: SearchRequest): AsyncGenerator<Candidate> {
  const { pixels, wanted } = request
  if (wanted.kind === 'lossless') return
  if (!isSampled(pixels)) return yield* searchQuality(encoder, request)
  const quick = (): Promise<Candidate> => quickest(encoder, request, wanted.goal.score)
  yield* searchSampled(request, sampledFormat(encoder, pixels, quick))
}
