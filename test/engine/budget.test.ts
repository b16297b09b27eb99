import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { withinBudget } from '../../src/engine/child/budget.ts'
import { parseOptions } from '../../src/options/parse.ts'
import { makePlan } from '../../src/plan/make-plan.ts'
import { LIMITS, sourceOf } from '../plan-samples.ts'
import { scratchDirectory } from '../scratch.ts'
import { run } from './run.ts'

const FIXTURES = resolve(import.meta.dirname, '../fixtures')
const PHOTO = await readFile(`${FIXTURES}/jpeg/kodim23-190x158.png`)
const OTHER = await readFile(`${FIXTURES}/jpeg/kodim05-190x158.png`)
const DRAWING = await readFile(`${FIXTURES}/jpeg/squoosh__screenshot2.jpg`)

/** Points of the score that any other result within the budget may be better. */
const POINTS = 1

describe('max-bytes (§3.7)', () => {
  it.each([
    ['a photograph as JPEG', PHOTO, 'full,format=jpeg', 0.75],
    ['a busy photograph as WebP', OTHER, 'full,format=webp', 0.8],
    ['a photograph whose format is free', OTHER, 'full,quality=high', 0.5],
  ])(
    'keeps %s below the budget, and no preset within it scores a point more',
    async (_, source, options, share) => {
      const free = await run(source, { options })
      const budget = Math.floor(free.bytes.length * share)
      const kept = await run(source, { options: `${options},max-bytes=${budget}` })
      expect(kept.bytes.length).toBeLessThanOrEqual(budget)
      expect(kept.score).toBeLessThan(free.score)
      expect(kept.result.warnings).toContainEqual(expect.stringContaining(`max-bytes=${budget} lowered the quality`))
      for (const quality of ['low', 'medium']) {
        const other = await run(source, { options: `${options.replace(/,quality=\w+/, '')},quality=${quality}` })
        if (other.bytes.length <= budget) expect(kept.score).toBeGreaterThan(other.score - POINTS)
      }
    },
    120_000,
  )

  it('changes nothing where the preset fits', async () => {
    const free = await run(PHOTO, { options: 'full,quality=low' })
    const kept = await run(PHOTO, { options: `full,quality=low,max-bytes=${free.bytes.length}` })
    expect(Buffer.from(kept.bytes).equals(free.bytes)).toBe(true)
    expect(kept.result.warnings).toEqual(free.result.warnings)
  })

  it('reduces the size where low does not fit, in the same proportions', async () => {
    const low = await run(OTHER, { options: 'full,quality=low,format=jpeg' })
    const budget = Math.floor(low.bytes.length * 0.6)
    const kept = await run(OTHER, { options: `full,format=jpeg,max-bytes=${budget}` })
    expect(kept.bytes.length).toBeLessThanOrEqual(budget)
    expect(kept.bytes.length).toBeGreaterThan(budget * 0.85)
    expect(kept.result.width).toBeLessThan(low.result.width)
    expect(kept.result.width).toBeGreaterThanOrEqual(low.result.width / 2)
    expect(kept.result.width / kept.result.height).toBeCloseTo(low.result.width / low.result.height, 1)
    expect(kept.result.warnings.join()).toContain(`the size to ${kept.result.width}x${kept.result.height} px`)
  })

  it('returns the smallest result with a Warning where half of the size does not fit', async () => {
    const kept = await run(OTHER, { options: 'full,format=jpeg,max-bytes=300' })
    expect(kept.result.width).toBe(95)
    expect(kept.result.warnings.join()).toContain(
      `could not be kept: this is the smallest result, of ${kept.result.bytes} bytes`,
    )
  })

  it('keeps a budget of 700 bytes for a busy thumbnail of 100 px', async () => {
    const kept = await run(OTHER, { options: '100x100,format=jpeg,max-bytes=700' })
    expect(kept.bytes.length).toBeLessThanOrEqual(700)
    expect(kept.result.score).toBeGreaterThanOrEqual(30)
    expect(kept.result.width).toBeGreaterThanOrEqual(50)
  })

  it('keeps a crop exactly in its proportions', async () => {
    const kept = await run(OTHER, { options: '100x50,crop,format=jpeg,max-bytes=1200' })
    expect(kept.result.bytes).toBeLessThanOrEqual(1200)
    expect(kept.result.width / kept.result.height).toBeCloseTo(2, 1)
  })

  it('offers nothing above the budget once something fits', async () => {
    const { offers, result } = await run(PHOTO, { options: 'full,format=jpeg,max-bytes=3k' })
    const first = offers.findIndex(({ bytes }) => bytes <= 3000)
    expect(first).toBeGreaterThanOrEqual(0)
    expect(offers.slice(first).every(({ bytes }) => bytes <= 3000)).toBe(true)
    expect(result.bytes).toBeLessThanOrEqual(3000)
  })

  it('lowers a source that would be returned without loss', async () => {
    const kept = await run(DRAWING, { options: 'full,quality=lossless,max-bytes=12k' })
    expect(kept.bytes.length).toBeLessThanOrEqual(12_000)
  })

  it('chooses the format that keeps most within the budget', async () => {
    const icon = await sharp(
      Buffer.from(
        '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="120"><rect width="200" height="120" fill="#fff"/><circle cx="60" cy="60" r="40" fill="#c33"/><path d="M110 20h70v80h-70z" fill="#36c"/></svg>',
      ),
    )
      .png()
      .toBuffer()
    const { format, result } = await run(icon, { options: 'full,quality=high,max-bytes=900' })
    expect([format, result.bytes <= 900]).toEqual(['png', true])
  })
})

it('starts no further search once the time is over', async () => {
  const directory = await scratchDirectory('budget')
  const facts = sourceOf({ format: 'jpeg', bytes: 1e6 })
  const parsed = parseOptions('full,format=jpeg,max-bytes=500', { maxTimeout: 60 })
  if (parsed.kind === 'wrong') throw parsed.failure
  const context = { limits: LIMITS, acceptWebp: false, acceptAvif: false, canEncodeAnimatedAvif: false }
  const job = { path: join(directory, 'source'), facts, plan: makePlan(parsed.options, facts, context), directory }
  const stored = { path: join(directory, 'result'), format: 'jpeg', bytes: 1e6, width: 800, height: 600 } as const
  const deadline = { remaining: () => 0, signal: AbortSignal.abort() }
  let runs = 0
  const result = await withinBudget(
    { ...job, budget: 1 },
    { stage: () => undefined, offer: () => undefined, deadline },
    async () => {
      runs++
      return { ...stored, frames: 1, encodes: 1, warnings: [], cutShort: true }
    },
  )
  expect([runs, result.bytes, result.cutShort]).toEqual([1, 1e6, true])
})
