/** Searches of WebP and AVIF against sweeps of all settings: `npm run bench:sweep -- --help`. */
import { writeFileSync } from 'node:fs'
import { openMetrics } from '../src/metric/metrics.ts'
import { median } from './corpus/floor.ts'
import { readCommand, readNumber, requirePaths } from './corpus/help.ts'
import { imagesIn, readPreset } from './eye/arguments.ts'
import { rounded } from './eye/summary.ts'
import { type SweepReading, sweepImage } from './sweep/sweep-image.ts'

const HELP = `Compares searches of WebP and AVIF with sweeps: bytes of the result divided by those of the smallest file, of the same encoder,
that keeps every bound.

Usage: npm run bench:sweep -- [options] <folder or file> ...

  --presets LIST  low, medium, high (all of them)
  --formats LIST  webp, avif (both)
  --limit N       images of each folder (20)
  --json FILE     writes the figures
  --help          says this
`

const { values, positionals } = readCommand(HELP, {
  allowPositionals: true,
  options: {
    presets: { type: 'string', default: 'low,medium,high' },
    formats: { type: 'string', default: 'webp,avif' },
    limit: { type: 'string', default: '20' },
    json: { type: 'string' },
  },
})
requirePaths(HELP, positionals)
const files = positionals.flatMap((path) => imagesIn(path, readNumber(HELP, '--limit', values.limit)))
const metrics = await openMetrics()
const readings: SweepReading[] = []
for (const quality of values.presets.split(',').map((name) => readPreset(name, '--presets')))
  for (const format of values.formats.split(','))
    for (const file of files) {
      const reading = await sweepImage(metrics, { file, quality, format })
      readings.push(reading)
      const { setting, smallest, ratio, trials, why } = reading
      console.log(
        `${quality} ${format} ${file.split('/').at(-1)}: setting ${setting}, smallest ${smallest}, bytes ${rounded(ratio)}, ${trials} trials, ${why}`,
      )
    }
console.table(
  [...Map.groupBy(readings, ({ quality, format }) => `${quality} ${format}`)].map(([group, all]) => {
    const ratios = all.map(({ ratio }) => ratio).filter(Number.isFinite)
    return {
      group,
      images: all.length,
      'bytes, median': Number(median(ratios).toFixed(3)),
      worst: Number(Math.max(...ratios).toFixed(3)),
      'above 1.02': ratios.filter((ratio) => ratio > 1.02).length,
      trials: rounded(all.reduce((sum, { trials }) => sum + trials, 0) / all.length),
      missed: all.length - ratios.length,
    }
  }),
)
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(readings, null, 2)}\n`)
