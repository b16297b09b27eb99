/**
 * Fits `src/jpeg/search/predict.fitted.ts`: from an image's features the score by quality and the Butteraugli level, and the points
 * that distortion costs. Linear regression on the features of photographs in three sizes.
 *
 *   npm run fit:jpeg -- DIR... [--scales 1,0.6,0.33] [--write]
 *
 * Prints the error of the numbers in use, and of new ones on images that had no part in them. `--write` replaces the file.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import sharp from 'sharp'
import type { AnyRaster } from '../../src/core/image.ts'
import { featuresOf, type ImageFeatures } from '../../src/jpeg/features/image-features.ts'
import { openJpegEncoder } from '../../src/jpeg/quantiser/encoder.ts'
import { butteraugliLevel } from '../../src/jpeg/search/butteraugli-bound.ts'
import { FITTED_LOG_LOSS, FITTED_LOG_NORM, FITTED_SCORES } from '../../src/jpeg/search/predict.fitted.ts'
import { distortionOf } from '../../src/jpeg/search/predict.ts'
import { openButteraugli } from '../../src/metric/butteraugli/butteraugli.ts'
import { openSsimulacra2 } from '../../src/metric/ssimulacra2/ssimulacra2.ts'
import { writeFitted } from './fitted-file.ts'
import { dot, median, quantile, regress } from './regress.ts'

/** Scores of one image at one quality: with the usual lambda, with `STRICTER` times as much, and at some qualities the 3-norm. */
interface Point {
  readonly quality: number
  readonly score: number
  readonly stricter: number
  readonly norm?: number
}
interface Measured {
  readonly image: string
  readonly features: ImageFeatures
  readonly points: readonly Point[]
}
/** One figure of an image as a linear function of its features. */
interface Line {
  readonly constant: number
  readonly factors: readonly number[]
  /** Errors of images that had no part in the fit. */
  readonly errors: readonly number[]
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { scales: { type: 'string', default: '1,0.6,0.33' }, write: { type: 'boolean', default: false } },
})
if (positionals.length === 0) throw new Error('Say which folders of photographs: npm run fit:jpeg -- DIR...')
const scales = values.scales.split(',').map(Number)

const QUALITIES = [-20, 10, 35, 55, 70, 80, 88, 94]
/** Where the 3-norm is measured: a comparison takes ten times as long as a score. */
const COMPARED = [10, 55, 88]
const LAMBDA_SCALE = 1.2
const STRICTER = 1.35
/** Pixels of an image: larger ones are made smaller, smaller ones are left out. */
const PIXELS = { min: 20_000, max: 1.2e6 }

sharp.concurrency(1)
sharp.cache(false)
const metric = await openSsimulacra2()
const butteraugli = await openButteraugli()

const load = async (path: string, scale: number): Promise<AnyRaster | undefined> => {
  const { width, height } = await sharp(path).metadata()
  const fitting = scale * Math.min(1, Math.sqrt(PIXELS.max / (width * height)))
  const source = sharp(path).flatten({ background: '#fff' }).toColourspace('srgb').removeAlpha()
  const sized = fitting < 1 ? source.resize(Math.round(width * fitting)) : source
  const { data, info } = await sized.raw().toBuffer({ resolveWithObject: true })
  if (info.channels !== 3 || info.width * info.height < PIXELS.min) return undefined
  return { data: new Uint8Array(data), width: info.width, height: info.height, channels: 3 }
}

const measure = (image: string, samples: AnyRaster): Measured => {
  using reference = metric.prepare(samples)
  using distances = butteraugli.prepare(samples)
  const encoder = openJpegEncoder(samples)
  const points = QUALITIES.map((quality) => {
    const firstPass = encoder.analyse({ quality, lambdaScale: LAMBDA_SCALE })
    const shown = (factor: number): AnyRaster =>
      encoder.reconstruct({ quality, lambdaScale: LAMBDA_SCALE * factor, ...firstPass })
    const stricter = reference.compare(shown(STRICTER))
    const pixels = shown(1)
    const norm = COMPARED.includes(quality) ? { norm: distances.compare(pixels).norm3 } : {}
    return { quality, score: reference.compare(pixels), stricter, ...norm }
  })
  const features = featuresOf(encoder.transformed)
  encoder.close()
  return { image, features, points }
}

const files = positionals.flatMap((directory) =>
  readdirSync(directory)
    .filter((name) => /\.(png|jpe?g)$/i.test(name))
    .map((name) => join(directory, name)),
)
const all: Measured[] = []
for (const path of files)
  for (const scale of scales) {
    const samples = await load(path, scale).catch(() => undefined)
    if (samples !== undefined) all.push(measure(path, samples))
  }
const used = [...new Set(all.map(({ image }) => image))]
console.log(`${used.length} images, ${all.length} sizes of them`)

const count = all[0]!.features.length
const mean = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length
const means = Array.from({ length: count }, (_, i) => mean(all.map(({ features }) => features[i]!)))
const deviations = means.map((of, i) => Math.sqrt(mean(all.map(({ features }) => (features[i]! - of) ** 2))))
const inputOf = ({ features }: Measured): number[] => [
  1,
  ...features.map((value, i) => (value - means[i]!) / deviations[i]!),
]

/** Fits a figure to the features. Each image is also predicted from the others, all its sizes left out together. */
const fitLine = (images: readonly Measured[], figureOf: (one: Measured) => number, width: number): Line => {
  const solutionOf = (some: readonly Measured[]): number[] =>
    regress(some.map(inputOf), some.map(figureOf), { width, damping: 0.5 })
  const whole = solutionOf(images)
  const factors = whole.slice(1).map((value, i) => value / deviations[i]!)
  const errors = used.flatMap((image) => {
    const own = images.filter((one) => one.image === image)
    const solution = own.length === 0 ? [] : solutionOf(images.filter((one) => one.image !== image))
    return own.map((one) => Math.abs(dot(inputOf(one), solution) - figureOf(one)))
  })
  return { constant: whole[0]! - dot(factors, means), factors, errors }
}

/** Errors of the numbers in use. */
const errorsOf = (
  images: readonly Measured[],
  figureOf: (one: Measured) => number,
  [constant, factors]: readonly [number, readonly number[]],
): number[] => images.map((one) => Math.abs(constant + dot(factors, one.features) - figureOf(one)))

const shown = (errors: readonly number[], digits: number): string =>
  `${median(errors).toFixed(digits)} (90 %: ${quantile(errors, 0.9).toFixed(digits)})`

const scores = QUALITIES.map((quality, at) => {
  const scoreOf = ({ points }: Measured): number => points[at]!.score
  const [, constant, factors] = FITTED_SCORES[at]!
  return { quality, line: fitLine(all, scoreOf, 1.5), before: errorsOf(all, scoreOf, [constant, factors]) }
})

/** Whether a point's figures count: near the ends of the scale both metrics are unreliable. */
const isUseful = ({ norm, score }: Point): boolean => norm !== undefined && score > 40 && score < 95
const levelOf = ({ points }: Measured): number =>
  mean(points.filter(isUseful).map(({ score, norm }) => butteraugliLevel(score, norm!)))
const levelled = all.filter((one) => Number.isFinite(levelOf(one)))
const level = { line: fitLine(levelled, levelOf, 0.1), before: errorsOf(levelled, levelOf, FITTED_LOG_NORM) }
const exponents = levelled.flatMap(({ points }) => {
  const [a, b] = points.filter(isUseful)
  return a && b ? [Math.log(a.norm! / b.norm!) / Math.log((100 - a.score) / (100 - b.score))] : []
})
console.log(`The 3-norm rises with the power ${median(exponents).toFixed(2)} of 100 - score (median of images).`)

const costs = all
  .flatMap(({ points }) => points)
  .filter(({ score, stricter }) => score > 45 && score < 93 && stricter > score + 0.02)
const distortion = distortionOf(LAMBDA_SCALE) - distortionOf(LAMBDA_SCALE * STRICTER)
const causes = costs.map(({ quality, score }) => [1, quality, Math.log(100 - score)])
const logs = costs.map(({ score, stricter }) => Math.log((stricter - score) / distortion))
const loss = regress(causes, logs, { width: 0.2, damping: 0 })
const lossErrors = (law: readonly number[]): number[] => causes.map((row, i) => Math.abs(dot(row, law) - logs[i]!))

const errors = [
  ...scores.map(({ quality, line, before }) => ({
    what: `points of score at quality ${quality}, median`,
    before: shown(before, 2),
    after: shown(line.errors, 2),
  })),
  {
    what: 'logarithm of the 3-norm, median',
    before: shown(level.before, 3),
    after: shown(level.line.errors, 3),
  },
  {
    what: 'logarithm of the loss, median',
    before: shown(lossErrors(FITTED_LOG_LOSS), 3),
    after: shown(lossErrors(loss), 3),
  },
]
for (const { what, before, after } of errors) console.log(`${what}: ${before} before, ${after} after`)

const list = (numbers: readonly number[], digits: number): string =>
  numbers.map((value) => value.toFixed(digits)).join(', ')
const rows = scores.map(
  ({ quality, line }) => `  [${quality}, ${line.constant.toFixed(2)}, [${list(line.factors, 2)}]],`,
)
const body = `
/** SSIMULACRA 2.1 by quality: [quality, constant, factors on the image's features]. */
// biome-ignore format: figures
export const FITTED_SCORES: readonly (readonly [quality: number, constant: number, factors: readonly number[]])[] = [
${rows.join('\n')}
]

/** Natural logarithm of Butteraugli's 3-norm at a score of 99. */
// biome-ignore format: figures
export const FITTED_LOG_NORM: readonly [constant: number, factors: readonly number[]] = [
  ${level.line.constant.toFixed(4)}, [${list(level.line.factors, 4)}],
]

/** Natural logarithm of the points that one unit of distortion costs: a constant, a factor on quality, one on ln(100 - score). */
// biome-ignore format: figures
export const FITTED_LOG_LOSS: readonly [constant: number, quality: number, logLack: number] = [${list(loss, 4)}]`.trimStart()

if (values.write) {
  const path = join(import.meta.dirname, '../../src/jpeg/search/predict.fitted.ts')
  console.log(`Wrote ${writeFitted({ path, command: 'npm run fit:jpeg', files: used, errors, body })}.`)
}
