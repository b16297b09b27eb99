/**
 * Fits what `src/jpeg/search/predict.fitted.ts` holds: from an image's features the score by quality and Butteraugli's 3-norm by
 * score, and what distortion costs.
 * Usage: node bench/jpeg-prediction.ts DIR... [--scales 1,0.6,0.33] [--save FILE]
 * Prints the rows of its tables, and how far images were from what the others predicted (each image's sizes left out together).
 */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import sharp from 'sharp'
import type { AnyRaster } from '../src/core/image.ts'
import { featuresOf, type ImageFeatures } from '../src/jpeg/features/image-features.ts'
import { openJpegEncoder } from '../src/jpeg/quantiser/encoder.ts'
import { butteraugliLevel } from '../src/jpeg/search/butteraugli-bound.ts'
import { distortionOf } from '../src/jpeg/search/predict.ts'
import { openButteraugli } from '../src/metric/butteraugli/butteraugli.ts'
import { openSsimulacra2 } from '../src/metric/ssimulacra2/ssimulacra2.ts'

/** At one quality: the score and (at some qualities) the 3-norm with the first-pass statistics of a first attempt, and stricter with the same. */
interface Point {
  quality: number
  taught: number
  stricter: number
  norm?: number
}
interface Measured {
  image: string
  pixels: number
  features: ImageFeatures
  points: Point[]
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { scales: { type: 'string', default: '1,0.6,0.33' }, save: { type: 'string' } },
})
if (positionals.length === 0)
  throw new Error('Say which directories of photographs: node bench/jpeg-prediction.ts DIR...')
const scales = values.scales.split(',').map(Number)
const qualities = [-20, 10, 35, 55, 70, 80, 88, 94]
const lambdaScale = 1.2
const mostPixels = 1.2e6
const leastPixels = 20_000
sharp.concurrency(1)
sharp.cache(false)
const metric = await openSsimulacra2()
const butteraugli = await openButteraugli()
/** Where the 3-norm is measured: comparisons take long. */
const compared = [10, 55, 88]

const load = async (path: string, scale: number): Promise<AnyRaster | undefined> => {
  const { width, height } = await sharp(path).metadata()
  const fitting = scale * Math.min(1, Math.sqrt(mostPixels / (width * height)))
  const source = sharp(path).flatten({ background: '#fff' }).toColourspace('srgb').removeAlpha()
  const sized = fitting < 1 ? source.resize(Math.round(width * fitting)) : source
  const { data, info } = await sized.raw().toBuffer({ resolveWithObject: true })
  if (info.channels !== 3 || info.width * info.height < leastPixels) return undefined
  return { data: new Uint8Array(data), width: info.width, height: info.height, channels: 3 }
}

const measure = (image: string, samples: AnyRaster): Measured => {
  using reference = metric.prepare(samples)
  using distances = butteraugli.prepare(samples)
  const encoder = openJpegEncoder(samples)
  const points = qualities.map((quality) => {
    const firstPass = encoder.analyse({ quality, lambdaScale })
    const shown = (factor: number): AnyRaster =>
      encoder.reconstruct({ quality, lambdaScale: lambdaScale * factor, ...firstPass })
    const stricter = reference.compare(shown(1.35))
    const pixels = shown(1)
    const norm = compared.includes(quality) ? { norm: distances.compare(pixels).norm3 } : {}
    return { quality, taught: reference.compare(pixels), stricter, ...norm }
  })
  const features = featuresOf(encoder.transformed)
  encoder.close()
  return { image, pixels: samples.width * samples.height, features, points }
}

/** Solves `matrix` x = `right` by elimination; both are changed. */
const solve = (matrix: number[][], right: number[]): number[] => {
  const n = right.length
  for (let i = 0; i < n; i++) {
    for (let row = i + 1; row < n; row++) {
      const factor = matrix[row]![i]! / matrix[i]![i]!
      for (let c = i; c < n; c++) matrix[row]![c]! -= factor * matrix[i]![c]!
      right[row]! -= factor * right[i]!
    }
  }
  const x = new Array<number>(n).fill(0)
  for (let i = n - 1; i >= 0; i--) {
    const rest = x.reduce((sum, value, c) => sum + (c > i ? value * matrix[i]![c]! : 0), 0)
    x[i] = (right[i]! - rest) / matrix[i]![i]!
  }
  return x
}

const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0)

/** Least squares with a little damping, in which what is further than `wide` off counts less and less (Huber). */
const regress = (inputs: number[][], outputs: number[], widthInBlocks: number, damping: number): number[] => {
  const size = inputs[0]!.length
  let weights = outputs.map(() => 1)
  let solution: number[] = []
  for (let round = 0; round < 8; round++) {
    const matrix = Array.from({ length: size }, (_, i) =>
      Array.from({ length: size }, (_, j) =>
        inputs.reduce((sum, row, n) => sum + weights[n]! * row[i]! * row[j]!, i === j && i > 0 ? damping : 0),
      ),
    )
    const right = Array.from({ length: size }, (_, i) =>
      inputs.reduce((sum, row, n) => sum + weights[n]! * row[i]! * outputs[n]!, 0),
    )
    solution = solve(matrix, right)
    weights = inputs.map((row, n) => 1 / Math.max(1, Math.abs(outputs[n]! - dot(row, solution)) / widthInBlocks))
  }
  return solution
}

const median = (list: number[]): number => list.toSorted((a, b) => a - b)[list.length >> 1]!

const all: Measured[] = []
for (const directory of positionals) {
  for (const name of readdirSync(directory).filter((file) => /\.(png|jpe?g)$/i.test(file))) {
    for (const scale of scales) {
      const samples = await load(join(directory, name), scale).catch(() => undefined)
      if (samples) all.push(measure(name, samples))
    }
  }
  console.log(`${directory}: ${all.length} images so far`)
}
if (values.save) writeFileSync(values.save, JSON.stringify(all))

const count = all[0]!.features.length
const means = Array.from({ length: count }, (_, i) => all.reduce((sum, one) => sum + one.features[i]!, 0) / all.length)
const spreads = means.map((mean, i) =>
  Math.sqrt(all.reduce((sum, { features }) => sum + (features[i]! - mean) ** 2, 0) / all.length),
)
const inputOf = ({ features }: Measured): number[] => [
  1,
  ...features.map((value, i) => (value - means[i]!) / spreads[i]!),
]

/** Fits a figure to the features: the constant, the factors, and the error of each image in a fit to the others. */
const fitLine = (images: readonly Measured[], figureOf: (one: Measured) => number, wide: number) => {
  const solve = (some: readonly Measured[]): number[] => regress(some.map(inputOf), some.map(figureOf), wide, 0.5)
  const whole = solve(images)
  const factors = whole.slice(1).map((value, i) => value / spreads[i]!)
  const errors = [...new Set(images.map((one) => one.image))].flatMap((image) => {
    const solution = solve(images.filter((one) => one.image !== image))
    return images
      .filter((one) => one.image === image)
      .map((one) => Math.abs(dot(inputOf(one), solution) - figureOf(one)))
  })
  const ninety = errors.toSorted((a, b) => a - b)[Math.floor(errors.length * 0.9)]!
  return { constant: whole[0]! - dot(factors, means), factors, off: [median(errors), ninety] }
}

const printFit = (name: string, { constant, factors, off }: ReturnType<typeof fitLine>, digits: number): void => {
  const row = factors.map((value) => value.toFixed(digits)).join(', ')
  console.log(
    `  [${name}${constant.toFixed(digits)}, [${row}]],   (${off.map((value) => value.toFixed(digits)).join(', ')})`,
  )
}

console.log('\nquality, constant, factors   (median and 90 % of the errors, image left out)')
qualities.forEach((quality, at) => {
  printFit(
    `${quality}, `,
    fitLine(all, (one) => one.points[at]!.taught, 1.5),
    2,
  )
})

console.log('\nlogarithm of the 3-norm at a score of 99: constant, factors')
const logNormOf = ({ points }: Measured): number => {
  const useful = points.filter(({ norm, taught }) => norm !== undefined && taught > 40 && taught < 95)
  return useful.reduce((sum, one) => sum + butteraugliLevel(one.taught, one.norm!), 0) / useful.length
}
const normed = all.filter((one) => Number.isFinite(logNormOf(one)))
printFit('', fitLine(normed, logNormOf, 0.1), 4)
const slopes = normed.flatMap(({ points }) => {
  const [a, b] = points.filter(({ norm, taught }) => norm !== undefined && taught > 40 && taught < 95)
  return a && b ? [Math.log(a.norm! / b.norm!) / Math.log((100 - a.taught) / (100 - b.taught))] : []
})
console.log(`the 3-norm goes with the power ${median(slopes).toFixed(2)} of what the score lacks of 100 (median)`)

console.log('\nquality, score: medians')
qualities.forEach((quality, at) => {
  console.log(`  [${quality}, ${median(all.map(({ points }) => points[at]!.taught)).toFixed(1)}],`)
})

const costs = all
  .flatMap(({ points }) => points)
  .filter(({ taught, stricter }) => taught > 45 && taught < 93 && stricter > taught + 0.02)
const distortion = distortionOf(lambdaScale) - distortionOf(lambdaScale * 1.35)
const causes = costs.map(({ quality, taught }) => [1, quality, Math.log(100 - taught)])
const logs = costs.map(({ taught, stricter }) => Math.log((stricter - taught) / distortion))
const law = regress(causes, logs, 0.2, 0)
const off = median(causes.map((row, i) => Math.abs(dot(row, law) - logs[i]!)))
const [constant, byQuality, byLack] = law.map((value) => value.toFixed(4))
console.log(
  `\ncost of distortion: exp(${constant} + ${byQuality} quality + ${byLack} log(100 - score)), off by ${off.toFixed(2)} in the median`,
)
