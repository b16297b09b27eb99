import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AnyRaster } from '../../src/core/image.ts'
import { openSsimulacra2 } from '../../src/metric/ssimulacra2/ssimulacra2.ts'
import { plainScore } from './plain-metric.ts'
import { asSharp, readRaster } from './read-raster.ts'

const pair = (name: string) => fileURLToPath(new URL(`pairs/${name}`, import.meta.url))
const photograph = await readRaster(pair('056-original.png'))
const softLogo = await readRaster(pair('000-original.png'))
const metric = await openSsimulacra2()
const streaming = await openSsimulacra2({ keep: 0 })

const jpegOf = async (image: AnyRaster, quality: number): Promise<AnyRaster> =>
  readRaster(await asSharp(image).jpeg({ quality }).toBuffer())

const enlarge = async (image: AnyRaster, width: number, height: number): Promise<AnyRaster> => {
  const { data, info } = await asSharp(image)
    .resize(width, height, { fit: 'fill' })
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { data, width, height, channels: info.channels as AnyRaster['channels'] }
}

/** The same picture with its sample values changed at random by up to `strength`, always alike for a seed. */
const disturb = (image: AnyRaster, strength: number, seed: number): AnyRaster => {
  let state = seed | 1
  const data = image.data.map((value) => {
    state = Math.imul(state, 1664525) + 1013904223
    return Math.max(0, Math.min(255, value + Math.round(((state >>> 8) / 2 ** 24 - 0.5) * 2 * strength)))
  })
  return { ...image, data }
}

/** Generated pictures: a gradient with some texture, and a distortion of it. */
const sizes = (most: number) => fc.integer({ min: 8, max: most })
const channelCounts = fc.constantFrom(1 as const, 2 as const, 3 as const, 4 as const)
const pictures = (most: number) =>
  fc
    .record({
      width: sizes(most),
      height: sizes(most),
      channels: channelCounts,
      seed: fc.nat(),
      strength: fc.integer({ min: 1, max: 90 }),
    })
    .map(({ width, height, channels, seed, strength }) => {
      const data = Uint8Array.from(
        { length: width * height * channels },
        (_, i) => (i * 37 + (i >> 5) * 11 + seed) % 256,
      )
      const picture: AnyRaster = { data, width, height, channels }
      return { picture, distorted: disturb(picture, strength, seed) }
    })

const score = (one: AnyRaster, other: AnyRaster): number => {
  using reference = metric.prepare(one)
  return reference.compare(other, 'exact')
}

describe('the kernel', () => {
  it('agrees with the definition in plain loops, whatever the size and the channels', () => {
    fc.assert(
      fc.property(pictures(45), ({ picture, distorted }) => {
        expect(Math.abs(score(picture, distorted) - plainScore(picture, distorted))).toBeLessThan(0.01)
      }),
      { numRuns: 40 },
    )
  })

  it('agrees with the definition on a photograph of six scales, to a thousandth', async () => {
    const candidate = await jpegOf(photograph, 40)
    expect(Math.abs(score(photograph, candidate) - plainScore(photograph, candidate))).toBeLessThan(0.001)
  })

  it('scores 100 for what is identical', () => {
    fc.assert(
      fc.property(pictures(300), ({ picture }) => {
        expect(score(picture, picture)).toBe(100)
      }),
      { numRuns: 30 },
    )
  })

  it('never traps and always gives a number, on noise of any size from 1 x 1', () => {
    const sides = fc.integer({ min: 1, max: 70 })
    fc.assert(
      fc.property(sides, sides, channelCounts, channelCounts, (width, height, channels, others) => {
        const noise = (count: 1 | 2 | 3 | 4, seed: number): AnyRaster =>
          disturb({ data: new Uint8Array(width * height * count).fill(128), width, height, channels: count }, 128, seed)
        expect(Number.isFinite(score(noise(channels, 7), noise(others, 9)))).toBe(true)
      }),
      { numRuns: 200 },
    )
  })

  it.each([
    { width: 1, height: 1 },
    { width: 7, height: 7 },
    { width: 3, height: 40 },
  ])('distinguishes a tiny image of $width x $height from one of another colour', ({ width, height }) => {
    const fill = (value: number): AnyRaster => ({
      data: new Uint8Array(width * height * 3).fill(value),
      width,
      height,
      channels: 3,
    })
    expect(score(fill(90), fill(90))).toBe(100)
    expect(score(fill(90), fill(140))).toBeLessThan(90)
  })
})

describe('growing distortion', () => {
  const fallsThroughout = (scores: readonly number[]): boolean =>
    scores.every((value, i) => i === 0 || value < scores[i - 1]!)

  it('lowers the score of JPEG at falling quality', async () => {
    using reference = metric.prepare(photograph)
    const qualities = [98, 95, 80, 60, 40, 20, 5]
    const scores = await Promise.all(
      qualities.map(async (quality) => reference.compare(await jpegOf(photograph, quality))),
    )
    expect(fallsThroughout([100, ...scores]), String(scores)).toBe(true)
  })

  it('lowers the score of growing blur', async () => {
    using reference = metric.prepare(photograph)
    const blurred = (sigma: number) => asSharp(photograph).blur(sigma).png().toBuffer().then(readRaster)
    const scores = await Promise.all([0.6, 1, 2, 4, 8].map(async (sigma) => reference.compare(await blurred(sigma))))
    expect(fallsThroughout([100, ...scores]), String(scores)).toBe(true)
  })

  it('lowers the score of growing noise', () => {
    using reference = metric.prepare(photograph)
    const scores = [1, 3, 8, 20, 60].map((strength) => reference.compare(disturb(photograph, strength, 5)))
    expect(fallsThroughout([100, ...scores]), String(scores)).toBe(true)
  })
})

describe('streaming a few rows of each side in turns', () => {
  it.each([
    { width: 333, height: 257 },
    { width: 600, height: 1031 },
    { width: 1300, height: 129 },
  ])('equals keeping the whole reference, $width x $height', async ({ width, height }) => {
    const image = await enlarge(photograph, width, height)
    const candidate = await jpegOf(image, 60)
    using kept = metric.prepare(image)
    using streamed = streaming.prepare(image)
    expect([kept.kept, streamed.kept]).toEqual([true, false])
    expect(streamed.scores(candidate)).toEqual(kept.scores(candidate))
    expect(streamed.scores(candidate, 'exact')).toEqual(kept.scores(candidate, 'exact'))
  })

  it('is what happens when memory cannot hold the reference', async () => {
    const boundless = await openSsimulacra2({ keep: Number.POSITIVE_INFINITY })
    const vast: AnyRaster = { data: new Uint8Array(9000 * 10_000), width: 9000, height: 10_000, channels: 1 }
    using prepared = boundless.prepare(vast, 'exact')
    expect([prepared.kept, prepared.bytes]).toEqual([false, 0])
  })

  it('equals it with alpha too', () => {
    const candidate = disturb(softLogo, 30, 3)
    using kept = metric.prepare(softLogo)
    using streamed = streaming.prepare(softLogo)
    expect(streamed.scores(candidate)).toEqual(kept.scores(candidate))
  })
})

describe('alpha', () => {
  it('ignores colour where nothing is to be seen', () => {
    const hidden = Uint8Array.from(softLogo.data, (value, i) =>
      softLogo.data[i | 3] === 0 && i % 4 < 3 ? 255 - value : value,
    )
    expect(score(softLogo, { ...softLogo, data: hidden })).toBe(100)
  })

  it('sees a change on the background that shows it worse', () => {
    const dark: AnyRaster = { data: new Uint8Array(64 * 64 * 4), width: 64, height: 64, channels: 4 }
    for (let i = 0; i < dark.data.length; i += 4) dark.data.set([25, 25, 25, (i >> 2) % 64 < 32 ? 255 : 0], i)
    const vanished: AnyRaster = { ...dark, data: dark.data.map((value, i) => (i % 4 === 3 ? 0 : value)) }
    const on = (grey: number, image: AnyRaster): AnyRaster => ({
      ...image,
      channels: 3,
      data: Uint8Array.from({ length: 64 * 64 * 3 }, (_, i) => (image.data[Math.floor(i / 3) * 4 + 3] ? 25 : grey)),
    })
    expect(score(on(25, dark), on(25, vanished))).toBe(100)
    expect(score(dark, vanished)).toBeLessThan(30)
    expect(score(dark, vanished)).toBeCloseTo(score(on(229.5, dark), on(229.5, vanished)), 0)
  })

  it('judges an opaque reference against a candidate that lost its opacity', () => {
    const faded: AnyRaster = { ...softLogo, data: softLogo.data.map((value, i) => (i % 4 === 3 ? 200 : value)) }
    const solid: AnyRaster = { ...softLogo, data: softLogo.data.map((value, i) => (i % 4 === 3 ? 255 : value)) }
    expect(score(solid, faded)).toBeLessThan(80)
    expect(score(solid, solid)).toBe(100)
  })

  it('reads no alpha into RGB that is judged against an image with transparency', () => {
    const filled = (pixel: readonly number[]): AnyRaster => ({
      data: Uint8Array.from({ length: 64 * 64 * pixel.length }, (_, i) => pixel[i % pixel.length]!),
      width: 64,
      height: 64,
      channels: pixel.length as AnyRaster['channels'],
    })
    const seeThrough = filled([120, 90, 60, 128])
    expect(score(seeThrough, filled([120, 90, 60]))).toBe(score(seeThrough, filled([120, 90, 60, 255])))
    expect(score(filled([120, 90, 60]), seeThrough)).toBe(score(filled([120, 90, 60, 255]), seeThrough))
  })

  it('gives full opacity the score of no alpha at all, and grey that of equal RGB', async () => {
    const candidate = await jpegOf(photograph, 50)
    const withAlpha = async (image: AnyRaster) => readRaster(await asSharp(image).ensureAlpha().png().toBuffer())
    expect(score(await withAlpha(photograph), candidate)).toBe(score(photograph, candidate))
    const grey: AnyRaster = { ...photograph, channels: 1, data: photograph.data.filter((_, i) => i % 3 === 1) }
    const equal: AnyRaster = { ...photograph, data: photograph.data.map((_, i, all) => all[i - (i % 3) + 1]!) }
    expect(score(grey, disturb(grey, 9, 1))).toBeLessThan(100)
    expect(score(grey, equal)).toBe(100)
  })
})

describe('the worst region', () => {
  it('betrays a bad corner that the whole forgives', async () => {
    const image = await enlarge(photograph, 1024, 1024)
    const spoiled: AnyRaster = { ...image, data: new Uint8Array(image.data) }
    for (let y = 0; y < 128; y++) spoiled.data.fill(128, y * 1024 * 3, y * 1024 * 3 + 128 * 3)
    using reference = metric.prepare(image)
    const { score, worst } = reference.scores(spoiled)
    expect(worst).toBeLessThan(score - 20)
  })

  it('is the whole when the image is no larger than a region', async () => {
    using reference = metric.prepare(softLogo)
    const { score, worst } = reference.scores(disturb(softLogo, 20, 3))
    expect(worst).toBe(score)
  })
})

describe('what cannot be judged', () => {
  it('is a candidate of another size', () => {
    using reference = metric.prepare(photograph)
    expect(() => reference.compare(softLogo)).toThrow(RangeError)
  })

  it('is data shorter than its size says', () => {
    expect(() => metric.prepare({ ...photograph, height: photograph.height + 1 })).toThrow(RangeError)
  })
})

describe('memory', () => {
  it('does not grow over hundreds of images of changing size', async () => {
    const image = await enlarge(photograph, 700, 900)
    const rounds = (count: number) => {
      for (let i = 0; i < count; i++) {
        const height = 100 + ((i * 331) % 800)
        const part: AnyRaster = { ...image, height, data: image.data.subarray(0, 700 * 3 * height) }
        using reference = metric.prepare(part)
        reference.compare(part)
      }
    }
    rounds(40)
    const before = process.memoryUsage().rss
    rounds(160)
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 2 ** 20)
  })
})
