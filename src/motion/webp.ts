import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import type { Pixels } from '../core/image.ts'
import type { Made } from '../core/outcome.ts'
import { type Axis, nextProbe, type Probe } from '../plan/probe.ts'
import { marginFor } from '../plan/targets.ts'
import { gatherFrames } from './gather-frames.ts'
import { describe, type MotionJob } from './job.ts'
import { openFrameJudge } from './judge-frames.ts'
import { setWebpDelays } from './webp-delays.ts'

/** As for stills; frames of animations are probed as stills. */
const AXIS: Axis = {
  min: 1,
  max: 100,
  step: 1,
  curve: [
    [30, 12],
    [45, 35],
    [55, 54],
    [70, 79],
    [80, 89],
    [85, 93],
    [90, 97],
  ],
}
const MOST_PROBES = 4
const LEAST_MS = 400
/** libvips takes no longer delay. */
const LONGEST_DELAY_MS = 65_535
/** What encoding a megapixel without loss was seen to take at most; flat graphics are often smaller that way. */
const LOSSLESS_SECONDS_PER_MEGAPIXEL = 1.5

type Setting = { readonly lossless: true } | { readonly quality: number }

const encodeFrame = async ({ data, width, height, channels }: Pixels, quality: number): Promise<Pixels> => {
  const bytes = await sharp(data, { raw: { width, height, channels } })
    .webp({ quality, effort: 4, smartSubsample: true })
    .toBuffer()
  const decoded = await sharp(bytes).ensureAlpha().raw().toBuffer()
  return { width, height, channels: 4, data: decoded }
}

/** Searches on the sampled frames alone: one encode of the whole animation costs more than all probes. */
const searchQuality = async (
  job: MotionJob,
  score: number,
): Promise<{ quality: number; score: number } | undefined> => {
  using judge = await openFrameJudge(job)
  const goal = { score: score + marginFor(score), slack: 1 }
  const probes: Probe[] = []
  let found: { quality: number; score: number } | undefined
  while (job.deadline.remaining() > LEAST_MS) {
    const next = nextProbe(AXIS, goal, probes, MOST_PROBES)
    if (next.kind === 'stop') break
    const frames = await Promise.all(judge.references.map((frame) => encodeFrame(frame, next.setting)))
    const reached = judge.compare(frames)
    probes.push({ setting: next.setting, score: reached })
    if (reached >= goal.score && (found === undefined || next.setting < found.quality))
      found = { quality: next.setting, score: reached }
  }
  return found
}

const quickQuality = (score: number): number => AXIS.curve.find(([reached]) => reached >= score)?.[1] ?? 79

/** The animation as WebP: the lowest quality that reaches the target on sampled frames, or without loss. */
export const makeWebp = async (job: MotionJob): Promise<Made> => {
  const { target } = job.plan
  const { output } = job.recipe.geometry
  const data = await job.time('resize', () => gatherFrames(job))
  const delays = job.delays.map((delay) => Math.min(LONGEST_DELAY_MS, Math.round(delay)))
  let encodes = 0
  const encode = async (name: string, setting: Setting, more: Partial<Made>): Promise<Made> => {
    const path = join(job.directory, `${name}.webp`)
    encodes += 1
    const raw = {
      width: output.width,
      height: data.length / output.width / 4,
      channels: 4,
      pageHeight: output.height,
    } as const
    const bytes = await job.time('encode', () =>
      sharp(data, { raw, limitInputPixels: false })
        .webp({
          ...setting,
          effort: 4,
          smartSubsample: true,
          delay: delays,
          loop: Math.min(65535, job.animation.loop),
        })
        .toBuffer(),
    )
    setWebpDelays(bytes, delays, job.delays)
    await writeFile(path, bytes)
    // libwebp shows a frame that repeats the one before by showing that one longer.
    const { pages: frames = 1 } = await sharp(bytes).metadata()
    const made = await describe(job, {
      format: 'webp',
      path,
      encodes,
      frames,
      warnings: job.warnings,
      ...more,
    })
    job.offer(made)
    return made
  }
  if (target.kind === 'lossless') return encode('lossless', { lossless: true }, { score: 100, meetsTarget: true })
  const found = await job.time('search', () => searchQuality(job, target.score))
  const first = await encode(
    'lossy',
    { quality: found?.quality ?? quickQuality(target.score) },
    found === undefined ? {} : { score: found.score, meetsTarget: true },
  )
  const seconds = (LOSSLESS_SECONDS_PER_MEGAPIXEL * data.length) / 4e6
  if (seconds * 2 > job.deadline.remaining() / 1000) return { ...first, encodes, cutShort: true }
  const lossless = await encode('lossless', { lossless: true }, { score: 100, meetsTarget: true })
  return lossless.bytes <= first.bytes ? lossless : { ...first, encodes }
}
