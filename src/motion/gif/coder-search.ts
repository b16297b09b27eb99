import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Extent, Raster } from '../../core/image.ts'
import { MIN_STEP_MS } from '../../core/intervals.ts'
import type { ResultFile } from '../../core/outcome.ts'
import type { Examined } from '../../formats/format.ts'
import { countColours, type Histogram } from '../../formats/palette/histogram.ts'
import type { Indexed } from '../../formats/palette/remap.ts'
import { openAnimation } from '../frames/animation.ts'
import { gatherFrames, gatherStored } from '../frames/gather-frames.ts'
import { describe } from '../frames/job.ts'
import { lookSame, playSame } from '../frames/same-frames.ts'
import { type FrameMetric, sampledFrames } from '../frames/score-frames.ts'
import { type AnimationCoder, openAnimationCoder } from './coder/code-animation.ts'
import { LOSSLESS, type Loss } from './coder/frame.ts'
import { exactPalettes, type FramePalettes, sharedPalettes } from './coder/frame-palettes.ts'
import { FITTED_RATES } from './coder/share-rates.fitted.ts'
import { nextRates, type RateTrial, type ShareRates, shareOf } from './coder/share-rates.ts'
import { gifFrameOf, gifHeadOf } from './coder/write-animation.ts'
import type { CodableFrames, GifSearch } from './gif-search-state.ts'
import { GIF_TRAILER } from './write-gif.ts'

/** px of all frames together beyond which coding takes too long: a trial takes 0.1 to 0.5 s a megapixel. */
const MAX_CODED_PIXELS = 16e6
/** px of one frame, for which its kernel holds 73 bytes each. */
const MAX_FRAME_PIXELS = 4e6
/** Trials per palette, by px of all frames together. */
const mostTries = (pixels: number): number => (pixels < 6e6 ? 6 : 4)
/** Largest weighted squared error of a pixel, in units of what a bit is worth. */
const MAX_ERROR_BITS = 16
/** Palettes of our quantiser that are tried, where the frames have more colours. */
const SIZES = [256, 128, 64, 32] as const
/** A smaller palette has to be worth it by this share, or no smaller one is tried. */
const WORTH_IT = 0.99

/** A file larger than the best passing one by this factor is not tried with fewer colours: they saved a quarter at most. */
const TOO_LARGE = 1.25
/** Factor on the bytes of the best passing file that the next must stay below. Otherwise no more trials are made with its palettes. */
const WORTH_MORE = 0.995

/** A GIF in memory, and its sampled frames as they are shown. */
interface Coded {
  readonly bytes: Buffer
  readonly sampled: readonly Raster[]
}

/** Frames as RGBA, one below the other: as they were asked for, or those of the base where a GIF cannot show these. */
const gather = ({ job, base }: GifSearch, ofBase: boolean): Promise<Buffer> =>
  ofBase ? gatherStored(base.animation) : gatherFrames(job)

const isGif = ({ colours }: Histogram): boolean => {
  for (let at = 3; at < colours.length; at += 4) if (colours[at] !== 0 && colours[at] !== 255) return false
  return true
}

/** Whether our coder has the time and the memory for these frames. */
export const isCodable = ({ width, height }: Extent, frames: number): boolean =>
  width * height <= MAX_FRAME_PIXELS && width * height * frames <= MAX_CODED_PIXELS

/** Makes frames ready; undefined where they are too many, or half transparent. */
const gatherCodable = async (search: GifSearch, ofBase: boolean): Promise<CodableFrames | undefined> => {
  const { extent, frames } = search.base.animation
  const { width, height } = extent
  if (!isCodable(extent, frames)) return undefined
  const data = await gather(search, ofBase)
  if (data.length !== width * height * frames * 4) return undefined
  const histogram = countColours({ width, height: height * frames, channels: 4, data })
  if (!isGif(histogram)) return undefined
  const animation = { width, height, frames, colours: histogram.colours, entries: histogram.entries }
  return { animation, histogram }
}

/** The same, made once only of a source that is the base itself. */
const codableFrames = async (search: GifSearch, ofBase: boolean): Promise<CodableFrames | undefined> => {
  if (!search.base.isSource) return gatherCodable(search, ofBase)
  search.codable ??= gatherCodable(search, true)
  return search.codable
}

/** Codes all frames; undefined when there is no time left. */
const code = (
  search: GifSearch,
  coder: AnimationCoder,
  palettes: FramePalettes,
  lossOf: (frame: number) => Loss,
  sampled: readonly number[],
): Coded | undefined => {
  const { extent, delays, loop, frames } = search.base.animation
  search.encodes += 1
  search.coded += 1
  search.job.advance?.({ phase: 'search', done: search.encodes, of: Math.max(search.most, search.encodes) })
  const parts = [gifHeadOf({ ...extent, loop }, palettes.shared)]
  const seen: Raster[] = []
  let number = 0
  const isTimeUp = (): boolean => search.job.deadline.remaining() < MIN_STEP_MS
  for (const frame of coder.code({ paletteOf: palettes.of, lossOf, isTimeUp })) {
    parts.push(gifFrameOf(frame, palettes.shared, delays[number] ?? 0))
    if (sampled.includes(number)) seen.push({ ...frame.shown, data: frame.shown.data.slice() })
    number += 1
  }
  if (number < frames) {
    search.timeLimited = true
    return undefined
  }
  return { bytes: Buffer.concat([...parts, GIF_TRAILER]), sampled: seen }
}

/** Leaves a coded GIF as a file; undefined where it does not play as the base does. */
const write = async ({ job, base, encodes }: GifSearch, { bytes }: Coded): Promise<ResultFile | undefined> => {
  const path = join(job.directory, `coded-${encodes}.gif`)
  await writeFile(path, bytes)
  const stored = await openAnimation(path, { format: 'gif' }).catch(() => undefined)
  if (stored === undefined || !playSame(stored, base.animation)) return undefined
  return describe(job, { format: 'gif', path, encodes })
}

/** Loss of a frame at a rate, which is the natural logarithm of the squared error that one bit is worth. */
export const lossAt = (rate: number): Loss => ({ perBit: Math.exp(rate), most: Math.exp(rate) * MAX_ERROR_BITS })

/** How far some palettes were got. */
interface Fit {
  /** The smallest that keeps the promise. */
  readonly coded?: Coded
  /** Worth of a bit in `coded`, or else in the last trial. */
  readonly rates: ShareRates
}

/** Finds what a bit may be worth in each share of the frames, all at once. */
const fitLoss = (
  search: GifSearch,
  coder: AnimationCoder,
  palettes: FramePalettes,
  metric: FrameMetric,
  { rates: start, coded: before }: Fit,
): Fit => {
  const { extent, frames } = search.base.animation
  const { width, height } = extent
  const most = mostTries(width * height * frames)
  const enough = (before?.bytes.length ?? Number.POSITIVE_INFINITY) * WORTH_IT
  let best: Fit = { rates: start }
  const trials: RateTrial[] = []
  for (let rates: ShareRates | undefined = start; rates !== undefined; ) {
    const losses = rates.map(lossAt)
    const lossOf = (frame: number): Loss => losses[shareOf(frame, frames, losses.length)]!
    const coded = code(search, coder, palettes, lossOf, metric.numbers)
    if (coded === undefined) return best
    const examined: readonly Examined[] = metric.examine(coded.sampled)
    const keeps = examined.every((one) => one.keeps)
    const bytes = best.coded?.bytes.length ?? Number.POSITIVE_INFINITY
    if (keeps && coded.bytes.length < bytes) best = { coded, rates }
    else if (best.coded === undefined) best = { rates }
    // Fewer colours that save nothing as they fail will not save anything when they pass.
    if (!keeps && coded.bytes.length >= enough) break
    if (coded.bytes.length > bytes * WORTH_MORE) break
    trials.push({ rates, margins: examined.map(({ effective }) => effective - metric.goal) })
    rates = nextRates(trials, most)
  }
  return best
}

/** The exact palette first, then fewer colours as long as that pays. */
const fitPalettes = (
  search: GifSearch,
  { animation, histogram }: CodableFrames,
  metric: FrameMetric,
  first: number,
): Coded | undefined => {
  using coder = openAnimationCoder(animation)
  const exact = exactPalettes(histogram, animation.frames)
  const choices = [...(exact === undefined ? [] : [() => exact]), ...sharedPalettes(histogram, SIZES)]
  const maxBytes = TOO_LARGE * (search.best?.meetsTarget === true ? search.best.bytes : Number.POSITIVE_INFINITY)
  let best: Fit = { rates: metric.numbers.map(() => first) }
  for (const [place, choose] of choices.entries()) {
    if (search.timeLimited) break
    const found = fitLoss(search, coder, choose(), metric, best)
    const bytes = best.coded?.bytes.length ?? Number.POSITIVE_INFINITY
    const foundBytes = found.coded?.bytes.length
    if (best.coded === undefined || (foundBytes !== undefined && foundBytes < bytes)) best = found
    const isWorthIt = foundBytes !== undefined && foundBytes <= bytes * WORTH_IT
    // Where two palettes do not keep the promise, fewer colours hardly will.
    if (!isWorthIt && place > 0) break
    if (foundBytes !== undefined && foundBytes > maxBytes) break
  }
  return best.coded
}

/**
 * Our own coder's smallest GIF of the frames as they were asked for, or of the base's where `ofBase`, that keeps what is promised of
 * them; undefined where there is none.
 */
export const searchCoded = async (
  search: GifSearch,
  metric: FrameMetric,
  ofBase: boolean,
): Promise<ResultFile | undefined> => {
  const { target } = search.job.plan
  const codable = target.kind === 'lossless' ? undefined : await codableFrames(search, ofBase)
  if (codable === undefined || target.kind === 'lossless') return undefined
  const coded = fitPalettes(search, codable, metric, FITTED_RATES.first[target.preset])
  const result = coded && (await write(search, coded))
  if (result === undefined) return undefined
  // The final score is that of the decoded file.
  const { keeps, score } = metric.compare(await sampledFrames(metric, result.path))
  return keeps ? { ...result, score, meetsTarget: true } : undefined
}

/** The frames coded without any loss, every one compared with the base's; undefined where that cannot be. */
export const codeLossless = async (search: GifSearch): Promise<ResultFile | undefined> => {
  const codable = await codableFrames(search, true)
  const palettes = codable && exactPalettes(codable.histogram, codable.animation.frames)
  if (codable === undefined || palettes === undefined) return undefined
  using coder = openAnimationCoder(codable.animation)
  const coded = code(search, coder, palettes, () => LOSSLESS, [])
  if (coded === undefined || coded.bytes.length >= (search.best?.bytes ?? Number.POSITIVE_INFINITY)) return undefined
  const result = await write(search, coded)
  if (result === undefined) return undefined
  const same = await lookSame(search.base.animation, await openAnimation(result.path, { format: 'gif' }))
  return same ? result : undefined
}

/** An indexed image of all frames, one below the other, coded without any loss; undefined where that cannot be. */
export const codeIndexed = async (search: GifSearch, { table, indices }: Indexed): Promise<ResultFile | undefined> => {
  const { extent, frames } = search.base.animation
  if (!isCodable(extent, frames)) return undefined
  const counts = new Uint32Array(table.length / 4)
  for (const index of indices) counts[index]! += 1
  const entries = Uint16Array.from(indices)
  const palettes = exactPalettes({ colours: table, counts, entries }, frames)
  if (palettes === undefined) return undefined
  using coder = openAnimationCoder({ ...extent, frames, colours: table, entries })
  const coded = code(search, coder, palettes, () => LOSSLESS, [])
  return coded && write(search, coded)
}
