import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Deadline } from '../../src/core/deadline.ts'
import type { OutputFormat, SourceFacts } from '../../src/core/image.ts'
import type { ResultFile } from '../../src/core/outcome.ts'
import { openAnimation } from '../../src/motion/frames/animation.ts'
import { type AnimationRequest, type MotionJob, openJob } from '../../src/motion/frames/job.ts'
import { optimiseAnimation } from '../../src/motion/optimise-animation.ts'
import { videoLimits } from '../../src/motion/video/video-settings.ts'
import type { Plan } from '../../src/plan/plan.ts'
import { failedWarning, withWarning } from '../../src/plan/winner.ts'
import { scratchDirectory } from '../scratch.ts'
import { stillClock } from '../still-clock.ts'

export const fixture = (name: string): string => join(import.meta.dirname, '../fixtures/motion', name)

/** Result of {@link make}. */
export interface Making {
  readonly result: ResultFile
  readonly offers: readonly ResultFile[]
  readonly facts: SourceFacts
}

const plain = new Map<string, Promise<Making>>()

/** {@link make} with nothing changed: made once for all tests of a file, whose results are only read. */
export const makePlain = (name: string, format: OutputFormat): Promise<Making> => {
  const key = `${format} ${name}`
  const making = plain.get(key) ?? make(name, format)
  plain.set(key, making)
  return making
}

/** The size and the warnings of what `make` would make, without encoding it. */
export const shapeOf = async (name: string, format: OutputFormat, changes: Partial<Plan>): Promise<MotionJob> => {
  const { path, facts, plan } = await requestOf(name, format, changes)
  const request = { path, facts, plan, deadline: stillClock(), directory: tmpdir(), offer: () => undefined }
  return openJob(request, format, videoLimits)
}

const requestOf = async (name: string, format: OutputFormat, changes: Partial<Plan>) => {
  const path = name.startsWith('/') ? name : fixture(name)
  const source = name.endsWith('.png') ? 'png' : name.endsWith('.webp') ? 'webp' : 'gif'
  const { extent, frames, loop } = await openAnimation(path, { format: source })
  const { size: bytes } = await stat(path)
  const facts: SourceFacts = {
    format: source,
    ...extent,
    frames,
    loop,
    alpha: true,
    orientation: 1,
    profile: 'none',
    bytes,
  }
  const plan: Plan = {
    trim: false,
    resize: { kind: 'full' },
    background: { r: 255, g: 255, b: 255 },
    target: { kind: 'score', score: 70, preset: 'medium' },
    formats: [format],
    animated: true,
    neverLarger: format === source,
    mayGrow: false,
    limits: { maxBytes: 5e7, maxPixels: 1e8, maxSide: 10_000, maxTotalPixels: 1e9 },
    warnings: [],
    ...changes,
  }
  return { path, facts, plan }
}

/** An animation made of a fixture (or of any path) as the engine would have it made, with every candidate that was offered. */
export const make = async (
  name: string,
  format: OutputFormat,
  {
    deadline = stillClock(),
    stage = () => undefined,
    ffmpegPath,
    notice = () => undefined,
    ...changes
  }: Partial<Plan> & Pick<AnimationRequest, 'stage' | 'ffmpegPath' | 'notice'> & { deadline?: Deadline } = {},
): Promise<Making> => {
  const offers: ResultFile[] = []
  const request = await requestOf(name, format, changes)
  const { result, failed } = await optimiseAnimation({
    ...request,
    deadline,
    stage,
    notice,
    ...(ffmpegPath === undefined ? {} : { ffmpegPath }),
    directory: await scratchDirectory('motion'),
    offer: (offered) => offers.push(offered),
  })
  return { result: withWarning(result, failedWarning(failed, result)), offers, facts: request.facts }
}
