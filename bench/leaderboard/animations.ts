import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { deadlineIn } from '../../src/core/deadline.ts'
import type { Raster } from '../../src/core/image.ts'
import type { MetricReference, PerceptualMetrics } from '../../src/metric/metrics.ts'
import { openAnimation, pickFrames } from '../../src/motion/frames/animation.ts'
import { sampleFrames } from '../../src/motion/frames/sampling.ts'
import type { BoundName } from '../../src/plan/promise.ts'
import type { LossyPreset } from '../../src/plan/targets.ts'
import { identify } from '../../src/source/identify.ts'
import { askWithoutPixels } from '../corpus/ask.ts'
import { geometricMean, median } from '../corpus/floor.ts'
import { makeOurs } from '../corpus/ours.ts'
import { timed } from '../corpus/timed.ts'
import { figuresOf } from '../eye/compare.ts'
import { countsOf, rounded } from '../eye/summary.ts'
import type { Contest } from './page.ts'
import { findProgram } from './programs.ts'

/** Frames of an animation that are measured, spread evenly over it. */
const MEASURED_FRAMES = 6
/** Seconds that our search may take. */
const SECONDS = 60
/** Settings of gifsicle's `--lossy`, from no loss on. Between two of them its bytes are interpolated. */
const LOSSY = [0, 10, 20, 40, 80, 160, 320, 640]

/** An encoder of GIFs: makes `to` of the file `from`, with one of its settings in the order of falling quality. */
export interface GifPeer {
  readonly name: string
  readonly settings: readonly number[]
  readonly encode: (from: string, to: string, setting: number) => Promise<void>
}

/** The encoders of GIFs that this machine has. */
const gifPeers = (): GifPeer[] => {
  const gifsicle = findProgram('gifsicle')
  const run = promisify(execFile)
  const optimising = ['-O3', '-Okeep-empty', '--no-warnings']
  const peers: GifPeer[] = [
    {
      name: 'sharp, effort 10',
      settings: [0],
      encode: async (from, to) =>
        writeFile(to, await sharp(from, { animated: true, limitInputPixels: false }).gif({ effort: 10 }).toBuffer()),
    },
  ]
  if (gifsicle === undefined) return peers
  const encode: GifPeer['encode'] = async (from, to, lossy) => {
    await run(gifsicle, [...optimising, ...(lossy > 0 ? [`--lossy=${lossy}`] : []), from, '-o', to])
  }
  return [
    { name: 'gifsicle -O3 --lossy', settings: LOSSY, encode },
    { name: 'gifsicle -O3', settings: [0], encode },
    ...peers,
  ]
}

/** Bytes and scores of a file of frames. */
interface GifFigures {
  readonly bytes: number
  /** Mean SSIMULACRA 2.1 of the measured frames. */
  readonly ssimulacra: number
  /** Bounds that a measured frame breaks. */
  readonly broken: readonly BoundName[]
}

/** One animation: ours, and our bytes in terms of each peer's. */
export interface GifRow {
  readonly file: string
  readonly source: number
  readonly ours: GifFigures
  readonly warned: boolean
  readonly cpu: number
  readonly peers: readonly GifPeerRow[]
}

interface GifPeerRow {
  readonly name: string
  /** Our bytes / its bytes at its one setting, or where its mean SSIMULACRA equals ours; NaN beyond its settings. */
  readonly ratio: number
  /** Bounds that it breaks at its one setting, or at the lowest setting that reaches our SSIMULACRA. */
  readonly broken: readonly BoundName[]
  /** CPU of an encode in ms, the median of its settings. */
  readonly cpu: number
}

/** Measures files of one animation's frames, in a scratch directory. */
interface Bench extends Disposable {
  readonly measure: (path: string) => Promise<GifFigures>
}

/** Whether two frames of four channels have the same transparency. */
const hasEqualAlpha = (one: Raster, other: Raster): boolean => {
  for (let at = 3; at < one.data.length; at += 4) if (one.data[at] !== other.data[at]) return false
  return true
}

const openBench = async (metrics: PerceptualMetrics, path: string, quality: LossyPreset): Promise<Bench> => {
  const source = await openAnimation(path, { format: 'gif' })
  const numbers = sampleFrames(source.frames, MEASURED_FRAMES)
  const sources: readonly Raster[] = await pickFrames(source, numbers)
  const references: readonly MetricReference[] = sources.map((frame) => metrics.prepare(frame))
  return {
    measure: async (file) => {
      const { size: bytes } = await stat(file)
      const made = await openAnimation(file, { format: 'gif' })
      // Frames that repeat the one before may be joined: then numbers name other frames.
      if (made.frames !== source.frames) return { bytes, ssimulacra: Number.NaN, broken: [] }
      const frames: Raster[] = await pickFrames(made, numbers)
      // libvips fills cleared areas of an opaque GIF, and shows nothing in those of a transparent one. Browsers never fill them.
      if (!frames.every((frame, i) => hasEqualAlpha(frame, sources[i]!)))
        return { bytes, ssimulacra: Number.NaN, broken: [] }
      const figures = frames.map((frame, i) => figuresOf({ bytes }, references[i]!.measure(frame), quality))
      return {
        bytes,
        ssimulacra: figures.reduce((sum, { ssimulacra }) => sum + ssimulacra, 0) / figures.length,
        broken: [...new Set(figures.flatMap(({ broken }) => broken))],
      }
    },
    [Symbol.dispose]: () => {
      for (const reference of references) reference[Symbol.dispose]()
    },
  }
}

/**
 * Bytes at a score, interpolated between the two settings that bracket it (`figures` in the order of falling quality). The smallest where
 * every setting reaches the score; NaN where none does.
 */
export const bytesAtScore = (figures: readonly Pick<GifFigures, 'bytes' | 'ssimulacra'>[], score: number): number => {
  const after = figures.findIndex(({ ssimulacra }) => ssimulacra < score)
  if (after < 0 && figures.every(({ ssimulacra }) => ssimulacra >= score))
    return Math.min(...figures.map(({ bytes }) => bytes))
  if (after < 1) return Number.NaN
  const [above, below] = [figures[after - 1]!, figures[after]!]
  const part = (above.ssimulacra - score) / (above.ssimulacra - below.ssimulacra)
  return Math.exp(Math.log(above.bytes) + part * Math.log(below.bytes / above.bytes))
}

const comparePeer = async (peer: GifPeer, path: string, ours: GifFigures, bench: Bench): Promise<GifPeerRow> => {
  const scratch = await mkdtemp(join(tmpdir(), 'leaderboard-'))
  try {
    const figures: GifFigures[] = []
    const cpus: number[] = []
    for (const setting of peer.settings) {
      const file = join(scratch, `${setting}.gif`)
      cpus.push((await timed(() => peer.encode(path, file, setting))).ms)
      figures.push(await bench.measure(file))
      if (figures.at(-1)!.ssimulacra < ours.ssimulacra) break
    }
    const bytes = peer.settings.length === 1 ? figures[0]!.bytes : bytesAtScore(figures, ours.ssimulacra)
    const at = figures.findLast(({ ssimulacra }) => ssimulacra >= ours.ssimulacra) ?? figures[0]!
    return { name: peer.name, ratio: ours.bytes / bytes, broken: at.broken, cpu: median(cpus) }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Makes ours of an animated GIF by the real engine and compares it with every peer. */
export const compareAnimation = async (
  metrics: PerceptualMetrics,
  path: string,
  { quality, peers }: { readonly quality: LossyPreset; readonly peers: readonly GifPeer[] },
): Promise<GifRow> => {
  const asked = await askWithoutPixels(path, `quality=${quality},full,format=gif`)
  const { result, bytes, cpu } = await makeOurs({ ...asked, decoding: 0 }, deadlineIn(SECONDS * 1000))
  using bench = await openBench(metrics, path, quality)
  const scratch = await mkdtemp(join(tmpdir(), 'leaderboard-'))
  try {
    const file = join(scratch, 'ours.gif')
    await writeFile(file, bytes)
    const ours = await bench.measure(file)
    const rows: GifPeerRow[] = []
    for (const peer of peers) rows.push(await comparePeer(peer, path, ours, bench))
    return {
      file: basename(path),
      source: asked.facts.bytes,
      ours,
      warned: result.warnings.length > 0,
      cpu,
      peers: rows,
    }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

const lineOf = (name: string, rows: readonly GifRow[]): Readonly<Record<string, unknown>> => {
  const all = rows.flatMap(({ peers, cpu }) =>
    peers.filter((peer) => peer.name === name).map((peer) => ({ peer, cpu })),
  )
  const known = all.filter(({ peer }) => Number.isFinite(peer.ratio))
  return {
    peer: name,
    images: known.length,
    'our bytes / its bytes': rounded(geometricMean(known.map(({ peer }) => peer.ratio))),
    'it breaks': countsOf(known.map(({ peer }) => peer.broken)),
    'CPU, median': rounded(median(known.map(({ peer, cpu }) => cpu / peer.cpu))),
  }
}

/** Whether a file is a GIF of more than one frame. */
export const isAnimation = async (path: string): Promise<boolean> =>
  /\.gif$/i.test(path) && ((await identify(path)).frames ?? 1) > 1

/** The contest of animated GIFs. gifsicle's loss is brought to our mean SSIMULACRA; the others have one setting. */
export const holdAnimations = async (
  metrics: PerceptualMetrics,
  { quality, files }: { readonly quality: LossyPreset; readonly files: readonly string[] },
): Promise<Contest> => {
  const peers = gifPeers()
  const rows: GifRow[] = []
  for (const [at, file] of files.entries()) {
    const progress = `gif ${at + 1}/${files.length} ${file}`
    try {
      rows.push(await compareAnimation(metrics, file, { quality, peers }))
      console.log(`${progress}: ${rows.at(-1)!.ours.bytes} bytes`)
    } catch (failure) {
      console.log(`${progress}: ${failure}`)
    }
  }
  const unwarned = rows.filter(({ ours, warned }) => ours.broken.length > 0 && !warned)
  return {
    format: 'gif',
    images: rows.length,
    broken: unwarned.length,
    bounds: countsOf(unwarned.map(({ ours }) => ours.broken)),
    lines: peers.map(({ name }) => lineOf(name, rows)),
    rows,
  }
}
