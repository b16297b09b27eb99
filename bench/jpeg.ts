/** Bytes and CPU of our JPEG encoder against its peers on photographs: `npm run bench:jpeg -- --help`. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp, { type JpegOptions } from 'sharp'
import type { JpegGoal } from '../src/jpeg/search/goal.ts'
import { searchJpeg } from '../src/jpeg/search/search-jpeg.ts'
import type { Reference } from '../src/jpeg/search/trials.ts'
import { openButteraugli } from '../src/metric/butteraugli/butteraugli.ts'
import { openSsimulacra2 } from '../src/metric/ssimulacra2/ssimulacra2.ts'
import { quantile } from './corpus/floor.ts'
import { readCommand, readNumber, requirePaths } from './corpus/help.ts'

const HELP = `Bytes of our JPEG encoder against its peers on photographs: at equal SSIMULACRA 2.1, at equal Butteraugli 3-norm, and with both
bounds kept; geometric means. CPU is in terms of one sharp mozjpeg encode.

Usage: npm run bench:jpeg -- [options] <folder>

  --images N      images, spread evenly over the folder (all of them)
  --targets LIST  bounds, as SSIMULACRA 2.1:Butteraugli 3-norm (55:2.4,70:1.5,85:0.75)
  --cjpegli PATH  libjxl's cjpegli, which then is a peer too
  --json FILE     writes the figures
  --help          says this

A peer's bytes are interpolated by the logarithm between two neighbouring qualities, at the figure that our file reached.
With both bounds they are interpolated at the bounds, and the larger counts.
`

interface Image {
  data: Uint8Array
  width: number
  height: number
  channels: 3
}
type Encode = (image: Image, quality: number) => Promise<Uint8Array>
const KINDS = ['score', 'norm', 'both'] as const
type Kind = (typeof KINDS)[number]
type Row = Figures & {
  image: string
  kind: Kind
  target: number
  bytes: number
  trials: number
  /** Times Butteraugli was asked. */
  comparisons: number
  reached: boolean
  ratios: Record<string, number>
  cpu: number
}

const { values, positionals } = readCommand(HELP, {
  allowPositionals: true,
  options: {
    images: { type: 'string' },
    targets: { type: 'string', default: '55:2.4,70:1.5,85:0.75' },
    cjpegli: { type: 'string' },
    json: { type: 'string' },
  },
})
const [directory] = requirePaths(HELP, positionals)
const targets = values.targets.split(',').map((pair) => {
  const [score, norm] = pair.split(':').map((part) => readNumber(HELP, '--targets', part)) as [number, number]
  return { score, norm }
})
const scratch = mkdtempSync(join(tmpdir(), 'bench-jpeg-'))
sharp.concurrency(1)
sharp.cache(false)

const raw = ({ data, width, height, channels }: Image) => sharp(data, { raw: { width, height, channels } })
const bySharp =
  (options: JpegOptions): Encode =>
  async (image, quality) =>
    new Uint8Array(
      await raw(image)
        .jpeg({ ...options, quality })
        .toBuffer(),
    )

const toPng = async (image: Image, name: string): Promise<string> => {
  const path = join(scratch, name)
  await raw(image).png({ compressionLevel: 1 }).toFile(path)
  return path
}

const byCjpegli =
  (subsampling: '420' | '444'): Encode =>
  async (image, quality) => {
    const [from, to] = [await toPng(image, 'in.png'), join(scratch, 'out.jpg')]
    const options = ['-q', String(quality), `--chroma_subsampling=${subsampling}`]
    execFileSync(values.cjpegli!, [from, to, ...options], { stdio: 'ignore' })
    return new Uint8Array(readFileSync(to))
  }

const peers: Record<string, Encode> = {
  'sharp default': bySharp({}),
  mozjpeg: bySharp({ mozjpeg: true }),
  ...(values.cjpegli && { 'cjpegli 4:2:0': byCjpegli('420'), 'cjpegli 4:4:4': byCjpegli('444') }),
}

const load = async (name: string): Promise<Image> => {
  const source = sharp(join(directory, name)).flatten({ background: '#fff' }).toColourspace('srgb').removeAlpha()
  const { data, info } = await source.raw().toBuffer({ resolveWithObject: true })
  if (info.channels !== 3) throw new Error(`${name} has ${info.channels} channels`)
  return { data: new Uint8Array(data), width: info.width, height: info.height, channels: 3 }
}

const decode = async (bytes: Uint8Array): Promise<Uint8Array> =>
  new Uint8Array(await sharp(bytes).toColourspace('srgb').raw().toBuffer())

interface Figures {
  score: number
  norm: number
}
type Bound = keyof Figures

/** Whether a figure misses a value: scores are too low, norms too high. */
const misses = (bound: Bound, figure: number, value: number): boolean =>
  bound === 'score' ? figure < value : figure > value

/** Bytes a peer needs for a value of either figure, by bisection over its whole qualities; remembers what it encoded. */
const bytesFor = (image: Image, figuresOf: (pixels: Uint8Array) => Figures, encode: Encode) => {
  const known = new Map<number, Figures & { bytes: number }>()
  const at = async (quality: number) => {
    const had = known.get(quality)
    if (had) return had
    const bytes = await encode(image, quality)
    const one = { ...figuresOf(await decode(bytes)), bytes: bytes.length }
    known.set(quality, one)
    return one
  }
  return async (bound: Bound, value: number): Promise<number> => {
    let [low, high] = [1, 99]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (misses(bound, (await at(middle))[bound], value)) low = middle
      else high = middle
    }
    const [a, b] = [await at(low), await at(high)]
    const part = Math.max(0, Math.min(1, (value - a[bound]) / (b[bound] - a[bound])))
    return Math.exp(Math.log(a.bytes) * (1 - part) + Math.log(b.bytes) * part)
  }
}

/** Milliseconds of CPU, all threads, that `work` takes. */
const cpuOf = async <T>(work: () => T | Promise<T>): Promise<{ value: T; ms: number }> => {
  const before = process.cpuUsage()
  const value = await work()
  const { user, system } = process.cpuUsage(before)
  return { value, ms: (user + system) / 1000 }
}

const ssimulacra2 = await openSsimulacra2()
const butteraugli = await openButteraugli()

const benchImage = async (name: string): Promise<Row[]> => {
  const image = await load(name)
  const raster = (data: Uint8Array) => ({ ...image, data })
  const { value: similar, ms: preparing } = await cpuOf(() => ssimulacra2.prepare(image))
  const { value: distant, ms: preparingDistant } = await cpuOf(() => butteraugli.prepare(image))
  const figuresOf = (data: Uint8Array): Figures => ({
    score: similar.compare(raster(data)),
    norm: distant.compare(raster(data)).norm3,
  })
  const needs = Object.entries(peers).map(([peer, encode]) => [peer, bytesFor(image, figuresOf, encode)] as const)
  const reference: Reference = { compare: similar.compare, butteraugli: (pixels) => distant.compare(pixels).norm3 }
  const { ms: once } = await cpuOf(() => peers.mozjpeg!(image, 75))
  const rows: Row[] = []
  for (const { score, norm } of targets) {
    const goals: Record<Kind, JpegGoal> = {
      score: { target: score },
      norm: { target: 0, butteraugli: norm },
      both: { target: score, butteraugli: norm },
    }
    for (const kind of KINDS) {
      const { value: found, ms } = await cpuOf(() => [...searchJpeg(image, reference, goals[kind])].at(-1))
      if (!found) throw new Error(`${name} is too large`)
      const bytes = found.bytes.length
      const own = figuresOf(await decode(found.bytes))
      const ratios: Record<string, number> = {}
      for (const [peer, need] of needs) {
        const byScore = kind === 'norm' ? 0 : await need('score', kind === 'both' ? score : own.score)
        const byNorm = kind === 'score' ? 0 : await need('norm', kind === 'both' ? norm : own.norm)
        ratios[peer] = bytes / Math.max(byScore, byNorm)
      }
      const cpu = (ms + preparing + (kind === 'score' ? 0 : preparingDistant)) / once
      const { trials, comparisons, reached, subsampling } = found
      rows.push({ image: name, kind, target: score, ...own, bytes, trials, comparisons, reached, ratios, cpu })
      const figures = Object.entries(ratios).map(([peer, ratio]) => `${peer} ${ratio.toFixed(3)}`)
      console.log(
        `${name} ${kind} ${score}/${norm} → ${own.score.toFixed(2)}/${own.norm.toFixed(3)}${reached ? '' : ' MISSED'} ${subsampling} in ${trials}+${comparisons}: ${figures.join(', ')}, cpu ${cpu.toFixed(2)}`,
      )
    }
  }
  similar.free()
  distant.free()
  return rows
}

const mean = (list: number[]): number => Math.exp(list.reduce((sum, v) => sum + Math.log(v), 0) / list.length)
const total = (list: number[]): number => list.reduce((sum, v) => sum + v, 0)

/** Geometric mean with the middle 95 % of 2000 resamples of the images. */
const summarise = (list: number[]): string => {
  let state = 12345
  const next = (): number => {
    state = (state * 48271) % 2147483647
    return state
  }
  const means = Array.from({ length: 2000 }, () => mean(list.map(() => list[next() % list.length]!))).sort(
    (a, b) => a - b,
  )
  return `${mean(list).toFixed(3)} [${means[50]!.toFixed(3)}, ${means[1949]!.toFixed(3)}]`
}

const names = readdirSync(directory).filter((name) => /\.(png|jpe?g|webp|tiff?)$/i.test(name))
const every = Math.max(1, Math.floor(names.length / readNumber(HELP, '--images', values.images ?? `${names.length}`)))
const rows: Row[] = []
// One image beforehand, so that no figure counts the compiling of the kernels.
for (const _ of searchJpeg(await load(names[0]!), ssimulacra2.prepare(await load(names[0]!)), { target: 70 }));
for (const name of names.filter((_, i) => i % every === 0)) rows.push(...(await benchImage(name)))

const TITLES: Record<Kind, string> = {
  score: 'equal SSIMULACRA',
  norm: 'equal Butteraugli 3-norm',
  both: 'both bounds kept',
}
for (const kind of KINDS) {
  for (const { score, norm } of targets) {
    const own = rows.filter((row) => row.kind === kind && row.target === score)
    const lines = Object.keys(peers).map((peer) => `${peer} ${summarise(own.map((row) => row.ratios[peer]!))}`)
    const each = (pick: (row: Row) => number): string => (total(own.map(pick)) / own.length).toFixed(2)
    console.log(
      `\n${TITLES[kind]}, ${score}/${norm} (${own.length} images: ${each((row) => row.trials)} trials, ${each((row) => row.comparisons)} comparisons, ${own.filter((row) => !row.reached).length} missed)`,
    )
    console.log(`  ${lines.join('\n  ')}`)
    console.log(
      `  cpu ${summarise(own.map((row) => row.cpu))}, median ${quantile(
        own.map((row) => row.cpu),
        0.5,
      ).toFixed(2)}`,
    )
  }
}
if (values.json) writeFileSync(values.json, JSON.stringify(rows, null, 1))
rmSync(scratch, { recursive: true })
