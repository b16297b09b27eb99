/**
 * Searches the setting of a large image on a sample of its tiles, encodes the whole once and measures it. Every bound is held against the
 * whole, every tile included; what breaks one is corrected along the difference.
 */

import type { AnyRaster, Extent, StillFormat } from '../core/image.ts'
import { dropIdleJpegKernels } from '../jpeg/kernel.ts'
import { ESTIMATE_ERROR, hasTimeFor } from '../search/budget.ts'
import { bindingConstraint } from '../search/margins.ts'
import { collectAllGarbage } from '../support/collect-garbage.ts'
import { dropIdleKernels } from '../support/kernel-pool.ts'
import { FAILS_BY_SCORE } from './examine.ts'
import type { Candidate, Examined, SearchRequest } from './format.ts'
import { forgetHalvedChroma } from './halved-chroma.ts'
import { type Aim, aimHigher } from './sample/aim-higher.ts'
import { SAMPLE_SIZE, type Sample, sampleOf } from './sample/sample.ts'

/** A setting, and whether the sample keeps every bound with it. */
export interface Prediction<Setting> {
  readonly setting: Setting
  readonly keeps: boolean
}

/** A whole image as it was encoded at a setting and measured. */
export interface Whole<Setting> {
  readonly setting: Setting
  readonly examined: Examined
}

/** An encoder whose setting is found on a sample of a large image. */
export interface SampledEncoder<Setting> {
  /** The cheapest setting with which the sample keeps every bound, else the nearest; undefined where nothing can stay below the bytes to beat, or there is no time. */
  readonly predict: () => Promise<Prediction<Setting> | undefined>
  /**
   * A setting that scores about `points` more than the one that was examined, or less where they are negative. `before` is what the encode
   * before it scored, if there was one.
   */
  readonly adjust: (setting: Setting, points: number, examined: Examined, before?: Examined) => Setting
  /**
   * A setting between that of a whole that breaks a bound and that of a larger whole that keeps every bound; undefined where there is none. Where
   * this function is absent, the whole that keeps every bound is the last.
   */
  readonly between?: ((fails: Whole<Setting>, passes: Whole<Setting>) => Setting | undefined) | undefined
  /** Encodes the whole image. */
  readonly encode: (setting: Setting) => Promise<EncodedWhole>
}

/** A whole image as a file. */
export interface EncodedWhole {
  readonly bytes: Uint8Array
  /** The pixels that are shown of the file. Call it once: the encoder then frees what it held. */
  readonly shown: () => Promise<AnyRaster>
}

/** How a format searches large images. */
export interface SampledFormat<Setting> {
  readonly format: StillFormat
  /** CPU of one encode of the whole, decoded and measured, in ms per megapixel on a slow core. */
  readonly msPerMegapixel: number
  /** Whether an encode that takes too long goes on in a way that takes less; false where it is absent. */
  readonly canDrop?: boolean
  /** A file in a fraction of that time, and the same once it is measured. */
  readonly quick: () => AsyncGenerator<Candidate>
  /** Opens the encoder of the whole image for the search of a sample. */
  readonly open: (sample: SearchRequest) => SampledEncoder<Setting>
}

/** Points above its bounds that a sample is searched to: what it errs by, so that most images pass at once. */
const FIRST_AIM: Aim = { overall: 0.5, artefacts: 0 }
/** The same where there is time for one encode of the whole. */
const ONLY_AIM: Aim = { overall: 2, artefacts: 2 }
/** Points of margin up to which a result is near enough: about 5 % of the bytes. */
const NEAR = 2.2
/** Encodes of the whole: one, and corrections until every bound is kept; nearly always none or one. */
const MAX_ENCODES = 4
/** A quick file comes first unless the whole has this factor of its expected time. A whole that can drop to a lower effort needs its expected time alone. */
const SURE = 2
/** Encodes of the sample that its search takes, at most. Half of them are expected where the whole can drop to a lower effort. */
const SAMPLE_ENCODES = 6

const pixelsIn = ({ width, height }: Extent): number => width * height

/** A prediction with the encoder that made it. */
interface Predicted<Setting> extends Prediction<Setting> {
  readonly encoder: SampledEncoder<Setting>
}

/** CPU of one encode, decoded and measured, in ms at the pace of this machine. */
const encodeMs = (
  { pace }: SearchRequest,
  { msPerMegapixel }: Pick<SampledFormat<unknown>, 'msPerMegapixel'>,
  size: Extent,
): number => pace.expected((pixelsIn(size) / 1e6) * msPerMegapixel)

/** Whether there is time to search a sample and to encode the whole a number of times, at the pace of this machine. */
export const hasTimeForWhole = (
  request: SearchRequest,
  format: Pick<SampledFormat<unknown>, 'msPerMegapixel' | 'canDrop'>,
  encodes: number,
): boolean =>
  hasTimeFor(
    request,
    (encodeMs(request, format, SAMPLE_SIZE) * SAMPLE_ENCODES) / (format.canDrop ? 2 : 1) +
      encodeMs(request, format, request.pixels) * encodes,
  )

/** Searches a sample for the setting with which the whole should keep its bounds, as long as there is time to encode the whole. */
const predictOn = async <Setting>(
  request: SearchRequest,
  format: SampledFormat<Setting>,
  { pixels, interiors }: Sample,
  aim: Aim,
): Promise<Predicted<Setting> | undefined> => {
  using measures = request.examinePart(pixels, 1, interiors)
  const share = pixelsIn(pixels) / pixelsIn(request.pixels)
  const bytesToBeat = (): number => request.bytesToBeat() * share * ESTIMATE_ERROR
  const { remaining, signal } = request.deadline
  const deadline = { remaining: () => Math.max(0, remaining() - encodeMs(request, format, request.pixels)), signal }
  const part = { ...request, ...measures, pixels, deadline, bytesToBeat, encoded: () => undefined }
  const encoder = format.open(aimHigher(part, aim))
  const prediction = await encoder.predict()
  return prediction === undefined ? undefined : { ...prediction, encoder }
}

/** Pixels from which memory is freed between steps where one format is searched. That takes 40 ms of CPU and new pages a step. 12 megapixels take 0.2 GB with it, 0.34 to 0.43 GB without. */
const FREED_FROM = 13e6

/** Frees what a large image does not need next: kernels hold 200 MB after the search of the sample, a corrected copy and the latest candidate as many bytes as the whole. */
const freeMemory = async ({ pixels, alone }: SearchRequest): Promise<void> => {
  if (alone && pixelsIn(pixels) < FREED_FROM) return
  forgetHalvedChroma(pixels)
  dropIdleKernels()
  dropIdleJpegKernels()
  await collectAllGarbage()
}

/** Patience with a whole that breaks a bound and is followed by another: if it cannot be the answer, the first broken bound is enough. */
const UNTIL_BROKEN = { answer: 0, noAnswer: -1 } as const

/** A whole with its measurements. */
type MeasuredWhole = Candidate & { readonly examined: Examined }

/**
 * Encodes the whole and measures the pixels that are shown of it. Butteraugli is measured only where no cheaper bound is broken by more than
 * `patience` points. Without another file the whole is yielded first, because measuring takes longer than encoding.
 */
async function* encodeWhole<Setting>(
  request: SearchRequest,
  { format, msPerMegapixel }: SampledFormat<Setting>,
  { encoder, setting, patience }: Predicted<Setting> & { readonly patience: number },
): AsyncGenerator<Candidate, MeasuredWhole> {
  const since = performance.now()
  await freeMemory(request)
  const { bytes, shown } = await encoder.encode(setting)
  request.encoded()
  const file = { kind: 'candidate', format, bytes, lossless: false } as const
  if (!Number.isFinite(request.bytesToBeat())) yield file
  await freeMemory(request)
  const image = await shown()
  // Metrics need the memory of the kernels that decoded it.
  await freeMemory(request)
  const examined = request.examine(image, format, patience)
  request.pace.took((pixelsIn(request.pixels) / 1e6) * msPerMegapixel, performance.now() - since)
  const measured = { ...file, examined }
  if (examined.score !== undefined) yield measured
  return measured
}

/**
 * Yields the encodes of the whole. One that exceeds its bounds by much is followed by one at a lower setting; a miss raises the setting by the difference.
 * Encodes between a miss and one that keeps every bound may follow.
 */
export async function* searchSampled<Setting>(
  request: SearchRequest,
  format: SampledFormat<Setting>,
): AsyncGenerator<Candidate> {
  const { pixels, wanted, deadline } = request
  const sample = sampleOf(pixels)
  if (wanted.kind === 'lossless' || sample === undefined) return
  const hasQuick = !hasTimeForWhole(request, format, 1)
  async function* quick(): AsyncGenerator<Candidate> {
    await freeMemory(request)
    yield* format.quick()
  }
  if (hasQuick) {
    request.outOfTime()
    yield* quick()
  }
  const first = await predictOn(request, format, sample, hasTimeForWhole(request, format, 2) ? FIRST_AIM : ONLY_AIM)
  if (deadline.signal.aborted) return request.outOfTime()
  // The search of the sample has shown the pace of this machine, or had no time for an encode.
  const sure = format.canDrop ? 1 : SURE
  const isSure = first !== undefined && hasTimeFor(request, sure * encodeMs(request, format, pixels))
  if (!hasQuick && !Number.isFinite(request.bytesToBeat()) && !isSure) {
    if (first === undefined) request.outOfTime()
    yield* quick()
  }
  if (first === undefined) return
  let predicted = first
  let [fails, passes]: (Whole<Setting> | undefined)[] = []
  for (let encodes = 0; encodes < MAX_ENCODES; encodes++) {
    if (deadline.signal.aborted) return request.outOfTime()
    if (!hasTimeFor(request, encodeMs(request, format, pixels))) {
      // An encode between two wholes saves little.
      if (fails === undefined || passes === undefined) request.outOfTime()
      return
    }
    const { encoder, setting, keeps } = predicted
    // A whole that another encode follows need not be measured in full.
    const isLast = !keeps || encodes === MAX_ENCODES - 1 || !hasTimeFor(request, 2 * encodeMs(request, format, pixels))
    const followed = Number.isFinite(request.bytesToBeat()) ? UNTIL_BROKEN.noAnswer : UNTIL_BROKEN.answer
    const patience = isLast ? FAILS_BY_SCORE : followed
    const { examined, bytes } = yield* encodeWhole(request, format, { ...predicted, patience })
    const { margin } = bindingConstraint(examined.margins)!
    if (!keeps) return
    // Too large although it breaks a bound: every setting that keeps it is larger still.
    if (!examined.keeps && bytes.length >= request.bytesToBeat()) return
    const before = fails?.examined
    if (examined.keeps) passes = { setting, examined }
    else fails = { setting, examined }
    if (fails !== undefined && passes !== undefined) {
      const between = encoder.between?.(fails, passes)
      if (between === undefined) return
      predicted = { encoder, keeps, setting: between }
    } else {
      if (examined.keeps && (encodes > 0 || margin <= NEAR)) return
      const points = FIRST_AIM.overall * 2 ** encodes - margin
      predicted = { encoder, keeps, setting: encoder.adjust(setting, points, examined, before) }
    }
  }
}
