import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deadlineIn } from '../../src/core/deadline.ts'
import type { Job } from '../../src/core/outcome.ts'
import { recompress } from '../../src/engine/child/passthrough.ts'
import { parseOptions } from '../../src/options/parse.ts'
import { makePlan } from '../../src/plan/make-plan.ts'
import type { Plan } from '../../src/plan/plan.ts'
import { identify } from '../../src/source/identify.ts'
import { LIMITS } from '../plan-samples.ts'
import { answer } from './run.ts'
import { jpegOf, photo } from './samples.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'own-bytes-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const context = { limits: LIMITS, acceptWebp: false, acceptAvif: false, canEncodeAnimatedAvif: false }

const jobOf = async (source: Uint8Array, options: string): Promise<Job<Plan>> => {
  const path = join(directory, 'source')
  await writeFile(path, source)
  const parsed = parseOptions(options, { maxTimeout: 60 })
  if (parsed.kind === 'wrong') throw parsed.failure
  const facts = await identify(path)
  return { path, facts, plan: makePlan(parsed.options, facts, context), directory, budget: 60_000 }
}

/** A deadline that always reports `ms` left, so that the speed of the machine does not matter. */
const seeming = (ms: number) => ({ ...deadlineIn(60_000), remaining: () => ms })

describe('recompress', () => {
  it.each([
    ['a JPEG', () => jpegOf(60), 'full', 60_000, 'stored'],
    ['a JPEG in no time', () => jpegOf(60), 'full', 1, 'late'],
    ['a PNG that must not lose a pixel', photo, 'quality=lossless,full', 60_000, 'stored'],
    ['the same in no time', photo, 'quality=lossless,full', 1, 'late'],
    ['a PNG that may: its search has lossless forms of its own', photo, 'full', 60_000, 'useless'],
  ] as const)('recompresses %s', async (_, source, options, ms, kind) => {
    const job = await jobOf(await source(), options)
    expect((await recompress(job, Number.POSITIVE_INFINITY, seeming(ms))).kind).toBe(kind)
  })

  it("rejects the source's bytes if a result has half of them", async () => {
    const job = await jobOf(await jpegOf(60), 'full')
    expect((await recompress(job, job.facts.bytes / 2, seeming(60_000))).kind).toBe('useless')
  })

  it('a large source needs more time than a small one', async () => {
    const job = await jobOf(await jpegOf(60), 'full')
    const large = { ...job, facts: { ...job.facts, width: 8000, height: 5000, bytes: 12e6 } }
    expect((await recompress(job, Number.POSITIVE_INFINITY, seeming(10_000))).kind).toBe('stored')
    expect((await recompress(large, Number.POSITIVE_INFINITY, seeming(10_000))).kind).toBe('late')
  })
})

describe('a JPEG with a truncated profile', () => {
  it.each(['high', 'lossless'])('keeps its stored colours at quality=%s, as browsers show them', async (quality) => {
    const red = sharp({ create: { width: 64, height: 64, channels: 3, background: { r: 200, g: 60, b: 40 } } })
    const source = await red.withIccProfile('p3').jpeg({ quality: 95 }).toBuffer()
    const start = source.indexOf('acsp') - 36
    source.writeUInt32BE(source.readUInt32BE(start) + 64, start)
    const { bytes, facts } = await answer(source, { options: `full,format=jpeg,quality=${quality}` })
    expect(facts.profile).toBe('none')
    const stored = await levelsOf(sharp(source, { ignoreIcc: true }))
    for (const [at, level] of (await levelsOf(sharp(bytes))).entries())
      expect(Math.abs(level - stored[at]!)).toBeLessThanOrEqual(3)
  })

  const levelsOf = async (image: Sharp): Promise<number[]> =>
    (await image.toColourspace('srgb').stats()).channels.map(({ mean }) => mean)
})
