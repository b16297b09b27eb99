/** Forced WebP and AVIF at every preset, against our answer without `format` and against sharp: `npm run bench:presets -- --help`. */
import { writeFileSync } from 'node:fs'
import { openMetrics } from '../src/metric/metrics.ts'
import { isPhotograph } from '../src/plan/shortlist.ts'
import { survey } from '../src/raster/survey.ts'
import { ask } from './corpus/ask.ts'
import { median } from './corpus/floor.ts'
import { readCommand, readNumber, requirePaths } from './corpus/help.ts'
import { makeOurs } from './corpus/ours.ts'
import { imagesIn, readPreset } from './eye/arguments.ts'
import { compareImage } from './eye/compare.ts'
import { peersNamed } from './eye/peers.ts'
import { rounded } from './eye/summary.ts'
import { type FormatReading, summaryOf } from './presets/summary.ts'

const HELP = `Forced WebP and AVIF at every preset: bytes over those of our own answer without format, and over those of sharp's default
encoder at equal SSIMULACRA and at equal Butteraugli.

Usage: npm run bench:presets -- [options] <folder or file> ...

  --presets LIST  low, medium, high (all of them)
  --formats LIST  webp, avif (both)
  --limit N       images of each folder (1000)
  --json FILE     writes the figures
  --help          says this
`

const { values, positionals } = readCommand(HELP, {
  allowPositionals: true,
  options: {
    presets: { type: 'string', default: 'low,medium,high' },
    formats: { type: 'string', default: 'webp,avif' },
    limit: { type: 'string', default: '1000' },
    json: { type: 'string' },
  },
})
requirePaths(HELP, positionals)
const files = positionals.flatMap((path) => imagesIn(path, readNumber(HELP, '--limit', values.limit)))
const metrics = await openMetrics()

const categoryOf = async (file: string): Promise<FormatReading['category']> => {
  const { pixels } = await ask(file, 'full')
  return isPhotograph(survey(pixels), pixels) ? 'photographs' : 'drawings'
}

const readings: FormatReading[] = []
const presets = values.presets.split(',').map((name) => readPreset(name, '--presets'))
for (const quality of presets) {
  for (const file of files) {
    const category = await categoryOf(file)
    const free = (await makeOurs(await ask(file, `quality=${quality},full`))).result
    for (const format of values.formats.split(',')) {
      const options = `quality=${quality},full,format=${format}`
      const peers = peersNamed([format])
      const row = await compareImage(metrics, file, { options, quality, peers, 'psnr-hvs': false, referees: [] })
      const [peer] = row.peers
      const reading: FormatReading = {
        file: row.file,
        category,
        quality,
        format,
        bytes: row.ours.bytes,
        free: { format: free.format, bytes: free.bytes },
        equalSsimulacra: peer?.atEqualSsimulacra ?? Number.NaN,
        equalButteraugli: peer?.atEqualButteraugli ?? Number.NaN,
        isLossless: row.ours.ssimulacra === 100,
        isMissed: row.warned,
      }
      readings.push(reading)
      const { bytes, isLossless, isMissed } = reading
      console.log(
        `${quality} ${format} ${row.file}: ${bytes}, ${rounded(bytes / free.bytes)} of the ${free.format}; sharp ` +
          `${rounded(reading.equalSsimulacra)} ${rounded(reading.equalButteraugli)}${isLossless ? '; lossless' : ''}${isMissed ? '; target missed' : ''}`,
      )
    }
  }
}
console.table(summaryOf(readings, median))
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(readings, null, 2)}\n`)
