import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { openSsimulacra2 } from '../../src/metric/ssimulacra2/ssimulacra2.ts'
import { toPixels } from '../../src/raster/raw.ts'
import { run } from './run.ts'
import * as samples from './samples.ts'

const { screenshotWithPhoto, pageWithPhoto, textOverPhoto, lineArt, pixelArt, softLogo, photo, jpegOf } = samples

/** Maximum difference between the pruned metric of the search and the exact one. */
const PRUNING = 0.01

describe('what comes back', () => {
  it.each([
    ['a screenshot with a photograph in it', screenshotWithPhoto, /png|jpeg/],
    ['text over a photograph', textOverPhoto, /jpeg/],
    ['line art', lineArt, /png/],
    ['pixel art', pixelArt, /png/],
    ['a logo with soft alpha', softLogo, /png/],
    ['a photograph', photo, /jpeg/],
  ] as const)('reaches its target and is smaller: %s', async (_, sample, formats) => {
    const source = await sample()
    const { result, bytes, format, score, goal } = await run(source)
    expect(format).toMatch(formats)
    expect(format).toBe(result.format)
    expect(score).toBeGreaterThanOrEqual(goal - PRUNING)
    expect(result.score).toBeCloseTo(score, 1)
    expect(bytes.length).toBe(result.bytes)
    expect(bytes.length).toBeLessThan(source.length)
  })

  it.each([
    'jpeg',
    'webp',
    'avif',
    'png',
  ] as const)('reaches every preset in %s, and higher presets take more bytes', async (format) => {
    const source = await photo()
    const results = []
    for (const quality of ['low', 'medium', 'high'])
      results.push(await run(source, { options: `quality=${quality},full,format=${format}` }))
    for (const { score, goal } of results) expect(score).toBeGreaterThanOrEqual(goal - PRUNING)
    const [low, medium, high] = results
    expect(low!.score).toBeLessThan(medium!.score)
    expect(medium!.score).toBeLessThan(high!.score)
    expect(low!.bytes.length).toBeLessThan(medium!.bytes.length)
    expect(medium!.bytes.length).toBeLessThan(high!.bytes.length)
  })

  it('keeps soft alpha in every format that has it', async () => {
    const source = await softLogo()
    for (const format of ['png', 'webp', 'avif']) {
      const { score, goal } = await run(source, { options: `full,format=${format}` })
      expect(score).toBeGreaterThanOrEqual(goal - PRUNING)
    }
  })

  // Under the disc, the far edge of the shadow is faint.
  it.each([
    ['cut at half opacity', 'full,format=gif', 0],
    ['laid on the colour that was asked for', 'full,format=gif,bgcolor=003', 255],
  ] as const)('soft alpha is %s in a GIF, with a Warning', async (_, options, shadow) => {
    const { result, bytes } = await run(await softLogo(), { options })
    expect(result.meetsTarget).toBe(true)
    expect(result.warnings.filter((warning) => warning.includes('partial transparency'))).toHaveLength(1)
    const data = await sharp(bytes).ensureAlpha().raw().toBuffer()
    const alphas = data.filter((_, at) => at % 4 === 3)
    expect(new Set(alphas)).toEqual(new Set([0, 255]))
    expect(alphas[192 * 200 + 106]).toBe(shadow)
  })

  it('no region scores far below the whole, however small it is', async () => {
    const { bytes, pixels, format, goal } = await run(await pageWithPhoto(), { options: 'full,format=png' })
    using reference = (await openSsimulacra2()).prepare(pixels)
    expect(format).toBe('png')
    expect(reference.scores(await toPixels(bytes)).worst).toBeGreaterThanOrEqual(goal - 10 - PRUNING)
  })

  it('a denser screen gets fewer bytes at its lower target', async () => {
    const source = await screenshotWithPhoto()
    // The same pixels each time: 300 at 1x, 150 at 2x, 100 at 3x.
    const results = []
    for (const options of ['300', '150,2x', '100,3x']) results.push(await run(source, { options }))
    expect(results.map(({ goal }) => goal)).toEqual([70.25, 62.25, 58.25])
    for (const { score, goal, result } of results) {
      expect(result.width).toBe(300)
      expect(score).toBeGreaterThanOrEqual(goal - PRUNING)
    }
    const sizes = results.map(({ bytes }) => bytes.length)
    expect(sizes[1]).toBeLessThan(sizes[0]!)
    expect(sizes[2]).toBeLessThan(sizes[1]!)
  })

  it('accepting more formats never makes the result larger', async () => {
    const source = await photo()
    const plain = await run(source)
    const rich = await run(source, { webp: true, avif: true })
    expect(rich.bytes.length).toBeLessThanOrEqual(plain.bytes.length)
    expect(rich.score).toBeGreaterThanOrEqual(rich.goal - PRUNING)
  })
})

describe('a JPEG source', () => {
  it.each([
    [30, 'low'],
    [30, 'high'],
    [50, 'low'],
    [50, 'medium'],
    [70, 'medium'],
    [70, 'high'],
  ])('a JPEG of quality %d never grows and shows no new loss at %s', async (quality, preset) => {
    const source = await jpegOf(quality)
    const { bytes, score, result } = await run(source, { options: `quality=${preset},full` })
    expect(bytes.length).toBeLessThanOrEqual(source.length)
    // Recompressed, it decodes to the same pixels. Encoded again, it scores 80 against the source, or the preset.
    if (result.untouched === true) expect(score).toBe(100)
    else expect(score).toBeGreaterThanOrEqual(preset === 'high' ? 85 : 80)
  })

  it('a JPEG of quality 99 shrinks to less than half', async () => {
    const source = await jpegOf(99)
    const { bytes, score, goal } = await run(source)
    expect(bytes.length).toBeLessThan(source.length / 2)
    expect(score).toBeGreaterThanOrEqual(goal - PRUNING)
  })

  it('quality=lossless keeps the coefficients of a JPEG', async () => {
    const source = await jpegOf(85)
    const { bytes, score, result } = await run(source, { options: 'quality=lossless,full' })
    expect(result.untouched).toBe(true)
    expect(score).toBe(100)
    expect(bytes.length).toBeLessThan(source.length)
  })
})
