import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { LEVEL_QUALITIES } from '../../src/formats/avif.ts'
import type { Candidate, Examine } from '../../src/formats/format.ts'
import { withLowerSetting } from '../../src/formats/lower-setting.ts'
import { type QualityEncoder, searchQuality } from '../../src/formats/quality-search.ts'
import { openSsimulacra2 } from '../../src/metric/ssimulacra2/ssimulacra2.ts'
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

describe('a search along a quality number', () => {
  /** JPEG stands for an encoder; what its fast form costs and when it is asked is what matters here. */
  const jpeg = (quality: number) => async () =>
    fromPixels(await photo())
      .jpeg({ quality })
      .toBuffer()
  const search = async (encoder: Partial<QualityEncoder>, remaining: () => number, beat = Number.POSITIVE_INFINITY) => {
    const pixels = await photo()
    using prepared = (await openSsimulacra2()).prepare(pixels)
    const settings: string[] = []
    const noted = (name: string) => (_: unknown, quality: number) => {
      settings.push(`${name} ${quality}`)
      return jpeg(quality)()
    }
    const outOfTime = () => settings.push('out of time')
    const request = mediumRequest({ pixels, prepared, remaining, beat: () => beat, outOfTime })
    const axis = {
      min: 1,
      max: 100,
      step: 1,
      curve: [
        [30, 25],
        [70, 84],
        [90, 98],
      ] as const,
    }
    const base = { format: 'jpeg', axis, encode: noted('full'), fast: noted('fast'), msPerMegapixel: 1e6 } as const
    const found: Candidate[] = []
    for await (const candidate of searchQuality({ ...base, ...encoder }, request)) found.push(candidate)
    return { found, settings }
  }

  it('comes nearer to the goal with fast encodes where there is no time for full ones', async () => {
    const { found, settings } = await search({}, () => 20_000)
    expect(settings.filter((one) => one.startsWith('full'))).toEqual([])
    expect(settings.at(-1)).toBe('out of time')
    const over = found.map(({ examined }) => examined!.score - 70.25)
    expect(over[0]).toBeGreaterThan(10)
    expect(over.at(-1)).toBeGreaterThan(0)
    expect(over.at(-1)).toBeLessThan(over[0]! / 2)
    expect(found.length).toBeLessThanOrEqual(3)
  })

  it('makes one fast file where there is hardly time for that, and does not judge it', async () => {
    const { found } = await search({}, () => 1)
    expect(found).toHaveLength(1)
    expect(found[0]!.examined).toBeUndefined()
  })

  it('needs two drafts at most, and three encodes', async () => {
    const drafted: number[] = []
    const draft = (_: unknown, quality: number) => {
      drafted.push(quality)
      return jpeg(Math.max(1, quality - 8))()
    }
    const { found, settings } = await search({ draft, msPerMegapixel: 1 }, () => 60_000)
    expect(drafted.length).toBeLessThanOrEqual(2)
    expect(settings.length).toBeLessThanOrEqual(3)
    const best = found.filter(({ examined }) => examined!.keeps).at(-1)!
    expect(best.examined!.score).toBeLessThan(70.25 + 1.5)
  })

  it('goes down to where contours bind once they tell, with what keeps smooth places quiet', async () => {
    const pixels = await photo()
    const file = await jpeg(90)()
    using prepared = (await openSsimulacra2()).prepare(pixels)
    const settings: string[] = []
    // At 78 contours are at their bound, and each setting is worth half a point of them; the score alone would do at 60.
    let place = 0
    const noted = (name: string) => async (_: unknown, quality: number) => {
      settings.push(`${name} ${quality}`)
      place = 70.25 + (quality - 78) / 2
      return file
    }
    const examine: Examine = () => {
      const keeps = place >= 70.25
      const effective = keeps ? 85 : place
      return { score: 85, butteraugli: 0.7, keeps, effective, broken: keeps ? [] : ['contour'] }
    }
    const usual = mediumRequest({
      pixels,
      prepared,
      remaining: () => 60_000,
      beat: () => 1e9,
      outOfTime: () => undefined,
    })
    const [encode, encodeSmooth] = [noted('full'), noted('smooth')]
    const curve = [
      [30, 25],
      [70, 60],
      [90, 98],
    ] as const
    const encoder = {
      format: 'jpeg',
      axis: { min: 1, max: 100, step: 1, curve },
      msPerMegapixel: 1,
      encode,
      encodeSmooth,
    } as const
    for await (const _ of searchQuality(encoder, { ...usual, examine, places: () => place }));
    expect(settings[0]).toMatch(/^full/)
    const after = settings.slice(1)
    expect(after.every((one) => one.startsWith('smooth'))).toBe(true)
    expect(after.length).toBeLessThanOrEqual(4)
    const kept = after.map((one) => Number(one.slice(7))).filter((quality) => quality >= 78)
    expect(Math.min(...kept)).toBeLessThanOrEqual(79)
  })

  it('ends with a draft where another format is far smaller already', async () => {
    const draft = (_: unknown, quality: number) => jpeg(Math.max(1, quality - 60))()
    const { found, settings } = await search({ draft, msPerMegapixel: 1 }, () => 60_000, 500)
    expect([found, settings]).toEqual([[], []])
  })
})
