import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import type { AnyRaster } from '../../src/core/image.ts'
import { transcodeJpeg } from '../../src/jpeg/bitstream/transcode.ts'
import { featuresOf } from '../../src/jpeg/features/image-features.ts'
import { openJpegEncoder, type Smoothing } from '../../src/jpeg/quantiser/encoder.ts'
import type { Subsampling } from '../../src/jpeg/quantiser/quant-tables.ts'
import type { FoundJpeg, JpegGoal } from '../../src/jpeg/search/goal.ts'
import { predictLevel } from '../../src/jpeg/search/predict.ts'
import { searchJpeg } from '../../src/jpeg/search/search-jpeg.ts'
import type { Reference } from '../../src/jpeg/search/trials.ts'
import { openButteraugli } from '../../src/metric/butteraugli/butteraugli.ts'
import { openMetrics } from '../../src/metric/metrics.ts'
import { openSsimulacra2 } from '../../src/metric/ssimulacra2/ssimulacra2.ts'
import { decoded, fixture, largestDifference, samplesOf } from './fixtures.ts'

const photo = await samplesOf(fixture('kodim05-190x158.png'))

/** The top left corner of an image. */
const corner = ({ data, width, channels }: AnyRaster, widthInBlocks: number, heightInBlocks: number): AnyRaster => ({
  data: Uint8Array.from({ length: widthInBlocks * heightInBlocks * channels }, (_, i) => {
    const y = Math.floor(i / (widthInBlocks * channels))
    return data[y * width * channels + (i % (widthInBlocks * channels))]!
  }),
  width: widthInBlocks,
  height: heightInBlocks,
  channels,
})

const noise = (width: number, height: number): AnyRaster => {
  let state = 1
  const data = Uint8Array.from({ length: width * height * 3 }, () => {
    state = (state * 48271) % 2147483647
    return state & 255
  })
  return { data, width, height, channels: 3 }
}

const peer = async (image: AnyRaster, options: { quality: number; mozjpeg: boolean }): Promise<Uint8Array> =>
  sharp(image.data, { raw: { width: image.width, height: image.height, channels: 3 } })
    .jpeg(options)
    .toBuffer()

describe('the pixels of an attempt', () => {
  const sizes: [number, number][] = [
    [190, 158],
    [17, 31],
    [16, 16],
    [33, 1],
    [1, 9],
    [3, 5],
    [4, 4],
    [5, 2],
    [1, 1],
  ]
  for (const subsampling of ['4:2:0', '4:2:2', '4:4:4'] satisfies Subsampling[]) {
    for (const [widthInBlocks, heightInBlocks] of sizes) {
      it(`are what libjpeg-turbo decodes of the file: ${subsampling}, ${widthInBlocks} x ${heightInBlocks}`, async () => {
        for (const image of [corner(photo, widthInBlocks, heightInBlocks), noise(widthInBlocks, heightInBlocks)]) {
          for (const quality of [-20, 70, 95]) {
            const encoder = openJpegEncoder(image, subsampling)
            const pixels = encoder.reconstruct({ quality })
            expect(largestDifference(pixels.data, await decoded(encoder.finish()))).toBe(0)
          }
        }
      })
    }
  }

  it('are what libjpeg-turbo decodes, too, where attempts before left most blocks as they are', async () => {
    const encoder = openJpegEncoder(photo)
    const first = encoder.analyse({ quality: 60 })
    const coarse = { quality: 60, lambdaScale: 0.4, ...first }
    const settings = [{ quality: 60, ...first }, coarse, { quality: 62, ...first }, { quality: 25 }, coarse]
    for (const setting of settings) {
      const pixels = encoder.reconstruct(setting)
      expect(largestDifference(pixels.data, await decoded(encoder.finish()))).toBe(0)
    }
  })

  it('are one channel where the image is grey, and so is the file', async () => {
    const grey: AnyRaster = {
      data: photo.data.map((_, i) => photo.data[i - (i % 3)]!),
      width: 190,
      height: 158,
      channels: 3,
    }
    const encoder = openJpegEncoder(grey)
    const pixels = encoder.reconstruct({ quality: 80 })
    expect(pixels.channels).toBe(1)
    expect(await sharp(encoder.finish()).metadata()).toMatchObject({ channels: 1 })
  })
})

describe('an encoder', () => {
  it('gives the same file for the same setting, whatever was trials before', () => {
    const encoder = openJpegEncoder(photo)
    encoder.analyse({ quality: 70 })
    const first = encoder.finish()
    encoder.analyse({ quality: 30 })
    encoder.analyse({ quality: 70 })
    expect(encoder.finish()).toEqual(first)
  })

  it('gives the same file whatever image its memory held before', () => {
    const small = corner(photo, 61, 47)
    const fileOf = (image: AnyRaster): Uint8Array => {
      const encoder = openJpegEncoder(image)
      const firstPass = encoder.analyse({ quality: 60 })
      encoder.analyse({ quality: 62, ...firstPass })
      const bytes = encoder.finish()
      encoder.close()
      return bytes
    }
    const first = fileOf(small)
    fileOf(noise(190, 158))
    expect(fileOf(small)).toEqual(first)
  })

  it('writes orientation and profile when asked', async () => {
    const encoder = openJpegEncoder(photo)
    encoder.quantise({ quality: 90 })
    expect(await sharp(encoder.finish({ orientation: 6 })).metadata()).toMatchObject({
      orientation: 6,
      isProgressive: true,
    })
  })
})

/** A wall of one lightness whose hue goes up and down in waves of about six times `radian` px: coarse first steps of chroma lose their slopes. */
const wallOf = (radian: number): AnyRaster => ({
  data: Uint8Array.from({ length: 400 * 320 * 3 }, (_, i) => {
    const value = 32 * Math.sin((Math.floor(i / 3) % 400) / radian)
    return [180 + value, 200 - value / 2, 210 - value / 3][i % 3]!
  }),
  width: 400,
  height: 320,
  channels: 3,
})

/** The mean of red less green over 8 px from a column on, in code values. */
const hueFrom = ({ data, width, height }: AnyRaster, column: number): number => {
  const differences = Array.from({ length: 8 * height }, (_, i) => {
    const at = ((i >> 3) * width + column + (i & 7)) * 3
    return data[at]! - data[at + 1]!
  })
  return differences.reduce((sum, one) => sum + one, 0) / differences.length
}

/** The mean step of hue at the edges of chroma's blocks beyond the source's own, in code values. */
const hueStep = (source: AnyRaster, shown: AnyRaster): number => {
  const stepAt = (image: AnyRaster, edge: number): number => hueFrom(image, edge) - hueFrom(image, edge - 8)
  const edges = Array.from({ length: source.width / 16 - 1 }, (_, i) => 16 * (i + 1))
  return edges.reduce((sum, edge) => sum + Math.abs(stepAt(shown, edge) - stepAt(source, edge)), 0) / edges.length
}

describe('where smooth places are protected', () => {
  it('slopes of hue keep at most 0.6 of the steps that they have without protection', () => {
    const walls = [20, 25, 30, 35, 40].map(wallOf)
    const stepsAt = (smooth: Smoothing): number =>
      walls.reduce((sum, wall) => sum + hueStep(wall, openJpegEncoder(wall).reconstruct({ quality: 20, smooth })), 0)
    for (const smooth of [2, 3] as const) expect(stepsAt(smooth)).toBeLessThan(0.6 * stepsAt(0))
  })
})

const metric = await openSsimulacra2()
const butteraugliMetric = await openButteraugli()
const metrics = await openMetrics()

/** The best file that a search yields. */
const bestJpeg = (image: AnyRaster, reference: Reference, goal: JpegGoal): FoundJpeg | undefined =>
  [...searchJpeg(image, reference, goal)].at(-1)

describe('the closed loop', () => {
  for (const [target, excess] of [
    [55, 0.6],
    [62, 0.7],
    [70, 0.6],
    [85, 0.6],
  ] as const) {
    it(`gives a file whose decoded pixels score ${target} or up to ${excess} more, small as the image is`, async () => {
      using reference = metric.prepare(photo)
      const found = bestJpeg(photo, reference, { target })!
      const score = reference.compare({ ...photo, data: await decoded(found.bytes) })
      expect(score).toBeCloseTo(found.score, 6)
      expect(score).toBeGreaterThanOrEqual(target)
      expect(score).toBeLessThan(target + excess)
    })
  }

  for (const butteraugli of [2.4, 1.5, 0.75]) {
    it(`holds Butteraugli's 3-norm at ${butteraugli} where that binds, not far below it, and tells it`, async () => {
      using reference = metric.prepare(photo)
      using distances = butteraugliMetric.prepare(photo)
      const norm = (candidate: AnyRaster): number => distances.compare(candidate).norm3
      const compare = (candidate: AnyRaster): number => reference.compare(candidate)
      const found = bestJpeg(photo, { compare, butteraugli: norm }, { target: 40, butteraugli })!
      const shown = norm({ ...photo, data: await decoded(found.bytes) })
      expect(shown).toBeCloseTo(found.butteraugli!, 6)
      expect(shown).toBeLessThanOrEqual(butteraugli)
      expect(shown).toBeGreaterThan(butteraugli * 0.93)
      expect(found).toMatchObject({ reached: true })
    })
  }

  it('goes on from the coarsest tables where Butteraugli turns out to bind', () => {
    using reference = metric.prepare(photo)
    const compare = (candidate: AnyRaster): number => reference.compare(candidate)
    const encoder = openJpegEncoder(photo)
    const lowest = compare(encoder.reconstruct({ quality: -160 }))
    // Predicted to be kept a little below what even the coarsest tables score; in truth kept from 70.
    const limit = Math.exp(predictLevel(featuresOf(encoder.transformed))) * (100 - lowest + 8)
    const butteraugli = (candidate: AnyRaster): number => (limit * (100 - compare(candidate))) / 30
    const goal = { target: -500, butteraugli: limit, subsamplings: ['4:2:0'], maxTrials: 12 } as const
    const found = bestJpeg(photo, { compare, butteraugli }, goal)!
    expect(found).toMatchObject({ reached: true })
    expect(found.score).toBeLessThan(72)
  })

  it('takes finer low frequencies, not finer tables throughout, where smooth places show blocks', async () => {
    const soft = await samplesOf(fixture('kodim23-190x158.png'))
    using reference = metrics.prepare(soft)
    const contourMost = 0.8
    const scores = (candidate: AnyRaster) => reference.measure(candidate)
    const found = bestJpeg(
      soft,
      {
        compare: (candidate) => scores(candidate).ssimulacra,
        butteraugli: (candidate) => scores(candidate).butteraugli3,
        tileScore: (candidate) => {
          const excess = scores(candidate).contour / contourMost - 1
          return excess > 0 ? 70 - 15 * excess : 100
        },
      },
      { target: 70, butteraugli: 1.5, subsamplings: ['4:2:0'] },
    )!
    const shown = scores({ ...soft, data: await decoded(found.bytes) })
    expect(found).toMatchObject({ reached: true })
    expect(shown.contour).toBeLessThanOrEqual(contourMost)
    // Finer tables throughout had to reach 87.7 for it, with 5530 bytes.
    expect(shown.ssimulacra).toBeLessThan(80)
    expect(found.bytes.length).toBeLessThan(3500)
  })

  it('says which comparison was of the written file, after several', async () => {
    const norms: number[] = []
    using distances = butteraugliMetric.prepare(photo)
    using similar = metric.prepare(photo)
    const reference = {
      compare: (candidate: AnyRaster) => similar.compare(candidate),
      tileScore: () => 100,
      // A norm that no prediction expects: the first comparison corrects it.
      butteraugli: (candidate: AnyRaster) => {
        norms.push(1.4 * distances.compare(candidate).norm3)
        return norms.at(-1)!
      },
    }
    const found = bestJpeg(photo, reference, { target: 60, butteraugli: 1.6, subsamplings: ['4:2:0'] })!
    expect(norms.length).toBeGreaterThan(1)
    expect(found.comparisons).toBe(norms.length)
    expect(norms[found.comparison!]).toBe(found.butteraugli)
    const shown = { ...photo, data: await decoded(found.bytes) }
    expect(1.4 * distances.compare(shown).norm3).toBeCloseTo(found.butteraugli!, 6)
  })

  it('says that it has not reached bounds that no file keeps', () => {
    using reference = metric.prepare(photo)
    const compare = (candidate: AnyRaster): number => reference.compare(candidate)
    const found = bestJpeg(photo, { compare, butteraugli: () => 9 }, { target: 55, butteraugli: 1 })!
    expect(found).toMatchObject({ reached: false, butteraugli: 9 })
  })

  it('is smaller than mozjpeg at the same score or a worse one', async () => {
    for (const name of ['kodim05-190x158.png', 'kodim23-190x158.png']) {
      const image = await samplesOf(fixture(name))
      using reference = metric.prepare(image)
      const bytes = await peer(image, { quality: 72, mozjpeg: true })
      const target = reference.compare({ ...image, data: await decoded(bytes) })
      expect(bestJpeg(image, reference, { target })!.bytes.length).toBeLessThan(bytes.length * 0.97)
    }
  })

  it('takes chroma at full size where halved chroma cannot reach the target', () => {
    const stripes = Uint8Array.from({ length: 96 * 96 * 3 }, (_, i) => (i % 3 === Math.floor(i / 3) % 2 ? 255 : 0))
    const image: AnyRaster = { data: stripes, width: 96, height: 96, channels: 3 }
    using reference = metric.prepare(image)
    const halved = bestJpeg(image, reference, { target: 85, subsamplings: ['4:2:0'] })!
    expect(halved.reached).toBe(false)
    expect(bestJpeg(image, reference, { target: 85 })).toMatchObject({ reached: true, subsampling: '4:4:4' })
  })

  it('takes chroma at full size for a thumbnail that keeps its score with halved chroma at fine tables alone', async () => {
    const { data, info } = await sharp(fixture('kodim05-190x158.png'))
      .resize(95)
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
    const image: AnyRaster = { data: new Uint8Array(data), width: info.width, height: info.height, channels: 3 }
    using reference = metric.prepare(image)
    const halved = bestJpeg(image, reference, { target: 70, subsamplings: ['4:2:0'] })!
    expect(halved.reached).toBe(true)
    const found = bestJpeg(image, reference, { target: 70 })!
    expect(found).toMatchObject({ reached: true, subsampling: '4:4:4' })
    expect(found.bytes.length).toBeLessThan(halved.bytes.length * 0.85)
  })

  it('takes chroma at full size where a tile breaks its bound at every quality of halved chroma', () => {
    const speckled = corner(photo, 96, 96)
    for (let at = 0; at < speckled.data.length; at += 3 * 11) speckled.data.set([255, 0, 0], at)
    using reference = metric.prepare(speckled)
    const redOf = ({ data }: AnyRaster): number => data[33 * 200]! - data[33 * 200 + 1]!
    const withTiles = {
      compare: (candidate: AnyRaster) => reference.compare(candidate),
      tileScore: (candidate: AnyRaster) => (redOf(candidate) > 200 ? 100 : 30),
    }
    const wanted = { target: 40 }
    const usual = bestJpeg(speckled, withTiles, { ...wanted, subsamplings: ['4:4:4'] })!
    expect(usual.reached).toBe(true)
    const bounded = { ...wanted, maxBytes: usual.bytes.length * 1.05 }
    expect(bestJpeg(speckled, withTiles, { ...bounded, subsamplings: ['4:2:0'] })).toBeUndefined()
    expect(bestJpeg(speckled, withTiles, bounded)).toMatchObject({ reached: true, subsampling: '4:4:4' })
  })

  it('returns undefined after one trial where every file would exceed `maxBytes`', () => {
    using reference = metric.prepare(photo)
    const usual = bestJpeg(photo, reference, { target: 70 })!
    let looks = 0
    const compare = (candidate: AnyRaster): number => {
      looks++
      return reference.compare(candidate)
    }
    expect(bestJpeg(photo, { compare }, { target: 70, maxBytes: usual.bytes.length / 3 })).toBeUndefined()
    expect(looks).toBe(1)
    expect(bestJpeg(photo, reference, { target: 70, maxBytes: usual.bytes.length * 2 })!.bytes).toEqual(usual.bytes)
  })

  it('gives nothing when the work is not wanted, and the best so far when time runs out', () => {
    using reference = metric.prepare(photo)
    const aborted = { remaining: () => 1000, signal: AbortSignal.abort() }
    expect(bestJpeg(photo, reference, { target: 70, deadline: aborted })).toBeUndefined()
    let looks = 0
    const short = { remaining: () => (looks++ < 1 ? 1000 : 0) }
    expect(bestJpeg(photo, reference, { target: 50, deadline: short })).toMatchObject({ trials: 1 })
  })

  it('says when the target cannot be reached', () => {
    const image = noise(64, 64)
    using reference = metric.prepare(image)
    expect(bestJpeg(image, reference, { target: 99 })).toMatchObject({ reached: false })
  })
})

describe('the quick search of scans', () => {
  it('takes at most 1 % more bytes than the thorough one, of a small image', () => {
    const encoder = openJpegEncoder(photo)
    const setting = { quality: 88 }
    encoder.quantise({ ...setting, ...encoder.analyse(setting) })
    const bytes = encoder.finish()
    encoder.close()
    expect(bytes.length / transcodeJpeg(bytes).bytes.length).toBeLessThan(1.01)
  })
})
