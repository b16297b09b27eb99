/**
 * Fits `src/motion/gif/coder/share-rates.fitted.ts`: where the search of an animation's losses begins, and how its solver expects a
 * frame's score to fall. Each animation is coded at seven rates; the sampled frames are measured under the bounds of each preset.
 *
 *   npm run fit:gif -- DIR... [--write]
 *
 * Prints the error of the numbers in use and of new ones. `--write` replaces the file.
 */
import { readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Raster } from '../../src/core/image.ts'
import { countColours } from '../../src/formats/palette/histogram.ts'
import { openAnimation } from '../../src/motion/frames/animation.ts'
import { gatherStored } from '../../src/motion/frames/gather-frames.ts'
import { openFrameMetric } from '../../src/motion/frames/score-frames.ts'
import { openAnimationCoder } from '../../src/motion/gif/coder/code-animation.ts'
import { exactPalettes } from '../../src/motion/gif/coder/frame-palettes.ts'
import { FITTED_RATES } from '../../src/motion/gif/coder/share-rates.fitted.ts'
import { isCodable, lossAt } from '../../src/motion/gif/coder-search.ts'
import { PRESET_SCORES } from '../../src/plan/targets.ts'
import { shapeOf } from '../../test/motion/request.ts'
import { writeFitted } from './fitted-file.ts'
import { median } from './regress.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false } },
})
if (positionals.length === 0) throw new Error('Say which folders of GIFs: npm run fit:gif -- DIR...')

const PRESETS = ['high', 'medium', 'low'] as const
type Preset = (typeof PRESETS)[number]
/** Natural logarithms of the error that one bit is worth. */
const RATES = [-2.1, -1.4, -0.7, 0, 0.7, 1.4, 2.1, 2.8]
/** Points on either side of the goal where the solver works. */
const NEAR = 10

/** One frame under one preset: its margin at each of {@link RATES}, in points. */
interface Curve {
  readonly image: string
  readonly preset: Preset
  readonly margins: readonly number[]
}

/** Sampled frames at each rate; undefined for animations that our coder does not take as they are. */
const codeAll = async (
  path: string,
  numbers: readonly number[],
): Promise<readonly (readonly Raster[])[] | undefined> => {
  const animation = await openAnimation(path, { format: 'gif' })
  const { extent, frames } = animation
  const { width, height } = extent
  const data = await gatherStored(animation)
  const histogram = countColours({ width, height: height * frames, channels: 4, data })
  const palettes = exactPalettes(histogram, frames)
  if (palettes === undefined) return undefined
  using coder = openAnimationCoder({ width, height, frames, colours: histogram.colours, entries: histogram.entries })
  return RATES.map((rate) => {
    const lossOf = () => lossAt(rate)
    const coded = coder.code({ paletteOf: palettes.of, lossOf, isTimeUp: () => false })
    return [...coded].flatMap(({ shown }, number) =>
      numbers.includes(number) ? [{ ...shown, data: shown.data.slice() }] : [],
    )
  })
}

const measure = async (path: string): Promise<readonly Curve[]> => {
  const { extent, frames } = await openAnimation(path, { format: 'gif' })
  if (frames < 2 || !isCodable(extent, frames)) return []
  const curves: Curve[] = []
  let sampled: readonly (readonly Raster[])[] | undefined
  for (const preset of PRESETS) {
    const target = { kind: 'score', score: PRESET_SCORES[preset], preset } as const
    using metric = await openFrameMetric(await shapeOf(path, 'gif', { target }))
    sampled ??= await codeAll(path, metric.numbers)
    if (sampled === undefined) return []
    const byRate = sampled.map((shown) => metric.examine(shown).map(({ effective }) => effective - metric.goal))
    for (const frame of metric.numbers.keys())
      curves.push({ image: path, preset, margins: byRate.map((margins) => margins[frame]!) })
  }
  return curves
}

const files = positionals.flatMap((directory) =>
  readdirSync(directory)
    .filter((name) => name.endsWith('.gif'))
    .map((name) => resolve(directory, name)),
)
const curves: Curve[] = []
for (const path of files) curves.push(...(await measure(path).catch(() => [])))
const used = [...new Set(curves.map(({ image }) => image))]
console.log(`${used.length} of ${files.length} animations, ${curves.length} curves of frames`)

const isNear = (margin: number): boolean => Math.abs(margin) < NEAR
/** Points that a frame loses when a bit is worth e times as much, between neighbouring rates. */
const slopes = curves.flatMap(({ margins }) =>
  margins.flatMap((margin, i) => {
    const next = margins[i + 1]
    if (next === undefined || !isNear(margin) || !isNear(next)) return []
    return [(margin - next) / (RATES[i + 1]! - RATES[i]!)]
  }),
)
/** How far a margin lies from the line between its neighbours, in standard deviations of a single margin. */
const bends = curves.flatMap(({ margins }) =>
  margins.flatMap((margin, i) => {
    const [before, next] = [margins[i - 1], margins[i + 1]]
    if (before === undefined || next === undefined || ![before, margin, next].every(isNear)) return []
    return [(margin - (before + next) / 2) / Math.sqrt(1.5)]
  }),
)
/** Standard deviation of a normal sample from its median absolute deviation. */
const NORMAL = 1.4826
const noiseOf = (list: readonly number[]): number => NORMAL * median(list.map((one) => Math.abs(one - median(list))))

/** The rate at which a curve crosses its goal; undefined where it does not. */
const crossing = ({ margins }: Curve): number | undefined => {
  const at = margins.findIndex((margin, i) => margin >= 0 && (margins[i + 1] ?? 0) < 0)
  if (at < 0) return undefined
  const [above, below] = [margins[at]!, margins[at + 1]!]
  return RATES[at]! + ((RATES[at + 1]! - RATES[at]!) * above) / (above - below)
}
interface Crossing {
  readonly rate: number
  /** Of the source, which the animation counts by: what a first trial saves is a share of its bytes. */
  readonly bytes: number
}
const crossings = (preset: Preset): readonly Crossing[] =>
  used.flatMap((image) => {
    const found = curves
      .filter((curve) => curve.image === image && curve.preset === preset)
      .flatMap((curve) => crossing(curve) ?? [])
    return found.length === 0 ? [] : [{ rate: median(found), bytes: statSync(image).size }]
  })
/** The rate that half of the bytes are below. */
const middle = (list: readonly Crossing[]): number => {
  const sorted = list.toSorted((a, b) => a.rate - b.rate)
  const bytesUpTo = (index: number): number => sorted.slice(0, index + 1).reduce((sum, { bytes }) => sum + bytes, 0)
  const half = bytesUpTo(sorted.length) / 2
  return sorted.find((_, index) => bytesUpTo(index) >= half)!.rate
}

const first = Object.fromEntries(PRESETS.map((preset) => [preset, middle(crossings(preset))])) as Record<Preset, number>
const pointsPerFold = median(slopes)
const noise = noiseOf(bends)
const spread = (list: readonly number[], of: number): string => median(list.map((one) => Math.abs(one - of))).toFixed(2)
const offBy = (list: readonly Crossing[], from: number): string =>
  middle(list.map(({ rate, bytes }) => ({ rate: Math.abs(rate - from), bytes }))).toFixed(2)
const errors = [
  ...PRESETS.map((preset) => ({
    what: `first rate at ${preset}, median by bytes over ${crossings(preset).length} animations`,
    before: offBy(crossings(preset), FITTED_RATES.first[preset]),
    after: offBy(crossings(preset), first[preset]),
  })),
  {
    what: `points per e-fold, median over ${slopes.length} steps`,
    before: spread(slopes, FITTED_RATES.pointsPerFold),
    after: spread(slopes, pointsPerFold),
  },
]
for (const { what, before, after } of errors) console.log(`${what}: ${before} before, ${after} after`)

const rates = PRESETS.map((preset) => `${preset}: ${first[preset].toFixed(2)}`).join(', ')
const body = `
/** How margins fall with the natural logarithm of the error that one bit is worth (the rate). */
export const FITTED_RATES = {
  /** Rate of the first trial: where half of the bytes of the animations meet the goal. */
  first: { ${rates} },
  /** Points of score that a frame loses when a bit is worth e times as much, median. */
  pointsPerFold: ${pointsPerFold.toFixed(1)},
  /** Standard deviation of a margin around its curve, in points. */
  noise: ${noise.toFixed(2)},
} as const`.trimStart()
console.log(body)
for (const preset of PRESETS)
  console.log(
    preset,
    crossings(preset)
      .map(({ rate, bytes }) => `${rate.toFixed(2)}:${(bytes / 1000).toFixed(0)}k`)
      .join(' '),
  )

if (values.write) {
  const path = join(import.meta.dirname, '../../src/motion/gif/coder/share-rates.fitted.ts')
  console.log(`Wrote ${writeFitted({ path, command: 'npm run fit:gif', files: used, errors, body })}.`)
}
