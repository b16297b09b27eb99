import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { LEVEL_QUALITIES } from '../../src/formats/avif.ts'
import type { Candidate, Examine, Examined } from '../../src/formats/format.ts'
import { withLowerSetting } from '../../src/formats/lower-setting.ts'
import type { QualityEffort, QualityEncoder } from '../../src/formats/quality-encoder.ts'
import { searchQuality } from '../../src/formats/quality-search.ts'
import { openSsimulacra2 } from '../../src/metric/ssimulacra2/ssimulacra2.ts'
import type { BoundName } from '../../src/plan/promise.ts'
import { fromPixels, toPixels } from '../../src/raster/raw.ts'
import { PHOTO } from '../engine/samples.ts'
import { mediumRequest } from './request.ts'

const photo = async () => toPixels(await sharp(PHOTO).png().toBuffer())

describe('AVIF', () => {
  it('has a level for each number of the table, and none between', async () => {
    const pixels = { ...(await photo()), width: 190, height: 24 }
    const small = { ...pixels, data: pixels.data.subarray(0, 190 * 24 * 3) }
    const files: string[] = []
    for (let quality = 1; quality <= 100; quality += 1)
      files.push((await fromPixels(small).avif({ quality, effort: 0 }).toBuffer()).toString('latin1'))
    const starts = files.flatMap((file, at) => (at === 0 || file !== files[at - 1] ? [at + 1] : []))
    expect(starts).toEqual([...LEVEL_QUALITIES])
  })
})

describe('an encoder that refuses high settings', () => {
  const refusing = (from: number) =>
    withLowerSetting(async (_, setting) => {
      if (setting >= from) throw new Error(`refused ${setting}`)
      return Uint8Array.of(setting)
    })
  const nothing = { width: 1, height: 1, channels: 3, data: new Uint8Array(3) } as const

  it('is asked for lower ones', async () => {
    expect([...(await refusing(60)(nothing, 79))]).toEqual([50])
    expect([...(await refusing(100)(nothing, 79))]).toEqual([79])
  })

  it('fails where it refuses them all', async () => {
    await expect(refusing(0)(nothing, 79)).rejects.toThrow(/refused [01]$/)
  })
})

const unhurried = (image: Pick<Parameters<typeof mediumRequest>[0], 'pixels' | 'prepared'>) =>
  mediumRequest({ ...image, remaining: () => 60_000, bytesToBeat: () => 1e9, outOfTime: () => 0 })

describe('a search along a quality number', () => {
  /** JPEG stands for an encoder; which of its efforts is asked for at which setting is what matters here. */
  const jpeg = (quality: number) => async () =>
    fromPixels(await photo())
      .jpeg({ quality: Math.max(1, quality) })
      .toBuffer()
  const CURVE = [
    [25, 30],
    [84, 70],
    [98, 90],
  ] as const
  const RISE = [
    [0, 0.04],
    [100, 0.04],
  ] as const

  /** A search with a full encode and a draft of this cost, the draft at a setting lower by `coarser`. */
  const search = async (
    cost: { readonly draft: number; readonly full: number; readonly coarser?: number },
    { remaining = () => 60_000, best = Number.POSITIVE_INFINITY, examine }: Partial<Asked> = {},
  ) => {
    const pixels = await photo()
    using prepared = (await openSsimulacra2()).prepare(pixels)
    const settings: string[] = []
    const effort = (name: string, msPerMegapixel: number, coarser = 0): QualityEffort => ({
      msPerMegapixel,
      encode: (_, quality) => {
        settings.push(`${name} ${quality}`)
        return jpeg(quality - coarser)()
      },
    })
    const full = effort('full', cost.full)
    const encoder: QualityEncoder = {
      format: 'jpeg',
      axis: { min: 1, max: 100, step: 1 },
      curve: CURVE,
      rise: RISE,
      draft: effort('draft', cost.draft, cost.coarser),
      expected: ({ margins }) => margins,
      full: () => full,
    }
    let smallest = best
    const usual = mediumRequest({
      pixels,
      prepared,
      remaining,
      bytesToBeat: () => smallest,
      outOfTime: () => settings.push('out of time'),
    })
    const found: Candidate[] = []
    for await (const candidate of searchQuality(encoder, { ...usual, ...(examine && { examine }) })) {
      found.push(candidate)
      if (candidate.examined?.keeps) smallest = Math.min(smallest, candidate.bytes.length)
    }
    return { found, settings }
  }
  interface Asked {
    readonly remaining: () => number
    readonly best: number
    readonly examine: Examine
  }
  const CHEAP_DRAFT = { draft: 0.01, full: 1 }
  const DEAR_DRAFT = { draft: 0.9, full: 1 }
  const named = (settings: readonly string[], name: string) => settings.filter((one) => one.startsWith(name))

  it('approaches the goal with drafts where full encodes do not fit into the time', async () => {
    const { found, settings } = await search({ draft: 1, full: 1e9 }, { remaining: () => 20_000 })
    expect(named(settings, 'full')).toEqual([])
    expect(settings).toContain('out of time')
    const kept = found.filter(({ examined }) => examined!.keeps)
    expect(kept.at(-1)!.examined!.score! - 70.25).toBeLessThan(2)
  })

  it('makes one draft without measuring it where no step fits into the time', async () => {
    const { found } = await search({ draft: 1e9, full: 1e9 }, { remaining: () => 0.001 })
    expect(found).toHaveLength(1)
    expect(found[0]!.examined).toBeUndefined()
  })

  it('begins between two drafts that lie on both sides of the goal', async () => {
    // Steeper than the usual curve: the first draft misses, the second exceeds by far.
    const tried: (readonly [string, number])[] = []
    const effort = (name: string, msPerMegapixel: number): QualityEffort => ({
      msPerMegapixel,
      encode: async (_, quality) => {
        tried.push([name, quality])
        return jpeg(quality)()
      },
    })
    const pixels = await photo()
    using prepared = (await openSsimulacra2()).prepare(pixels)
    const full = effort('full', 100)
    const encoder: QualityEncoder = {
      format: 'jpeg',
      axis: { min: 1, max: 100, step: 1 },
      curve: CURVE,
      rise: RISE,
      draft: effort('draft', 1),
      expected: ({ margins: own }) => own,
      full: () => full,
    }
    const request = unhurried({ pixels, prepared })
    const examine: Examine = () => {
      const ssimulacra = (tried.at(-1)![1] - 88) * 8
      const broken = ssimulacra < 0 ? (['ssimulacra'] as const) : []
      return { score: 0, effective: 0, keeps: ssimulacra >= 0, broken, margins: { ssimulacra }, figures: {} }
    }
    for await (const _ of searchQuality(encoder, { ...request, examine }));
    const first = tried.find(([name]) => name === 'full')![1]
    expect(Math.abs(first - 88)).toBeLessThanOrEqual(1)
  })

  it('makes at most three drafts and four full encodes', async () => {
    const { found, settings } = await search({ ...CHEAP_DRAFT, coarser: 8 })
    expect(named(settings, 'draft').length).toBeLessThanOrEqual(3)
    expect(named(settings, 'full').length).toBeLessThanOrEqual(4)
    const best = found.filter(({ examined }) => examined!.keeps).toSorted((a, b) => a.bytes.length - b.bytes.length)[0]!
    expect(best.examined!.score).toBeLessThan(70.25 + 1.5)
  })

  it('makes no draft that costs nearly as much as a full encode', async () => {
    expect(named((await search(DEAR_DRAFT)).settings, 'draft')).toEqual([])
  })

  /** Settings that a search tries where bounds have these margins, whatever the pixels. */
  const settingsBy = async (marginsAt: (setting: number) => Examined['margins']): Promise<readonly number[]> => {
    const tried: number[] = []
    const examine: Examine = () => {
      const margins = marginsAt(tried.at(-1)!)
      const broken = (Object.keys(margins) as BoundName[]).filter((bound) => margins[bound]! < 0)
      return { score: 85, effective: 85, keeps: broken.length === 0, broken, margins, figures: {} }
    }
    const pixels = await photo()
    using prepared = (await openSsimulacra2()).prepare(pixels)
    const full: QualityEffort = {
      msPerMegapixel: 1,
      encode: async (_, quality) => {
        tried.push(quality)
        return jpeg(quality)()
      },
    }
    const encoder: QualityEncoder = {
      format: 'jpeg',
      axis: { min: 1, max: 100, step: 1 },
      curve: CURVE,
      rise: RISE,
      draft: { ...full },
      expected: ({ margins }) => margins,
      full: () => full,
    }
    const request = unhurried({ pixels, prepared })
    for await (const _ of searchQuality(encoder, { ...request, examine }));
    return tried
  }

  it('follows the bound with the smallest margin', async () => {
    // Contours reach their bound at 80, where the score alone has 15 points to spare.
    const tried = await settingsBy((setting) => ({ ssimulacra: 15, contour: (setting - 80) / 2 }))
    expect(Math.min(...tried.filter((quality) => quality >= 80))).toBeLessThanOrEqual(82)
  })

  it('goes on below a setting at which a tile keeps its colour narrowly, because that margin rises slowly', async () => {
    const [first, ...others] = await settingsBy((setting) => ({ ssimulacra: 15, tileColour: (setting - 76) / 10 }))
    expect(first).toBe(84)
    expect(Math.min(...others.filter((quality) => quality >= 76))).toBeLessThan(84)
  })

  it('measures Butteraugli of trials that keep the cheaper bounds, and of the nearest where none does', async () => {
    const patiences: (number | undefined)[] = []
    const missing: Examine = (_, _format, patience) => {
      patiences.push(patience)
      const measured = patience === Number.POSITIVE_INFINITY ? { butteraugli: 2 } : {}
      const margins = { ssimulacra: -1 }
      return { score: 69, ...measured, effective: 69, keeps: false, broken: ['ssimulacra'], margins, figures: {} }
    }
    const { found } = await search(DEAR_DRAFT, { examine: missing })
    expect(new Set(patiences.slice(0, -1))).toEqual(new Set([0]))
    expect(found.at(-1)!.examined!.butteraugli).toBe(2)
    const kept = await search(DEAR_DRAFT)
    expect(kept.found.every(({ examined }) => examined!.keeps || examined!.butteraugli === 0)).toBe(true)
  })

  it('ends with a draft where another format is far smaller', async () => {
    const { settings } = await search({ ...CHEAP_DRAFT, coarser: 60 }, { best: 500 })
    expect(named(settings, 'full')).toEqual([])
  })
})
