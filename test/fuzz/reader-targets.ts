import { readFile } from 'node:fs/promises'
import { holdsContentCredentials } from '../../src/containers/content-credentials.ts'
import { stripMetadata } from '../../src/containers/strip/strip.ts'
import { fail } from '../../src/core/failure.ts'
import type { SourceFacts } from '../../src/core/image.ts'
import type { Job } from '../../src/core/outcome.ts'
import { openGainMap } from '../../src/engine/child/gain-map.ts'
import { openRights } from '../../src/engine/child/rights.ts'
import { openAnimation } from '../../src/motion/frames/animation.ts'
import { parseOptions } from '../../src/options/parse.ts'
import { checkSource } from '../../src/plan/limits.ts'
import { makePlan } from '../../src/plan/make-plan.ts'
import type { Plan } from '../../src/plan/plan.ts'
import { decode } from '../../src/raster/decode.ts'
import { identify } from '../../src/source/identify.ts'
import { filesIn, inFile } from './corpus.ts'

/** px; small, so that a case takes no time. */
const LIMITS = { maxSide: 2000, maxPixels: 1e6 }
const SOURCE_LIMITS = { ...LIMITS, maxBytes: 50e6, maxTotalPixels: 1e9 }

/** Most frames that a case reads, the last ones. */
const MAX_FRAMES = 3

/** Identified, and held to the limits that the service has. */
const identifyWithin = async (path: string): Promise<SourceFacts> => {
  const facts = await identify(path)
  const refusal = checkSource(facts, SOURCE_LIMITS)
  if (refusal !== undefined) throw refusal
  return facts
}

/** A still image, decoded. */
export const decodeWhole = (bytes: Uint8Array): Promise<void> =>
  inFile(bytes, async (path) => {
    await decode({ path, facts: await identifyWithin(path), limits: LIMITS })
  })

/** A moving image: its last frames, which lie on those before. */
export const readFrames = (bytes: Uint8Array): Promise<void> =>
  inFile(bytes, async (path) => {
    const facts = await identifyWithin(path)
    if (facts.frames < 2) throw fail('SOURCE_DAMAGED')
    const animation = await openAnimation(path, facts)
    await animation.read(Math.max(0, animation.frames - MAX_FRAMES), MAX_FRAMES)
  })

const jobOf = async (path: string, options: string): Promise<Job<Plan>> => {
  const facts = await identifyWithin(path)
  const parsed = parseOptions(options, { maxTimeout: 30 })
  if (parsed.kind === 'wrong') throw parsed.failure
  const context = { limits: SOURCE_LIMITS, acceptWebp: false, acceptAvif: false, canEncodeAnimatedAvif: false }
  return { path, facts, plan: makePlan(parsed.options, facts, context), directory: '.', budget: 1_000 }
}

const SHOWN = {
  pixels: { width: 20, height: 16, channels: 4, data: new Uint8Array(20 * 16 * 4).fill(200) },
  window: { left: 0.1, top: 0.1, width: 0.8, height: 0.8 },
  whole: false,
} as const

/** The gain map of a photograph, cut and put behind another JPEG. */
export const fitGainMap = (bytes: Uint8Array): Promise<void> =>
  inFile(bytes, async (path) => {
    const job = await jobOf(path, 'full,format=jpeg')
    const { show, complete } = await openGainMap(job)
    await show(SHOWN)
    await complete({ format: 'jpeg', width: 20, height: 16, data: await readFile(path) })
  })

/** Reads the rights and the origin of an image, and removes both. */
export const readRights = (bytes: Uint8Array): Promise<void> =>
  inFile(bytes, async (path) => {
    const job = await jobOf(path, 'full,meta=copyright')
    const { format } = job.facts
    holdsContentCredentials(format, bytes)
    Buffer.concat([...(stripMetadata({ format, orientation: 1, profile: 'other' }, bytes) ?? [])])
    const { embed } = await openRights(job)
    embed({ format: 'jpeg', data: JPEG })
  })

const [JPEG = new Uint8Array()] = filesIn('jpeg', /\.jpg$/)
