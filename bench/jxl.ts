/** Bytes and CPU of JPEG XL, without loss and at a preset: `npm run bench:jxl -- --help`. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jxlFromJpeg } from '../src/jxl/from-jpeg.ts'
import { ask } from './corpus/ask.ts'
import { readCommand, readNumber, requirePaths } from './corpus/help.ts'
import { makeOurs, type Ours } from './corpus/ours.ts'

const HELP = `JPEG XL of the images of a folder. At a preset: bytes and CPU in terms of our JPEG at the same promise, of each image within
1100 px. Without loss, of JPEGs: bytes in terms of the source and of cjxl --lossless_jpeg=1 -e 7, where PATH has it.

Usage: npm run bench:jxl -- [options] <folder>

  --quality PRESET  low, medium or high (medium)
  --limit N         images of the folder and its subfolders (40)
  --lossless        without loss, instead of at a preset
  --help            says this
`

const { positionals, values } = readCommand(HELP, {
  allowPositionals: true,
  options: {
    quality: { type: 'string', default: 'medium' },
    limit: { type: 'string', default: '40' },
    lossless: { type: 'boolean', default: false },
  },
})
const [folder] = requirePaths(HELP, positionals)

/** Longest side of the images that are searched, in px. */
const SIDE = 1100

const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(?:jpe?g|png)$/i.test(name))
  .map((name) => join(folder, name))
  .filter((path) => statSync(path).isFile())
  .slice(0, readNumber(HELP, '--limit', values.limit))
const hasCjxl = spawnSync('cjxl', ['--version']).status === 0
const scratch = mkdtempSync(join(tmpdir(), 'bench-jxl-'))

/** CPU of this process in ms, and what the work gave. */
const timed = <Result>(work: () => Result): readonly [ms: number, result: Result] => {
  const before = process.cpuUsage()
  const result = work()
  const { user, system } = process.cpuUsage(before)
  return [(user + system) / 1000, result]
}

const bytesOfCjxl = (path: string): number | undefined => {
  const out = join(scratch, 'peer.jxl')
  const { status } = spawnSync('cjxl', ['--lossless_jpeg=1', '-e', '7', '--num_threads=1', path, out])
  return status === 0 ? readFileSync(out).length : undefined
}

/** Runs of each search. */
const RUNS = 3
/** CPU ms a megapixel that a JPEG XL takes beyond the JPEG, by image. */
const extra: number[] = []
const means = new Map<string, number[]>()
const note = (name: string, value: number): string => {
  means.set(name, [...(means.get(name) ?? []), value])
  return value.toFixed(3)
}

const withoutLoss = (path: string): string => {
  const source = readFileSync(path)
  const [ms, { bytes }] = timed(() => jxlFromJpeg(source))
  const peer = hasCjxl ? bytesOfCjxl(path) : undefined
  const against = peer === undefined ? '' : note('cjxl', bytes.length / peer)
  return [source.length, bytes.length, note('source', bytes.length / source.length), against, ms.toFixed(0)].join('\t')
}

/** Bytes, and CPU ms a megapixel: the least of `RUNS` runs. */
const search = async (path: string, options: string) => {
  const asked = await ask(path, options)
  const runs = []
  for (let run = 0; run < RUNS; run++) runs.push(await makeOurs(asked))
  const [{ bytes, result }] = runs as [Ours]
  const megapixels = (asked.pixels.width * asked.pixels.height) / 1e6
  return { bytes: bytes.length, format: result.format, ms: Math.min(...runs.map(({ cpu }) => cpu)) / megapixels }
}

const atPreset = async (path: string): Promise<string> => {
  const list = `${SIDE}x${SIDE},scale-down,quality=${values.quality}`
  const jpeg = await search(path, `${list},format=jpeg`)
  const jxl = await search(path, `${list},format=jxl`)
  if (jxl.format !== 'jxl') return `${jpeg.bytes}\t-\t${jxl.format}`
  const ratio = note('bytes of our JPEG', jxl.bytes / jpeg.bytes)
  extra.push(jxl.ms - jpeg.ms)
  return [jpeg.bytes, jxl.bytes, ratio, jpeg.ms.toFixed(0), jxl.ms.toFixed(0)].join('\t')
}

try {
  process.stdout.write(
    values.lossless
      ? 'file\tsource\tJPEG XL\tof source\tof cjxl\tCPU ms\n'
      : 'file\tJPEG\tJPEG XL\tratio\tCPU ms/MP\tCPU ms/MP\n',
  )
  for (const path of files) {
    try {
      const row = values.lossless ? withoutLoss(path) : await atPreset(path)
      process.stdout.write(`${path.slice(folder.length)}\t${row}\n`)
    } catch (error) {
      process.stdout.write(`${path.slice(folder.length)}\t${(error as Error).message}\n`)
    }
  }
  for (const [name, ratios] of means) {
    const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length)
    process.stdout.write(`geometric mean in terms of ${name}: ${mean.toFixed(4)} of ${ratios.length}\n`)
  }
  if (extra.length > 0) {
    const sorted = extra.toSorted((a, b) => a - b)
    const mean = extra.reduce((sum, ms) => sum + ms, 0) / extra.length
    const median = sorted[sorted.length >> 1]!
    process.stdout.write(`CPU ms a megapixel beyond the JPEG: mean ${mean.toFixed(0)}, median ${median.toFixed(0)}\n`)
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
