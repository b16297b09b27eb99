import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import type { ResultFile } from '../../core/outcome.ts'
import { framesOf, openAnimation } from '../frames/animation.ts'
import type { Animation } from '../frames/frames.ts'
import { gatherFrames } from '../frames/gather-frames.ts'
import { describe, type MotionJob } from '../frames/job.ts'
import type { FrameMetric } from '../frames/score-frames.ts'
import { toHundredths } from '../frames/timing.ts'
import { isCodable } from './coder-search.ts'
import type { GifBase } from './gif-base.ts'
import { setGifDelays } from './gif-delays.ts'
import { keep, openSearch, searchCodings, searchSmallest } from './gif-search.ts'

/** Frames that changed have to be encoded by libvips first: it is used for that alone, since it saves hardly anything. */
const encodeBase = async (job: MotionJob): Promise<GifBase> => {
  const { output } = job.transform.geometry
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
  return { path, animation: await openAnimation(path, { format: 'gif' }), isSource: false }
}

/** Decodes all frames, for nothing but that it can be done. Fails with SOURCE_DAMAGED. */
const decodeAll = async ({ animation, deadline }: MotionJob): Promise<void> => {
  for await (const _ of framesOf(animation)) if (deadline.signal.aborted) return
}

const openBase = async (job: MotionJob): Promise<GifBase> => {
  if (!job.transform.identity || job.facts.format !== 'gif') return encodeBase(job)
  // gifsicle gets a stranger's own bytes here: only those that libvips has decoded to the end.
  await job.time('decode', () => decodeAll(job))
  return { path: job.path, animation: job.animation, isSource: true }
}

/** The animation as GIF: timing and looping kept, never larger than the source where that is promised (§3.4). */
export const makeGif = async (job: MotionJob): Promise<ResultFile> => {
  const base = await openBase(job)
  const search = openSearch(job, base)
  if (!base.isSource) keep(search, await describe(job, { format: 'gif', path: base.path, encodes: 1 }))
  await job.time('search', () => searchSmallest(search))
  const cutShort =
    job.deadline.signal.aborted || search.timeLimited || search.sample.timeLimited ? { cutShort: true } : {}
  if (search.best !== undefined && !(base.isSource && search.best.bytes >= job.facts.bytes)) {
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

/** Animations whose frames have few colours and repeat what they can. */
export interface CodedFrames {
  readonly animations: readonly Animation[]
  /** Time ended the search. */
  readonly cutShort: boolean
}

/** The frames of our smallest GIFs that keep the promise by a metric, for what stores pixels without loss as well. */
export const codeFrames = async (job: MotionJob, metric: FrameMetric, exactBytes: number): Promise<CodedFrames> => {
  if (!isCodable(job.transform.geometry.output, job.animation.frames)) return { animations: [], cutShort: false }
  const quiet: MotionJob = { ...job, offer: () => undefined }
  const search = openSearch(quiet, await openBase(quiet))
  const codings = await searchCodings(search, metric, exactBytes)
  const animations = await Promise.all(codings.map(({ path }) => openAnimation(path, { format: 'gif' })))
  const complete = animations.filter(({ frames }) => frames === job.animation.frames)
  return { animations: complete, cutShort: search.timeLimited }
}
