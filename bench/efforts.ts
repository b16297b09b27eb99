/** Bytes and CPU of encoder settings at equal quality: `npm run bench:efforts -- --help`. */
import { LEVEL_QUALITIES } from '../src/formats/avif.ts'
import { openExaminer } from '../src/formats/examine.ts'
import { openMetrics } from '../src/metric/metrics.ts'
import { fromPixels, toPixels } from '../src/raster/raw.ts'
import { bindingConstraint } from '../src/search/margins.ts'
import { ask } from './corpus/ask.ts'
import { readCommand, readNumber, requirePaths } from './corpus/help.ts'
import { timed } from './corpus/timed.ts'
import { imagesIn } from './eye/arguments.ts'
import { rounded } from './eye/summary.ts'

const HELP = `Bytes and CPU of sharp's settings of an encoder at equal quality: where every bound of a preset is just kept, in terms of the
first setting; geometric means.

Usage: npm run bench:efforts -- [options] <folder or file> ...

  --encoder NAME    webp or avif (webp)
  --quality PRESET  low, medium or high (medium)
  --only TEXT       only settings whose JSON has this text, and the first (all of them)
  --limit N         images of each folder (1000)
  --help            says this
`

const { values, positionals } = readCommand(HELP, {
  allowPositionals: true,
  options: {
    encoder: { type: 'string', default: 'webp' },
    quality: { type: 'string', default: 'medium' },
    only: { type: 'string', default: '' },
    limit: { type: 'string', default: '1000' },
  },
})
requirePaths(HELP, positionals)

/** sharp's options by encoder; the first variant is what the others are compared with. */
const VARIANTS: Readonly<Record<string, readonly object[]>> = {
  webp: [
    ...[4, 0, 1, 2, 3, 5, 6].map((effort) => ({ effort })),
    ...[3, 4, 5, 6].map((effort) => ({ effort, smartSubsample: true })),
    { effort: 4, smartDeblock: true },
  ],
  avif: [10, 8].flatMap((bitdepth) => [4, 0, 1, 2, 3, 5].map((effort) => ({ effort, bitdepth }))),
}
const SETTINGS: Readonly<Record<string, readonly number[]>> = {
  webp: Array.from({ length: 100 }, (_, index) => index + 1),
  avif: LEVEL_QUALITIES,
}

/** Bytes where every bound is just kept, interpolated between two settings, and the median CPU of an encode; undefined where no setting keeps them. */
interface Knee {
  readonly bytes: number
  readonly ms: number
}

const metrics = await openMetrics()
const kneesOf = async (file: string): Promise<readonly (Knee | undefined)[]> => {
  const { pixels, plan } = await ask(file, `quality=${values.quality},full`)
  using examiner = openExaminer(metrics, { pixels, target: plan.target, density: 1 })
  const settings = SETTINGS[values.encoder]!
  const knees: (Knee | undefined)[] = []
  for (const variant of variants) {
    const times: number[] = []
    const trialAt = async (index: number) => {
      const { ms, value } = await timed(() =>
        fromPixels(pixels)
          [values.encoder as 'webp']({ quality: settings[index]!, ...variant })
          .toBuffer(),
      )
      times.push(ms)
      const { margins } = examiner.examine(await toPixels(value), values.encoder as 'webp')
      return { logBytes: Math.log(value.length), margin: bindingConstraint(margins)!.margin }
    }
    let [low, high] = [0, settings.length - 1]
    let [fails, passes] = [await trialAt(low), await trialAt(high)]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      const trial = await trialAt(middle)
      if (trial.margin < 0) [low, fails] = [middle, trial]
      else [high, passes] = [middle, trial]
    }
    const share = -fails.margin / (passes.margin - fails.margin)
    const bytes = Math.exp(fails.logBytes + share * (passes.logBytes - fails.logBytes))
    knees.push(passes.margin < 0 ? undefined : { bytes, ms: times.toSorted((a, b) => a - b)[times.length >> 1]! })
  }
  return knees
}

const variants = VARIANTS[values.encoder]!.filter(
  (variant, index) => index === 0 || JSON.stringify(variant).includes(values.only),
)
const files = positionals.flatMap((path) => imagesIn(path, readNumber(HELP, '--limit', values.limit)))
const all: (readonly (Knee | undefined)[])[] = []
for (const file of files) all.push(await kneesOf(file))

const meanOf = (ratios: readonly number[]): number =>
  rounded(Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length))
console.log(`${values.encoder}, ${values.quality}, ${files.length} images: geometric means in terms of the first row`)
console.table(
  variants.map((variant, index) => {
    const pairs = all.flatMap((knees) => (knees[0] && knees[index] ? [[knees[index], knees[0]] as const] : []))
    const ratios = pairs.map(([own, first]) => own.bytes / first.bytes)
    return {
      variant: JSON.stringify(variant).replaceAll('"', ''),
      images: pairs.length,
      bytes: meanOf(ratios),
      'bytes, largest': rounded(Math.max(...ratios)),
      CPU: meanOf(pairs.map(([own, first]) => own.ms / first.ms)),
    }
  }),
)
