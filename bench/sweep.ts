/**
 * Compares searches of WebP and AVIF with sweeps: bytes of the result divided by those of the smallest file, of the same encoder, that keeps every bound.
 *
 *   npm run bench:sweep -- [--presets low,medium,high] [--formats webp,avif] [--json FILE] <folder or file> [count]
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { openMetrics } from '../src/metric/metrics.ts'
import { median } from './corpus/floor.ts'
import { imagesIn, readPreset } from './eye/arguments.ts'
import { rounded } from './eye/summary.ts'
import { type SweepReading, sweepImage } from './sweep/sweep-image.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    presets: { type: 'string', default: 'low,medium,high' },
    formats: { type: 'string', default: 'webp,avif' },
    json: { type: 'string' },
  },
})
const [path, count = '20'] = positionals
if (path === undefined) throw new Error('npm run bench:sweep -- [--presets LIST] [--formats LIST] <folder> [count]')
const files = imagesIn(path, Number(count))
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
