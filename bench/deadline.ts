/** Bytes that short timeouts cost, by format and timeout: `npm run bench:deadline -- --help`. */
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { type Asked, ask } from './corpus/ask.ts'
import { readCommand, readNumber, readNumbers, requirePaths } from './corpus/help.ts'
import { cpuMs } from './corpus/timed.ts'
import { makeWithin, useCpuClock } from './deadline/cpu-clock.ts'
import { type Hurried, moreTimeMoreBytes, tableOf } from './deadline/table.ts'

const HELP = `What haste costs: bytes at each timeout over those of the same request without haste, by format, median and worst; and what
sharp's default encode makes of the same pixels. Ends with the results that are larger with more time.

Usage: npm run bench:deadline -- [options] <folder or file> ...

  --timeouts LIST  seconds (1,2,5,10)
  --formats LIST   jpeg, webp, avif, png, gif, webm, h264 (all of them)
  --limit N        images of a folder (1000)
  --json FILE      writes the figures
  --help           says this

Images are stills of 0.05 to 3 megapixels, and animated GIFs as GIF, WebP, WebM and H.264. Time is CPU time of this process
and its programs, those that run included: a second of it is a second of an idle core, also on a machine that other work
keeps busy. A program of several threads takes it faster than the clock on the wall of an idle machine does.
`

/** Seconds that stand for no haste. */
const UNHURRIED = 120
const SIZES = { min: 0.05e6, max: 3e6 }
const STILLS = ['jpeg', 'webp', 'avif', 'png']
const MOVING = ['gif', 'webp', 'webm', 'h264']

const { values, positionals } = readCommand(HELP, {
  allowPositionals: true,
  options: {
    timeouts: { type: 'string', default: '1,2,5,10' },
    formats: { type: 'string', default: 'jpeg,webp,avif,png,gif,webm,h264' },
    limit: { type: 'string', default: '1000' },
    json: { type: 'string' },
  },
})
requirePaths(HELP, positionals)
const timeouts = readNumbers(HELP, '--timeouts', values.timeouts)
const formats = values.formats.split(',')

const files = positionals.flatMap((path) =>
  statSync(path).isFile()
    ? [path]
    : readdirSync(path)
        .filter((name) => /\.(png|jpe?g|gif)$/i.test(name))
        .map((name) => join(path, name))
        .slice(0, readNumber(HELP, '--limit', values.limit)),
)

// One thread, as a worker of the service has.
sharp.concurrency(1)
useCpuClock()

const PEERS: Readonly<Record<string, (image: Sharp) => Sharp>> = {
  jpeg: (image) => image.jpeg({ mozjpeg: true }),
  webp: (image) => image.webp(),
  avif: (image) => image.avif(),
  png: (image) => image.png(),
  gif: (image) => image.gif(),
}

/** sharp's default encode of a file: its bytes, and CPU ms with decoding. */
const peerOf = async (path: string, format: string): Promise<{ readonly bytes: number; readonly ms: number }> => {
  const since = cpuMs()
  const { length } = await PEERS[format]!(sharp(path, { animated: format === 'gif' })).toBuffer()
  return { bytes: length, ms: cpuMs() - since }
}

const measure = async (path: string, { facts }: Asked, format: string): Promise<Hurried> => {
  const isMoving = facts.frames > 1
  const asked = await ask(path, `full,format=${format}`)
  const made = (seconds: number) => makeWithin(asked, seconds)
  const unhurried = await made(UNHURRIED)
  const hurried = []
  for (const seconds of timeouts) hurried.push({ seconds, ...(await made(seconds)) })
  const peer = !(format in PEERS) || (isMoving && format === 'webp') ? undefined : await peerOf(path, format)
  return { file: basename(path), format: isMoving ? `${format} moving` : format, unhurried, hurried, peer }
}

const rows: Hurried[] = []
for (const path of files) {
  const asked = await ask(path, 'full')
  const { width, height, frames } = asked.facts
  if (frames === 1 && (width * height < SIZES.min || width * height > SIZES.max)) continue
  for (const format of frames > 1 ? MOVING : STILLS) {
    if (!formats.includes(format)) continue
    const row = await measure(path, asked, format)
    rows.push(row)
    const ratios = row.hurried.map(
      ({ bytes, ms }) => `${(bytes / row.unhurried.bytes).toFixed(3)} (${(ms / 1000).toFixed(1)} s)`,
    )
    console.log(
      `${row.file} ${row.format}: ${row.unhurried.bytes} in ${(row.unhurried.ms / 1000).toFixed(1)} s; ${ratios.join(', ')}`,
    )
  }
}
for (const line of tableOf(rows)) console.log(line)
for (const line of moreTimeMoreBytes(rows)) console.log(line)
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(rows, null, 2)}\n`)
