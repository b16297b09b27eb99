/**
 * Cost of the guarantee in bytes and CPU on folders of images, compared with other servers and tools on the same
 * pixels in the same process: see `npm run bench:corpus -- --help`.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { openSsimulacra2 } from '../src/metric/ssimulacra2/ssimulacra2.ts'
import { readArguments } from './corpus/arguments.ts'
import { openButteraugli } from './corpus/butteraugli.ts'
import { faultyGraphics, type GraphicRow, graphicBars, measureGraphic, summariseGraphics } from './corpus/graphics.ts'
import { type Measured, measure, type OurRow } from './corpus/measure.ts'
import {
  measurePhotograph,
  type Photographs,
  photographBars,
  summariseOpinions,
  summarisePhotographs,
} from './corpus/photographs.ts'
import { type Bar, drawBars } from './corpus/plot.ts'
import { measurePresets, type PresetRow, presetLine } from './corpus/presets.ts'

const { files, isGraphic, quality, ...wanted } = readArguments()
const metric = await openSsimulacra2()
const butteraugli = wanted.butteraugli === undefined ? undefined : openButteraugli(wanted.butteraugli)
const photographs: Photographs = { rows: [], ladders: new Map() }
const graphics: GraphicRow[] = []
const presets: PresetRow[] = []

const optionsFor = (file: string): string => `quality=${quality},full${isGraphic(file) ? '' : ',format=jpeg'}`

const progressOf = ({ file, asked, ours, score, goal }: Measured): string =>
  `${file}: ${asked.facts.bytes} -> ${ours.result.bytes} ${ours.result.format}, score ${score.toFixed(2)} ` +
  `(goal ${goal.toFixed(2)}), ${ours.result.encodes} encodes, ${ours.cpu.toFixed(0)} ms`

// Once unmeasured: what a fresh process compiles, a child of the service has compiled long ago.
if (files[0] !== undefined) (await measure(metric, files[0], optionsFor(files[0])))[Symbol.dispose]()

for (const [at, file] of files.entries()) {
  const done = `${at + 1}/${files.length}`
  if (wanted.presets) {
    presets.push(await measurePresets(metric, file))
    console.log(`${done} ${presetLine(presets.at(-1)!)}`)
    continue
  }
  using measured = await measure(metric, file, optionsFor(file))
  if (isGraphic(file)) graphics.push(await measureGraphic(measured))
  else await measurePhotograph(measured, photographs, butteraugli)
  console.log(`${done} ${progressOf(measured)}`)
}
butteraugli?.[Symbol.dispose]()

const rounded = (line: object): object =>
  Object.fromEntries(
    Object.entries(line).map(([key, value]) => [key, typeof value === 'number' ? Number(value.toFixed(3)) : value]),
  )
const oursOf = ({ ours, goal, file }: { ours: OurRow; goal: number; file: string }) => ({
  file: file.slice(0, 28),
  bytes: ours.bytes,
  score: ours.score,
  'above goal': ours.score - goal,
  encodes: ours.encodes,
  'CPU ms': ours.cpu,
})
const plots: { readonly title: string; readonly bars: readonly Bar[] }[] = []
const summary: Record<string, readonly object[]> = {}
const naming = (names: readonly string[]): string => names.join(', ') || 'none'

if (presets.length > 0) {
  const falling = presets.filter(({ fine }) => !fine).map(({ file }) => file)
  const strict = presets.filter((row) => row.strict).length
  console.log(`${presets.length} images, ${strict} of them must grow strictly; not as they must: ${naming(falling)}`)
}

if (photographs.rows.length > 0) {
  const { rows } = photographs
  console.table(
    rows.map((row) => {
      const { usual, bytesAtOurScore, needs } = row.peers[1]!
      return rounded({
        ...oursOf(row),
        MP: row.megapixels,
        'equal score': row.ours.bytes / bytesAtOurScore,
        ...(row.butteraugli === undefined ? {} : { butteraugli: row.butteraugli }),
        'mozjpeg 80': usual.bytes,
        'its score': usual.score,
        'its ms': usual.ms,
        needs,
      })
    }),
  )
  const off = rows.filter((row) => row.ours.score < row.goal || row.ours.score > row.goal + 1)
  console.log(`${rows.length} photographs; outside goal .. goal + 1: ${naming(off.map(({ file }) => file))}`)
  const opinions = summariseOpinions(photographs)
  if (opinions !== undefined) console.log(opinions)
  const lines = await summarisePhotographs(photographs)
  summary.photographs = lines
  console.table(lines.map(rounded))
  plots.push({
    title: `Bytes to keep every one of ${rows.length} photographs at its target (quality=${quality})`,
    bars: photographBars(lines),
  })
}

if (graphics.length > 0) {
  console.table(
    graphics.map((row) =>
      rounded({
        ...oursOf(row),
        source: row.source,
        format: row.ours.format,
        ...Object.fromEntries(row.peers.map(({ name, bytes }) => [name, bytes])),
      }),
    ),
  )
  console.log(
    `${graphics.length} graphics; below the goal, or larger than oxipng's: ${naming(faultyGraphics(graphics))}`,
  )
  const lines = summariseGraphics(graphics)
  summary.graphics = lines
  console.table(lines.map(rounded))
  plots.push({
    title: `Bytes of ${graphics.length} graphics in terms of the sources' (quality=${quality})`,
    bars: graphicBars(lines),
  })
}

const write = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
if (wanted.json !== undefined)
  write(
    wanted.json,
    `${JSON.stringify({ quality, summary, photographs: photographs.rows, graphics, presets }, null, 2)}\n`,
  )
if (wanted.plot !== undefined)
  for (const [at, { title, bars }] of plots.entries())
    write(at === 0 ? wanted.plot : wanted.plot.replace(/(\.svg)?$/, '-graphics.svg'), drawBars(title, bars))
