/**
 * Fits `src/attention/saliency/saliency.fitted.ts`: the odds that a cell of the saliency map belongs to the labelled subject, by
 * logistic regression on its features.
 *
 *   npm run fit:saliency -- DIR... [--write]
 *
 * The folders hold MANIFEST.tsv or boxes.tsv. Prints the error of the numbers in use, and of new ones on the half of the
 * photographs that had no part in them. `--write` replaces the file.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { makeViews } from '../../src/attention/make-views.ts'
import { computeFeatures } from '../../src/attention/saliency/features.ts'
import { FITTED_SALIENCY } from '../../src/attention/saliency/saliency.fitted.ts'
import { halve, MAP_SIDE } from '../../src/attention/saliency/saliency.ts'
import type { Extent } from '../../src/core/image.ts'
import { type Labelled, readLabels } from '../crop/labels.ts'
import { loadPicture } from '../crop/pictures.ts'
import { writeFitted } from './fitted-file.ts'
import { dot, regressLogistic } from './regress.ts'

type Feature = keyof typeof FITTED_SALIENCY.factors
const FEATURES = Object.keys(FITTED_SALIENCY.factors) as Feature[]

/** The cells of a photograph: 1 and the features of each, and whether it lies in the subject. */
interface Cells {
  readonly file: string
  readonly inputs: readonly (readonly number[])[]
  readonly inside: readonly number[]
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false } },
})
if (positionals.length === 0)
  throw new Error('Say which folders of labelled photographs: npm run fit:saliency -- DIR...')

const middle = (index: number, side: number): number => ((index + 0.5) / MAP_SIDE) * side

const isInside = ([x, y, width, height]: Labelled['subject'], at: number, image: Extent): boolean => {
  const right = middle(at % MAP_SIDE, image.width) - x
  const down = middle(Math.floor(at / MAP_SIDE), image.height) - y
  return right >= 0 && right < width && down >= 0 && down < height
}

const cellsOf = async ({ file, subject }: Labelled): Promise<Cells> => {
  const image = await loadPicture(file)
  const features = computeFeatures((await makeViews(image)).small)
  const planes = FEATURES.map((name) => halve(features[name]))
  return {
    file,
    inputs: Array.from({ length: MAP_SIDE ** 2 }, (_, at) => [1, ...planes.map((plane) => plane[at]!)]),
    inside: Array.from({ length: MAP_SIDE ** 2 }, (_, at) => (isInside(subject, at, image) ? 1 : 0)),
  }
}

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length

/** Ridge of a cell, in squared standard deviations of the features: the held-out loss is least near it. Less overrates the middle. */
const RIDGE = 0.02

const meansOf = (rows: readonly (readonly number[])[]): number[] =>
  rows[0]!.map((_, i) => rows.reduce((sum, row) => sum + row[i]!, 0) / rows.length)

/** Coefficients for the features as they are, fitted with all features at unit variance. */
const fitTo = (some: readonly Cells[]): number[] => {
  const rows = some.flatMap(({ inputs }) => inputs)
  const [, ...means] = meansOf(rows)
  const [, ...variances] = meansOf(
    rows.map((row) => row.map((value, i) => (value - (i === 0 ? 0 : means[i - 1]!)) ** 2)),
  )
  const deviations = variances.map(Math.sqrt)
  const scaled = rows.map(([one, ...features]) => [
    one!,
    ...features.map((value, i) => (value - means[i]!) / deviations[i]!),
  ])
  const inside = some.flatMap((cells) => cells.inside)
  const [constant, ...solution] = regressLogistic(scaled, inside, RIDGE * rows.length)
  const factors = solution.map((factor, i) => factor / deviations[i]!)
  return [constant! - dot(factors, means), ...factors]
}

/** Nats that a cell costs at the predicted probability. */
const lossOf = ({ inputs, inside }: Cells, coefficients: readonly number[]): number =>
  mean(inputs.map((row, at) => Math.log(1 + Math.exp((inside[at] === 1 ? -1 : 1) * dot(row, coefficients)))))

/** Share of the pairs of a cell inside and one outside that are in the right order. */
const orderOf = ({ inputs, inside }: Cells, coefficients: readonly number[]): number => {
  const sorted = inputs
    .map((row, at) => ({ logit: dot(row, coefficients), inside: inside[at]! }))
    .sort((a, b) => a.logit - b.logit)
  const within = inside.filter(Boolean).length
  const ranks = sorted.reduce((sum, one, rank) => sum + one.inside * (rank + 1), 0)
  return (ranks - (within * (within + 1)) / 2) / (within * (inside.length - within))
}

const photographs: Cells[] = []
for (const labelled of positionals.flatMap(readLabels)) {
  const cells = await cellsOf(labelled)
  // A subject that fills the image says nothing about its cells.
  if (cells.inside.includes(0)) photographs.push(cells)
}
const isInFold = (fold: number) => (_: Cells, at: number) => at % 2 === fold
const folds = [0, 1].map((fold) => fitTo(photographs.filter(isInFold(1 - fold))))
const used = [FITTED_SALIENCY.constant, ...FEATURES.map((name) => FITTED_SALIENCY.factors[name])]

const compare = (what: string, figure: (cells: Cells, coefficients: readonly number[]) => number) => ({
  what: `${what}, mean of ${photographs.length} photographs`,
  before: mean(photographs.map((cells) => figure(cells, used))).toFixed(4),
  after: `${mean(photographs.map((cells, at) => figure(cells, folds[at % 2]!))).toFixed(4)} held out`,
})
const errors = [
  compare('nats a cell', lossOf),
  compare('share of pairs of cells in the wrong order', (cells, coefficients) => 1 - orderOf(cells, coefficients)),
]
for (const { what, before, after } of errors) console.log(`${what}: ${before} before, ${after} after`)

const [constant, ...factors] = fitTo(photographs).map((value) => value.toFixed(2))
const body = `
/** Logarithm of the odds that a cell belongs to the subject: a constant, and a factor on each feature. */
export const FITTED_SALIENCY = {
  constant: ${constant},
  factors: { ${FEATURES.map((name, at) => `${name}: ${factors[at]}`).join(', ')} },
} as const`.trimStart()
console.log(body)

if (values.write) {
  const path = join(import.meta.dirname, '../../src/attention/saliency/saliency.fitted.ts')
  const command = 'npm run fit:saliency'
  console.log(`Wrote ${writeFitted({ path, command, files: photographs.map(({ file }) => file), errors, body })}.`)
}
