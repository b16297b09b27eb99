import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import type { Made } from '../core/outcome.ts'
import type { Preset } from '../options/options.ts'
import { marginFor } from '../plan/targets.ts'
import { openAnimation } from './animation.ts'
import type { Animation } from './frames.ts'
import { gatherFrames } from './gather-frames.ts'
import { setGifDelays } from './gif-delays.ts'
import { type Storing, storeGif } from './gifsicle.ts'
import { describe, type MotionJob } from './job.ts'
import { type FrameJudge, openFrameJudge } from './judge-frames.ts'
import { lookSame, playSame } from './same-frames.ts'
import { toHundredths } from './timing.ts'

/** What a preset is tried with first, and left at where there is no time to judge (MOTION.md's measured rows). */
const FIRST: Readonly<Record<Exclude<Preset, 'lossless'>, Storing>> = {
  high: { lossy: 10 },
  medium: { lossy: 20 },
  low: { lossy: 80 },
}
/** Rising error; the search finds the highest that still reaches the target. */
const LADDER = [5, 8, 10, 12, 15, 18, 20, 22, 25, 28, 31, 35, 40, 50, 60, 80, 100, 130, 170, 220, 300] as const
const PALETTES = [256, 128, 64, 32, 16, 8] as const
/** Judging needs about so much time beyond what one round of storing took. */
const LEAST_MS = 400

interface Base {
  readonly path: string
  readonly animation: Animation
  /** The file is the source itself: nothing was asked but to store it well. */
  readonly own: boolean
}

/** Frames that changed have to be encoded by libvips first: it is used for that alone, since it saves hardly anything. */
const encodeBase = async (job: MotionJob): Promise<Base> => {
  const { output } = job.recipe.geometry
  const data = await job.time('resize', () => gatherFrames(job))
  const raw = {
    width: output.width,
    height: data.length / output.width / 4,
    channels: 4,
    pageHeight: output.height,
  } as const
  const lossless = job.plan.target.kind === 'lossless'
  const delays = job.facts.format === 'gif' ? job.animation.delays : toHundredths(job.delays)
  const bytes = await job.time('encode', () =>
    sharp(data, { raw, limitInputPixels: false })
      .gif({
        dither: 0,
        interFrameMaxError: lossless ? 0 : 8,
        interPaletteMaxError: lossless ? 0 : 16,
        keepDuplicateFrames: true,
        effort: 7,
        loop: Math.min(65535, job.animation.loop),
      })
      .toBuffer(),
  )
  setGifDelays(bytes, delays)
  const path = join(job.directory, 'base.gif')
  await writeFile(path, bytes)
  return { path, animation: await openAnimation(path, { format: 'gif' }), own: false }
}

const openBase = async (job: MotionJob): Promise<Base> =>
  job.recipe.identity && job.facts.format === 'gif'
    ? { path: job.path, animation: job.animation, own: true }
    : encodeBase(job)

/** The search as it stands: the smallest file so far that may be given out. */
interface Search {
  readonly job: MotionJob
  readonly base: Base
  best: Made | undefined
  encodes: number
}

const nameOf = ({ lossy, colours }: Storing): string => `stored-${lossy}-${colours ?? 'own'}.gif`

/** Stores the base one way; undefined when that failed or does not play as the base does. */
const store = async (search: Search, storing: Storing): Promise<Made | undefined> => {
  const { job, base } = search
  const path = join(job.directory, nameOf(storing))
  search.encodes += 1
  if (!(await storeGif(base.path, path, storing, job.deadline))) return undefined
  const stored = await openAnimation(path, { format: 'gif' }).catch(() => undefined)
  if (stored === undefined || !playSame(stored, base.animation)) return undefined
  return describe(job, { format: 'gif', path, encodes: search.encodes })
}

const keep = (search: Search, made: Made): void => {
  if (search.best !== undefined && search.best.bytes <= made.bytes) return
  search.best = made
  search.job.offer(made)
}

const reaches = (score: number, target: number): boolean => score >= target + marginFor(target)

/** Stores and judges; keeps what reaches the target. Tells whether it did. */
const attempt = async (search: Search, judge: FrameJudge, storing: Storing, target: number): Promise<boolean> => {
  const made = await store(search, storing)
  if (made === undefined) return false
  const score = await judge.compareFile(made.path)
  const meetsTarget = reaches(score, target)
  if (meetsTarget) keep(search, { ...made, score, meetsTarget })
  return meetsTarget
}

/** The highest rung that reaches the target, by halving; -1 when none does. */
const climb = async (search: Search, judge: FrameJudge, target: number): Promise<number> => {
  let low = -1
  let high: number = LADDER.length
  while (high - low > 1 && search.job.deadline.remaining() > LEAST_MS) {
    const middle = Math.floor((low + high) / 2)
    if (await attempt(search, judge, { lossy: LADDER[middle]! }, target)) low = middle
    else high = middle
  }
  return low
}

const searchLossy = async (search: Search, target: number): Promise<void> => {
  using judge = await openFrameJudge(search.job)
  const rung = await climb(search, judge, target)
  const lossy = rung < 0 ? 0 : LADDER[rung]!
  for (const colours of PALETTES) {
    if (search.job.deadline.remaining() < LEAST_MS) return
    if (!(await attempt(search, judge, { lossy, colours }, target))) return
  }
}

/** A lossless result counts only when every frame was compared. */
const storeLossless = async (search: Search): Promise<void> => {
  const made = await store(search, { lossy: 0 })
  if (made === undefined) return
  const same = await lookSame(search.base.animation, await openAnimation(made.path, { format: 'gif' }))
  if (same) keep(search, { ...made, ...(search.base.own ? { score: 100, meetsTarget: true, untouched: true } : {}) })
}

const searchSmallest = async (search: Search): Promise<void> => {
  const { target } = search.job.plan
  await storeLossless(search)
  if (target.kind === 'lossless') return
  const quick = await store(search, FIRST[target.preset])
  if (quick !== undefined && search.best === undefined) keep(search, quick)
  await searchLossy(search, target.score)
  // Nothing reaches the target (frames lost colours already): then the preset's usual setting.
  if (search.best?.meetsTarget !== true && quick !== undefined) keep(search, quick)
}

/** The animation as GIF: timing and looping kept, never larger than the source where that is promised (§3.4). */
export const makeGif = async (job: MotionJob): Promise<Made> => {
  const base = await openBase(job)
  const search: Search = { job, base, best: undefined, encodes: base.own ? 0 : 1 }
  if (!base.own) keep(search, await describe(job, { format: 'gif', path: base.path, encodes: 1 }))
  await job.time('search', () => searchSmallest(search))
  const cutShort = job.deadline.signal.aborted ? { cutShort: true } : {}
  if (search.best !== undefined && !(base.own && search.best.bytes >= job.facts.bytes)) {
    return { ...search.best, encodes: search.encodes, ...cutShort }
  }
  const path = join(job.directory, 'source.gif')
  await copyFile(job.path, path)
  return {
    ...(await describe(job, { format: 'gif', path, encodes: search.encodes })),
    score: 100,
    meetsTarget: true,
    untouched: true,
    ...cutShort,
  }
}
