import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import type { Pixels } from '../core/image.ts'
import type { Made } from '../core/outcome.ts'
import { type Axis, nextProbe, type Probe } from '../plan/probe.ts'
import { marginFor } from '../plan/targets.ts'
import { gatherFrames } from './gather-frames.ts'
import { describe, type MotionJob } from './job.ts'
import { type FrameJudge, openFrameJudge } from './judge-frames.ts'
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
/** Inter-frame coding changes the proportion that stills show: within so much of each other both ways are tried. */
const NEARLY = 2

type Setting = { readonly lossless: true } | { readonly quality: number }

type Encoded = { readonly pixels: Pixels; readonly bytes: number }

const encodeFrame = async ({ data, width, height, channels }: Pixels, setting: Setting): Promise<Encoded> => {
  const bytes = await sharp(data, { raw: { width, height, channels } })
    .webp({ ...setting, effort: 4, smartSubsample: true })
    .toBuffer()
  const decoded = await sharp(bytes).ensureAlpha().raw().toBuffer()
  return { pixels: { width, height, channels: 4, data: decoded }, bytes: bytes.length }
}

const encodeSample = async (judge: FrameJudge, setting: Setting): Promise<{ score: number; bytes: number }> => {
  const frames = await Promise.all(judge.references.map((frame) => encodeFrame(frame, setting)))
  return {
    score: judge.compare(frames.map(({ pixels }) => pixels)),
    bytes: frames.reduce((sum, frame) => sum + frame.bytes, 0),
  }
}

interface Found {
  readonly quality: number
  readonly score: number
  /** Bytes of the sample without loss, against those at this quality. */
  readonly lossless: number
}

/** Searches on the sampled frames alone: one encode of the whole animation costs more than all probes. */
const searchQuality = async (job: MotionJob, score: number): Promise<Found | undefined> => {
  using judge = await openFrameJudge(job)
  const goal = { score: score + marginFor(score), slack: 1 }
  const probes: Probe[] = []
  let found: { quality: number; score: number; bytes: number } | undefined
  while (job.deadline.remaining() > LEAST_MS) {
    const next = nextProbe(AXIS, goal, probes, MOST_PROBES)
    if (next.kind === 'stop') break
    const sample = await encodeSample(judge, { quality: next.setting })
    probes.push({ setting: next.setting, score: sample.score })
    const better = found === undefined || next.setting < found.quality
    if (sample.score >= goal.score && better) found = { quality: next.setting, ...sample }
  }
  if (found === undefined) return undefined
  const { bytes } = await encodeSample(judge, { lossless: true })
  return { ...found, lossless: bytes / found.bytes }
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
    // libvips encodes all frames in one go.
    job.advance?.({ phase: 'encode', done: 0, of: job.animation.frames })
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
    job.advance?.({ phase: 'encode', done: job.animation.frames, of: job.animation.frames })
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
  const withoutLoss = () => encode('lossless', { lossless: true }, { score: 100, meetsTarget: true })
  if (found === undefined) {
    // Nothing in reach of the target, or no time to judge: the latter has no time for the slower way either.
    return job.deadline.remaining() < LEAST_MS
      ? { ...(await encode('lossy', { quality: quickQuality(target.score) }, {})), cutShort: true }
      : withoutLoss()
  }
  if (found.lossless <= 1) return withoutLoss()
  const lossy = await encode('lossy', { quality: found.quality }, { score: found.score, meetsTarget: true })
  if (found.lossless > NEARLY) return lossy
  if (job.deadline.remaining() < LEAST_MS) return { ...lossy, cutShort: true }
  const lossless = await withoutLoss()
  return lossless.bytes <= lossy.bytes ? lossless : { ...lossy, encodes }
}
