import type { Raster } from '../core/image.ts'
import { toPixels } from '../raster/raw.ts'
import { clamp, inverse, valueAt } from '../search/curve.ts'
import { bindingConstraint } from '../search/margins.ts'
import type { Candidate, SearchRequest } from './format.ts'
import type { QualityEffort, QualityEncoder } from './quality-encoder.ts'
import { type QualityTrial, quickest, searchQuality, searchTrials } from './quality-search.ts'
import { isSampled } from './sample/sample.ts'
import {
  hasTimeForWhole,
  type Prediction,
  type SampledEncoder,
  type SampledFormat,
  searchSampled,
} from './sampled-search.ts'

/** A setting of a lossy encoder and the effort that it was found at. */
interface QualityChoice {
  readonly setting: number
  readonly effort: QualityEffort
}

/**
 * Points. `unfinished` is how far above its bounds the setting aims where the search of the sample had no time to end. `gain` is what a higher setting must
 * gain of the bound that is broken: one that gained 0.15 for 2.7 gained nothing for the next 2.2.
 */
const POINTS = { unfinished: 2, gain: 0.5 } as const

/** A setting moved along the typical curve, by one step at least. */
const moved = ({ axis, curve }: QualityEncoder, { setting, effort }: QualityChoice, points: number): QualityChoice => {
  const to = valueAt(inverse(curve), valueAt(curve, setting) + points) / axis.step
  const onAxis = (points > 0 ? Math.ceil(to) : Math.floor(to)) * axis.step
  return { setting: clamp(onAxis, axis.min, axis.max), effort }
}

/** Moves a setting by as many points as the binding constraint asks for; to the finest effort where the last move gained nothing. */
const adjustOn =
  (encoder: QualityEncoder): SampledEncoder<QualityChoice>['adjust'] =>
  (choice, points, { margins }, before) => {
    const { bound, margin } = bindingConstraint(margins)!
    const gained = margin - (before?.margins[bound] ?? Number.NEGATIVE_INFINITY)
    if (points > 0 && gained < POINTS.gain && encoder.finest !== undefined && choice.effort !== encoder.finest)
      return { setting: choice.setting, effort: encoder.finest }
    const isWorstTile = points > 0 && (bound === 'contour' || bound === 'tileColour')
    return moved(encoder, choice, isWorstTile ? points + (encoder.tileNoise ?? 0) : points)
  }

/** Where the bound that the lower setting breaks is kept, on a straight line between the margins of both. */
const betweenOn =
  ({ axis }: QualityEncoder): SampledEncoder<QualityChoice>['between'] =>
  (fails, passes) => {
    const { setting: low, effort } = fails.setting
    const { setting: high } = passes.setting
    if (effort !== passes.setting.effort || high - low <= axis.step) return undefined
    const { bound, margin } = bindingConstraint(fails.examined.margins)!
    const share = margin / (margin - passes.examined.margins[bound]!)
    const setting = low + Math.round((share * (high - low)) / axis.step) * axis.step
    return { setting: clamp(setting, low + axis.step, high - axis.step), effort }
  }

/** The setting that a search of the sample finds; where none keeps the bounds, one of the finest effort. */
const predictOn = async (
  encoder: QualityEncoder,
  sample: SearchRequest,
): Promise<Prediction<QualityChoice> | undefined> => {
  const usual = await searchSample(encoder, sample)
  const { finest } = encoder
  if (finest === undefined || usual?.keeps !== false) return usual
  return searchSample({ ...encoder, full: () => finest }, sample)
}

/** The smallest file of the sample that keeps every bound, else the nearest; drafts count only where nothing else was encoded. */
const searchSample = async (
  encoder: QualityEncoder,
  sample: SearchRequest,
): Promise<Prediction<QualityChoice> | undefined> => {
  const trials: QualityTrial[] = []
  let isCut = false
  const outOfTime = (): void => {
    isCut = true
    sample.outOfTime()
  }
  const { between, ...others } = encoder
  // Where the whole can drop to a lower effort, the time is better spent on it than on a search of that effort.
  const searched = encoder.canDrop ? others : encoder
  for await (const { trial } of searchTrials(searched, { ...sample, outOfTime })) trials.push(trial)
  const full = trials.filter(({ effort }) => effort !== encoder.draft)
  const usable = full.length > 0 ? full : trials
  const passing = usable.filter(({ margin }) => margin >= 0).toSorted((a, b) => a.bytes - b.bytes)
  const best = passing[0] ?? usable.toSorted((a, b) => b.margin - a.margin)[0]
  if (best === undefined || best.margin >= 0 || !isCut) return best && { setting: best, keeps: best.margin >= 0 }
  return { setting: moved(encoder, best, POINTS.unfinished - best.margin), keeps: true }
}

/** The cost of a whole image: ms per megapixel on slow cores, and whether an encode can drop to a lower effort. */
const costOfWhole = ({ wholeTime = 1, canDrop = false }: QualityEncoder, { msPerMegapixel }: QualityEffort) => ({
  msPerMegapixel: msPerMegapixel * wholeTime,
  canDrop,
})

const sampledFormat = (
  encoder: QualityEncoder,
  pixels: Raster,
  quick: () => AsyncGenerator<Candidate>,
): SampledFormat<QualityChoice> => ({
  format: encoder.format,
  ...costOfWhole(encoder, encoder.full(0, [])),
  quick,
  open: (sample) => ({
    predict: () => predictOn(encoder, sample),
    adjust: adjustOn(encoder),
    between: encoder.narrows ? betweenOn(encoder) : undefined,
    encode: async ({ setting, effort }) => {
      const bytes = await effort.encode(pixels, setting)
      return { bytes, shown: () => (encoder.decode ?? toPixels)(bytes) }
    },
  }),
})

/** Encodes of the whole that must fit into the time, unless the encoder names another number: the second corrects the first. */
const MIN_WHOLES = 2

/** The encoder; where full encodes of a sample and of the whole do not fit into the time, with the effort between, or with drafts alone. */
const encoderInTime = (encoder: QualityEncoder, request: SearchRequest): QualityEncoder => {
  const { minWholes = MIN_WHOLES } = encoder
  const fits = (effort: QualityEffort): boolean => hasTimeForWhole(request, costOfWhole(encoder, effort), minWholes)
  if (fits(encoder.full(0, []))) return encoder
  request.outOfTime()
  const { between, ...others } = encoder
  return { ...others, full: () => (between !== undefined && fits(between) ? between : encoder.draft) }
}

/** Searches the lowest setting of a lossy encoder that keeps every bound; that of a large image on a sample of it. */
export async function* searchLossy(encoder: QualityEncoder, request: SearchRequest): AsyncGenerator<Candidate> {
  const { pixels, wanted } = request
  if (wanted.kind === 'lossless') return
  if (!isSampled(pixels)) return yield* searchQuality(encoder, request)
  const quick = (): AsyncGenerator<Candidate> => quickest(encoder, request, wanted.goal.score)
  yield* searchSampled(request, sampledFormat(encoderInTime(encoder, request), pixels, quick))
}
