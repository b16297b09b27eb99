/**
 * Bytes of the images in bench/public, compared with the last run in bench/history.json: a change that makes results
 * larger is seen before it is shipped. Usage: npm run bench:history [-- --record NOTE]
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { stillClock } from '../test/still-clock.ts'
import { ask } from './corpus/ask.ts'
import { readCommand } from './corpus/help.ts'
import { makeOurs } from './corpus/ours.ts'
import { MOZJPEG } from './corpus/peers.ts'
import { timed } from './corpus/timed.ts'
import { compareRuns, type Reading, type Run, regressions } from './history/compare.ts'

const HELP = `Bytes, scores and CPU of the small public images in bench/public, against the last run in bench/history.json.

Usage: npm run bench:history -- [options]

  --record NOTE   adds this run to the history; a NOTE that begins with "accepted:" admits more bytes, and says why
  --help          says this

Ends with 1 when one of the option lists takes more than 1 % more bytes than in the last run, and was not accepted.
`
const FOLDER = join(import.meta.dirname, 'public')
const HISTORY = join(import.meta.dirname, 'history.json')

const PRESETS = ['full,quality=low', 'full', 'full,quality=high'] as const
/** By ending: photographs are the JPEGs and Kodak's; what moves or is drawn by vectors is asked for once. */
const listsFor = (file: string): readonly string[] => {
  if (/\.(gif|svg)$/.test(file)) return ['full']
  return file.startsWith('kodim') ? [...PRESETS, 'full,format=webp', 'full,format=avif'] : PRESETS
}

let cpu = 0
let unit = 0
const read = async (file: string, options: string): Promise<Reading> => {
  const asked = await ask(join(FOLDER, file), options)
  // The clock stands still: the machine's load must not decide which bytes are compared.
  const { result } = await makeOurs(asked, stillClock())
  if (result.cutShort === true) throw new Error(`${file} "${options}": the search left something out for lack of time.`)
  if (file.startsWith('kodim') && options === 'full') {
    // Once more: the first time is spent on compiling.
    cpu += (await makeOurs(asked, stillClock())).cpu
    unit += (await timed(() => MOZJPEG.encode(asked.pixels, 80))).ms
  }
  const { bytes, score, butteraugli } = result as typeof result & { readonly butteraugli?: number }
  const round = (value: number): number => Math.round(value * 1000) / 1000
  return {
    file,
    options,
    bytes,
    ...(score === undefined ? {} : { score: round(score) }),
    ...(butteraugli === undefined ? {} : { butteraugli: round(butteraugli) }),
  }
}

/** JSON with a line for each reading, so that a change of the file shows what changed. */
const printed = (runs: readonly Run[]): string =>
  `[${runs
    .map(({ readings, ...facts }) => {
      const lines = readings.map((reading) => `  ${JSON.stringify(reading)}`)
      return `${JSON.stringify(facts).slice(0, -1)},"readings":[\n${lines.join(',\n')}\n]}`
    })
    .join(',\n')}]\n`

const { record } = readCommand(HELP, { options: { record: { type: 'string' } } }).values
const readings: Reading[] = []
for (const file of readdirSync(FOLDER).filter((name) => name !== 'ORIGINS.tsv')) {
  for (const options of listsFor(file)) {
    const reading = await read(file, options)
    readings.push(reading)
    const figures = [reading.bytes, reading.score ?? '', reading.butteraugli ?? ''].map((one) => `${one}`.padStart(8))
    process.stdout.write(`${file.padEnd(52)} ${options.padEnd(18)}${figures.join('')}\n`)
  }
}

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as {
  version: string
}
const run: Run = {
  version,
  date: new Date().toISOString().slice(0, 10),
  platform: `node ${process.versions.node}, libvips ${sharp.versions.vips}, ${process.arch}`,
  note: record ?? '',
  cpu: Math.round((cpu / unit) * 100) / 100,
  readings,
}
const history = JSON.parse(readFileSync(HISTORY, 'utf8')) as readonly Run[]
const last = history.at(-1)
process.stdout.write(`\nCPU of photographs at medium, one sharp mozjpeg encode = 1: ${run.cpu}\n`)
for (const { options, images, ratio } of last === undefined ? [] : compareRuns(last, run)) {
  process.stdout.write(`${options.padEnd(20)} ${images} images: ${ratio.toFixed(4)} of the bytes of ${last?.date}\n`)
}
const worse = last === undefined ? [] : regressions(last, run)
for (const sentence of worse) process.stderr.write(`larger: ${sentence}\n`)
if (record !== undefined) writeFileSync(HISTORY, printed([...history, run]))
process.exitCode = worse.length > 0 && !(record ?? '').startsWith('accepted:') ? 1 : 0
