/** How much of labelled subjects `crop=auto` keeps, compared with other methods: `npm run bench:crop -- --help`. */
import { basename } from 'node:path'
import type { Box } from '../src/core/image.ts'
// CPU as in a child process, which collects garbage as rarely.
import '../src/support/heap-growth.ts'
import { readCommand, requirePaths } from './corpus/help.ts'
import { compareCopies, type Moved, summariseMoves } from './crop/copies.ts'
import { type HeadsShown, headsIn, judgeHeads, picturesWithHeads, summariseHeads } from './crop/heads.ts'
import { EXTREME, SHAPES } from './crop/judge.ts'
import { type Labelled, readLabels } from './crop/labels.ts'
import { type Method, openMethods } from './crop/methods.ts'
import { loadPicture } from './crop/pictures.ts'
import { type Shown, scoreWindow, summarise } from './crop/score.ts'
import { type Row, writeSheets } from './crop/sheets.ts'

const HELP = `How much of labelled subjects crop=auto keeps in windows of six shapes, compared with other methods; and CPU in ms an image.

Usage: npm run bench:crop -- [options] <folder> ...

  --alone       leaves out the other methods
  --copies      also counts the copies of other sizes that get the window of their original, within 1 % of the side
  --sheets DIR  writes pictures of the windows
  --help        says this

Labels are in MANIFEST.tsv or boxes.tsv of a folder. Without them, pictures count whose heads are in bench/crop/heads.tsv.
`

interface Result extends Shown {
  readonly method: string
  readonly kind: string
  readonly faces: boolean
  readonly extreme: boolean
  readonly file: string
  readonly shape: string
}

interface Costs {
  readonly first?: number
  readonly later: number
  readonly count: number
}

const cpu = (since: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1000
}

const costs: Record<string, Costs> = {}

/** Adds up what one image costs: the looking, and a window for each shape. */
const addCost = (name: string, ms: number): void => {
  const { first = ms, later, count } = costs[name] ?? { later: -ms, count: -1 }
  costs[name] = { first, later: later + ms, count: count + 1 }
}

const measure = async (labelled: Labelled, methods: Readonly<Record<string, Method>>) => {
  const image = await loadPicture(labelled.file)
  const results: Result[] = []
  const windows: Box[] = []
  for (const [name, method] of Object.entries(methods)) {
    const since = process.cpuUsage()
    const place = await method(image)
    for (const [shape, output] of Object.entries({ ...SHAPES, ...EXTREME })) {
      const window = await place(output)
      if (name === 'this service') windows.push(window)
      const shared = { method: name, kind: labelled.kind, faces: labelled.faces.length > 0, file: labelled.file, shape }
      results.push({ ...shared, extreme: shape in EXTREME, ...scoreWindow(window, labelled.subject) })
    }
    addCost(name, cpu(since))
  }
  const row: Row = { file: labelled.file, image, windows, boxes: [labelled.subject, ...labelled.faces] }
  return { results, row }
}

/** The windows of a picture that has labels of heads alone. */
const look = async (file: string, method: Method): Promise<Row> => {
  const image = await loadPicture(file)
  const place = await method(image)
  const windows = await Promise.all(Object.values({ ...SHAPES, ...EXTREME }).map(place))
  return { file, image, windows, boxes: [] }
}

const headsOf = ({ file, image, windows }: Row): HeadsShown[] =>
  headsIn(file).length === 0 ? [] : windows.map((window) => judgeHeads(headsIn(file), window, image))

const print = (title: string, results: readonly Result[]): void => {
  if (results.length === 0) return
  const byMethod = [...Map.groupBy(results, ({ method }) => method)]
  const line = byMethod.map(([method, shown]) => `${method} ${summarise(shown)}`).join(' | ')
  process.stdout.write(`${title} (${results.length / byMethod.length}): ${line}\n`)
}

const options = { sheets: { type: 'string' }, alone: { type: 'boolean' }, copies: { type: 'boolean' } } as const
const { values, positionals } = readCommand(HELP, { options, allowPositionals: true })
requirePaths(HELP, positionals)
const every = await openMethods()
const ours = every['this service']!
const methods = values.alone === true ? { 'this service': ours } : every
process.stdout.write('kept / whole / lost, % (lost: less than half of what the best window shows)\n')
for (const folder of positionals) {
  const all: Result[] = []
  const rows: Row[] = []
  const moved: Moved[] = []
  for (const labelled of readLabels(folder)) {
    const { results, row } = await measure(labelled, methods)
    all.push(...results)
    rows.push(row)
    if (values.copies === true) moved.push(...(await compareCopies(row.image, ours, SHAPES)))
  }
  const labelled = new Set(rows.map(({ file }) => file))
  for (const file of picturesWithHeads(folder)) if (!labelled.has(file)) rows.push(await look(file, ours))
  const usual = all.filter(({ extreme }) => !extreme)
  process.stdout.write(`\n${basename(folder)}\n`)
  print('1:1, 16:9, 3:4, 2:1', usual)
  print(
    '1:2, 3:1',
    all.filter(({ extreme }) => extreme),
  )
  print(
    'with faces',
    usual.filter(({ faces }) => faces),
  )
  for (const [kind, shown] of Map.groupBy(usual, ({ kind }) => kind)) print(kind, shown)
  for (const lost of usual.filter(({ method, kept }) => method === 'this service' && kept < 0.5))
    process.stdout.write(`lost: ${basename(lost.file)} at ${lost.shape}\n`)
  const heads = rows.flatMap(headsOf)
  if (heads.length > 0) process.stdout.write(`heads, all six shapes: ${summariseHeads(heads)}\n`)
  if (moved.length > 0) process.stdout.write(`within 1 % of the side in copies: ${summariseMoves(moved)}\n`)
  if (values.sheets !== undefined) await writeSheets(values.sheets, basename(folder), rows)
}
process.stdout.write('\nms of CPU an image and all shapes: the first, and the others\n')
for (const [name, { first, later, count }] of Object.entries(costs))
  process.stdout.write(`${name}: ${first!.toFixed(0)}, ${(later / count).toFixed(0)}\n`)
process.stdout.write(`memory at the end: ${(process.memoryUsage.rss() / 1e6).toFixed(0)} MB\n`)
