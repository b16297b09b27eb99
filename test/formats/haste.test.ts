import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Raster } from '../../src/core/image.ts'
import { type Candidate, type Examined, IDENTICAL, type SearchRequest } from '../../src/formats/format.ts'
import type { QualityEncoder } from '../../src/formats/quality-encoder.ts'
import { searchQuality } from '../../src/formats/quality-search.ts'
import { openStepPace } from '../../src/formats/step-pace.ts'
import { fromPixels } from '../../src/raster/raw.ts'
import { STRAIGHT } from './request.ts'

const pixels: Raster = { data: new Uint8Array(100 * 100 * 3), width: 100, height: 100, channels: 3 }
const MEGAPIXELS = 0.01
/** Setting from which every bound is kept. */
const PASSES_FROM = 47

/** ms since the search began: only encodes take time. */
let clock = 0
beforeEach(() => void vi.spyOn(performance, 'now').mockImplementation(() => clock))
afterEach(() => void vi.restoreAllMocks())

interface Trial {
  readonly effort: string
  readonly setting: number
}

/** An encoder whose margin is that of its setting, and whose files grow with it; drafts take twice the bytes for a tenth of the time. */
const openEncoder = (trials: Trial[]): QualityEncoder => {
  const effortOf = (effort: string, msPerMegapixel: number) => ({
    msPerMegapixel,
    encode: async (_: Raster, setting: number): Promise<Uint8Array> => {
      trials.push({ effort, setting })
      clock += msPerMegapixel * MEGAPIXELS
      const png = await fromPixels(pixels).png().toBuffer()
      return new Uint8Array(Buffer.concat([png, Buffer.alloc((effort === 'draft' ? 20 : 10) * setting)]))
    },
  })
  const full = effortOf('full', 100_000)
  return {
    format: 'webp',
    ...STRAIGHT,
    draft: effortOf('draft', 10_000),
    expected: ({ margins }) => margins,
    full: () => full,
  }
}

/** All candidates of a search that has `ms`. A full encode takes 1,000 ms. */
const searchWithin = async (
  ms: number,
): Promise<{ readonly trials: readonly Trial[]; readonly candidates: readonly Candidate[] }> => {
  clock = 0
  const trials: Trial[] = []
  const candidates: Candidate[] = []
  const keeping = (): readonly Candidate[] => candidates.filter(({ examined }) => examined!.keeps)
  const examine = (): Examined => {
    const margin = trials.at(-1)!.setting - PASSES_FROM
    return { ...IDENTICAL, keeps: margin >= 0, margins: { ssimulacra: margin } }
  }
  const request = {
    pixels,
    wanted: { kind: 'score', goal: { score: 70, slack: 1 } },
    deadline: { remaining: () => Math.max(0, ms - clock), signal: new AbortController().signal },
    pace: openStepPace(),
    examine,
    bytesToBeat: () => Math.min(...keeping().map(({ bytes }) => bytes.length)),
    encoded: () => undefined,
    outOfTime: () => undefined,
  } as unknown as SearchRequest
  for await (const step of searchQuality(openEncoder(trials), request))
    if (step.kind === 'candidate') candidates.push(step)
  return { trials, candidates: keeping() }
}

describe('a search of a lossy format in haste', () => {
  it('makes a draft that keeps the promise before any full encode', async () => {
    const { trials, candidates } = await searchWithin(1500)
    expect(trials[0]).toMatchObject({ effort: 'draft' })
    expect(trials[0]!.setting).toBeGreaterThanOrEqual(PASSES_FROM)
    expect(candidates.length).toBeGreaterThan(0)
  })

  it('begins a full encode that fits into the time that is left, not into half of it', async () => {
    const { trials } = await searchWithin(1500)
    expect(trials.filter(({ effort }) => effort === 'full')).toHaveLength(1)
  })

  it('begins no encode that does not fit', async () => {
    const { trials } = await searchWithin(900)
    expect(trials.some(({ effort }) => effort === 'full')).toBe(false)
    expect(clock).toBeLessThanOrEqual(900)
  })

  it('tries the same settings in the same order however much time there is, as far as it goes', async () => {
    const { trials: all } = await searchWithin(60_000)
    for (const ms of [150, 1200, 2500]) {
      const { trials } = await searchWithin(ms)
      const begun = all.slice(0, trials.filter(({ effort }) => effort === 'full').length + 1)
      expect(trials.slice(0, begun.length)).toEqual(begun)
    }
  })

  it('never gives more bytes for more time', async () => {
    const smallest = []
    for (const ms of [150, 300, 900, 1200, 1500, 2500, 4000, 60_000]) {
      const { candidates } = await searchWithin(ms)
      smallest.push(Math.min(...candidates.map(({ bytes }) => bytes.length)))
    }
    expect(smallest).toEqual(smallest.toSorted((a, b) => b - a))
    expect(smallest[0]! / smallest.at(-1)!).toBeGreaterThan(1.5)
  })
})
