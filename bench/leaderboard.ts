/**
 * Every encoder that this machine has against ours, by format, at exactly equal quality: `npm run leaderboard -- --help`.
 * Writes one HTML page and one JSON file.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openMetrics, type PerceptualMetrics } from '../src/metric/metrics.ts'
import type { LossyPreset } from '../src/plan/targets.ts'
import { ask } from './corpus/ask.ts'
import { readCommand, readNumber, requirePaths } from './corpus/help.ts'
import { makeOurs } from './corpus/ours.ts'
import { imagesIn, readPreset } from './eye/arguments.ts'
import { compareImage, type EyeRow, worstPlace } from './eye/compare.ts'
import { type EyePeer, peersNamed } from './eye/peers.ts'
import { REFEREES } from './eye/referees/referees.ts'
import { writeWorst } from './eye/sheets.ts'
import { countsOf, summaryOf } from './eye/summary.ts'
import { holdAnimations, isAnimation } from './leaderboard/animations.ts'
import { type Contest, pageOf } from './leaderboard/page.ts'
import { programsFor } from './leaderboard/programs.ts'
import { type ImageServer, openSources, readServer, type SourceServer, serverPeer } from './leaderboard/servers.ts'

const HELP = `Every encoder that this machine has against ours, by format, at exactly equal quality by each metric.
sharp's encoders are always there; cjpegli, cjxl, pngquant and gifsicle where PATH has them; image servers where their address is given.

Usage: npm run leaderboard -- [options] <folder or file> ...

  --quality PRESET   low, medium or high (medium)
  --formats LIST     jpeg, webp, avif, jxl, png, gif (jpeg,webp,avif,jxl,gif);
                     png is for drawings, gif for the animated GIFs of the folders
  --limit N          images of a folder (1000)
  --server NAME=URL  an image server, with {url}, {quality} and {format} in its address; several may be given.
                     It has to be allowed to fetch from loopback. For example:
                     imgproxy=http://127.0.0.1:8080/insecure/q:{quality}/plain/{url}@{format}
                     ipx=http://127.0.0.1:3000/q_{quality},f_{format}/{url}
  --out DIR          where leaderboard.html and leaderboard.json go (leaderboard)
  --help             says this
`

/** Encoders of sharp by format. Its best AVIF takes minutes an image, and is no peer of a service. */
const SHARP: Readonly<Record<string, readonly string[]>> = {
  jpeg: ['mozjpeg', 'sharp'],
  webp: ['webp', 'webp6'],
  avif: ['avif'],
  jxl: [],
  png: ['oxipng4', 'palette80', 'palette90'],
  gif: [],
}
/** Formats that image servers are asked for. */
const SERVED = ['jpeg', 'webp', 'avif']

const readArguments = () => {
  const { values, positionals } = readCommand(HELP, {
    allowPositionals: true,
    options: {
      quality: { type: 'string', default: 'medium' },
      formats: { type: 'string', default: 'jpeg,webp,avif,jxl,gif' },
      limit: { type: 'string', default: '1000' },
      server: { type: 'string', multiple: true, default: [] },
      out: { type: 'string', default: 'leaderboard' },
    },
  })
  requirePaths(HELP, positionals)
  const { out } = values
  const quality = readPreset(values.quality)
  const formats = values.formats.split(',')
  for (const format of formats)
    if (!Object.hasOwn(SHARP, format)) throw new Error(`--formats ${format}: ${Object.keys(SHARP).join(', ')}`)
  const files = positionals.flatMap((path) => imagesIn(path, readNumber(HELP, '--limit', values.limit)))
  const gifs = positionals.flatMap((path) => imagesIn(path, readNumber(HELP, '--limit', values.limit), /\.gif$/i))
  return { quality, out, formats, files, gifs, servers: values.server.map(readServer) }
}

interface Question {
  readonly format: string
  readonly quality: LossyPreset
  readonly files: readonly string[]
  readonly peers: readonly EyePeer[]
}

const rowsOf = async (metrics: PerceptualMetrics, { format, quality, files, peers }: Question): Promise<EyeRow[]> => {
  const options = `quality=${quality},full,format=${format}`
  const rows: EyeRow[] = []
  for (const [at, file] of files.entries()) {
    const progress = `${format} ${at + 1}/${files.length} ${file}`
    try {
      rows.push(await compareImage(metrics, file, { options, quality, peers, 'psnr-hvs': false, referees: REFEREES }))
      console.log(`${progress}: ${rows.at(-1)!.ours.bytes} bytes`)
    } catch (failure) {
      console.log(`${progress}: ${failure}`)
    }
  }
  return rows
}

const worstTiles = async (rows: readonly EyeRow[], out: string): Promise<Pick<Contest, 'worst'>> => {
  if (rows.length === 0) return {}
  const scratch = join(out, 'worst.webp')
  const labels = await writeWorst(scratch, rows.map(worstPlace))
  const picture = readFileSync(scratch)
  rmSync(scratch)
  return { worst: { picture, labels } }
}

const holdContest = async (metrics: PerceptualMetrics, question: Question, out: string): Promise<Contest> => {
  const { format, quality, peers } = question
  const rows = await rowsOf(metrics, question)
  const lines: Record<string, unknown>[] = []
  for (const peer of peers) lines.push({ ...(await summaryOf(rows, peer, `quality=${quality},full,format=${format}`)) })
  const unwarned = rows.filter(({ ours, warned }) => ours.broken.length > 0 && !warned)
  return {
    format,
    images: rows.length,
    broken: unwarned.length,
    bounds: countsOf(unwarned.map(({ ours }) => ours.broken)),
    lines,
    rows: rows.map(({ places: _, path: __, ...row }) => row),
    ...(await worstTiles(rows, out)),
  }
}

const peersOf = (format: string, servers: readonly ImageServer[], sources: SourceServer): EyePeer[] => [
  ...peersNamed(SHARP[format]!),
  ...programsFor(format),
  ...(SERVED.includes(format) ? servers.map((server) => serverPeer(server, format, sources)) : []),
]

const { quality, out, formats, files, gifs, servers } = readArguments()
mkdirSync(out, { recursive: true })
const metrics = await openMetrics()
await using sources = await openSources()
const contests: Contest[] = []
// One beforehand, so that no figure counts the compiling of the kernels.
if (files[0] !== undefined) await makeOurs(await ask(files[0], 'full'))
for (const format of formats) {
  if (format === 'gif') {
    const animations: string[] = []
    for (const file of gifs) if (await isAnimation(file)) animations.push(file)
    if (animations.length > 0) contests.push(await holdAnimations(metrics, { quality, files: animations }))
    continue
  }
  const peers = peersOf(format, servers, sources)
  if (peers.length === 0) console.log(`${format}: this machine has no other encoder`)
  else contests.push(await holdContest(metrics, { format, quality, files, peers }, out))
}
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
const board = { quality, date: new Date().toISOString().slice(0, 10), version, contests }
writeFileSync(join(out, 'leaderboard.html'), pageOf(board))
const figures = { ...board, contests: contests.map(({ worst: _, ...contest }) => contest) }
writeFileSync(join(out, 'leaderboard.json'), `${JSON.stringify(figures, null, 2)}\n`)
for (const { format, lines } of contests) {
  console.log(format)
  console.table(lines)
}
console.log(`${join(out, 'leaderboard.html')}, ${join(out, 'leaderboard.json')}`)
