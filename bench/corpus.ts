/**
 * What the guarantee costs in bytes and CPU on a folder of images, against what other servers and tools make of the same
 * pixels in the same process. Photographs (and JPEG sources) are made JPEG, drawings and screenshots what is smallest.
 *  - floor: our bytes in all, each image at its target, against a peer's at the lowest fixed quality at which every image
 *    is at its target; for all images and for the 95 % that need least.
 *  - equal score: each image against the peer's bytes at the very score that we reached.
 * Scores are the exact metric's, of the returned bytes, decoded.
 * Usage: npm run bench:corpus -- <folder> [--quality medium] [--kind photographs|graphics] [--limit N] [--json FILE] [--plot FILE.svg]
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { toPixels } from '../src/formats/raw.ts'
import { openJudge } from '../src/judge/judge.ts'
import { marginFor } from '../src/plan/targets.ts'
import { type Asked, ask } from './corpus/ask.ts'
import { type GraphicRow, graphicBars, measureGraphic, summariseGraphics } from './corpus/graphics.ts'
import { makeOurs } from './corpus/ours.ts'
import { measurePhotograph, type Photographs, photographBars, summarisePhotographs } from './corpus/photographs.ts'
import { type Bar, drawBars } from './corpus/plot.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quality: { type: 'string', default: 'medium' },
    kind: { type: 'string' },
    limit: { type: 'string', default: '1000' },
    json: { type: 'string' },
    plot: { type: 'string' },
  },
})
const folders = positionals.length > 0 ? positionals : ['../shared/corpus/photo-png']
const files = folders.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => /\.(png|jpe?g)$/i.test(name))
    .slice(0, Number(values.limit))
    .map((name) => join(folder, name)),
)
const isGraphics = (file: string): boolean =>
  values.kind === undefined ? /graphic|screen|icon/i.test(basename(dirname(file))) : values.kind === 'graphics'

const judge = await openJudge()
const photographs: Photographs = { rows: [], ladders: new Map() }
const graphics: GraphicRow[] = []

const goalOf = ({ plan: { target } }: Asked): number =>
  target.kind === 'score' ? target.score + marginFor(target.score) : 100

// Once unmeasured: what a fresh process compiles, a child of the service has compiled long ago.
if (files[0] !== undefined) await makeOurs(await ask(files[0], `quality=${values.quality},full,format=jpeg`))

for (const [at, file] of files.entries()) {
  const name = basename(file)
  const graphic = isGraphics(file)
  const asked = await ask(file, `quality=${values.quality},full${graphic ? '' : ',format=jpeg'}`)
  const ours = await makeOurs(asked)
  using reference = judge.prepare(asked.pixels, 'exact')
  const score = reference.compare(await toPixels(ours.bytes))
  const measured = { asked, ours, reference, goal: goalOf(asked), score }
  if (graphic) graphics.push(await measureGraphic(name, measured))
  else await measurePhotograph(name, measured, photographs)
  const { bytes, encodes, format } = ours.made
  console.log(
    `${at + 1}/${files.length} ${name}: ${asked.facts.bytes} -> ${bytes} ${format}, ` +
      `score ${score.toFixed(2)} (goal ${measured.goal.toFixed(2)}), ${encodes} encodes, ${ours.cpu.toFixed(0)} ms`,
  )
}

const rounded = (line: object): object =>
  Object.fromEntries(
    Object.entries(line).map(([key, value]) => [key, typeof value === 'number' ? Number(value.toFixed(3)) : value]),
  )
const plots: { readonly title: string; readonly bars: readonly Bar[] }[] = []
const summary: Record<string, readonly object[]> = {}

if (photographs.rows.length > 0) {
  const { rows } = photographs
  console.table(
    rows.map((row) => {
      const { usual, bytesAtOurScore } = row.peers[1]!
      return rounded({
        file: row.file.slice(0, 28),
        MP: row.megapixels,
        bytes: row.ours.bytes,
        'above goal': row.ours.score - row.goal,
        encodes: row.ours.encodes,
        'CPU ms': row.ours.cpu,
        'equal score': row.ours.bytes / bytesAtOurScore,
        'mozjpeg 80': usual.bytes,
        'its score': usual.score,
        'its ms': usual.ms,
        needs: row.peers[1]!.needs,
      })
    }),
  )
  const off = rows.filter((row) => row.ours.score < row.goal || row.ours.score > row.goal + 1)
  console.log(
    `${rows.length} photographs; outside goal .. goal + 1: ${off.map(({ file }) => file).join(', ') || 'none'}`,
  )
  const lines = await summarisePhotographs(photographs)
  summary.photographs = lines
  console.table(lines.map(rounded))
  plots.push({
    title: `Bytes to keep every one of ${rows.length} photographs at its target (quality=${values.quality})`,
    bars: photographBars(lines),
  })
}

if (graphics.length > 0) {
  console.table(
    graphics.map((row) =>
      rounded({
        file: row.file.slice(0, 28),
        source: row.source,
        bytes: row.ours.bytes,
        format: row.ours.format,
        'above goal': row.ours.score - row.goal,
        encodes: row.ours.encodes,
        'CPU ms': row.ours.cpu,
        ...Object.fromEntries(row.peers.map(({ name, bytes }) => [name, bytes])),
      }),
    ),
  )
  const lines = summariseGraphics(graphics)
  summary.graphics = lines
  console.table(lines.map(rounded))
  plots.push({
    title: `Bytes of ${graphics.length} graphics in terms of the sources' (quality=${values.quality})`,
    bars: graphicBars(lines),
  })
}

const write = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
if (values.json !== undefined)
  write(
    values.json,
    `${JSON.stringify({ quality: values.quality, summary, photographs: photographs.rows, graphics }, null, 2)}\n`,
  )
if (values.plot !== undefined)
  for (const [at, { title, bars }] of plots.entries())
    write(at === 0 ? values.plot : values.plot.replace(/(\.svg)?$/, '-graphics.svg'), drawBars(title, bars))
