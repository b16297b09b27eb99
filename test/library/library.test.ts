import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ImageOptions, listOf } from '../../src/library/list.ts'
import { compare, Failure, openOptimiser, optimise, SizesDiffer } from '../../src/library/whittle.ts'

const FIXTURES = resolve(import.meta.dirname, '../fixtures')
const PHOTO = join(FIXTURES, 'jpeg/kodim23-190x158.png')

describe('options as an object', () => {
  it.each<[ImageOptions, string]>([
    [{}, 'full'],
    [{ width: 800, height: 600, density: 2, focus: 'auto' }, '800x600,2x,crop=auto'],
    [{ height: 600, method: 'fit', quality: 'high', format: 'webp' }, 'x600,fit,quality=high,format=webp'],
    [{ width: 9, height: 9, focus: { x: 0.5, y: 0.3 }, trim: true }, '9x9,crop=0.5x0.3,trim=border'],
    [{ width: 9, height: 9, method: 'pad', background: 'F60', timeout: 5 }, '9x9,pad,bgcolor=F60,timeout=5'],
    [{ width: 9, height: 9, method: 'crop' }, '9x9,crop'],
  ])('%j is %s', (options, list) => expect(listOf(options)).toBe(list))
})

describe('optimise', () => {
  it('optimises a file by its path, and returns its measurements', async () => {
    const image = await optimise(PHOTO)
    expect(image).toMatchObject({
      format: 'jpeg',
      contentType: 'image/jpeg',
      width: 190,
      height: 158,
      untouched: false,
      cutShort: false,
      warnings: [],
    })
    expect(image.score).toBeGreaterThan(69)
    expect(image.bytes.length).toBeLessThan(image.sourceBytes / 2)
  })
  it("accepts bytes, and options as an object or a list, with the service's Warnings", async () => {
    const bytes = readFileSync(PHOTO)
    const [one, other] = await Promise.all([optimise(bytes, { width: 80 }), optimise(bytes, '80px')])
    expect([one.width, other.width]).toEqual([80, 80])
    expect(Buffer.from(one.bytes).equals(other.bytes)).toBe(true)
    expect(other.warnings[0]).toContain('80px was read as 80')
  })
  it('rejects with a code and a sentence', async () => {
    const wrong = await optimise(PHOTO, 'corp').catch((error: unknown) => error)
    expect(wrong).toBeInstanceOf(Failure)
    expect(wrong).toMatchObject({ code: 'OPTIONS_WRONG', message: '"corp" is not an option. Did you mean "crop"?' })
    await expect(optimise(new TextEncoder().encode('text'))).rejects.toMatchObject({ code: 'NOT_AN_IMAGE' })
  })
  it('stops when its signal aborts', async () => {
    const stopping = new AbortController()
    const running = optimise(join(FIXTURES, 'http/large.png'), { format: 'avif' }, { signal: stopping.signal })
    const reason = new Error('enough')
    setTimeout(() => stopping.abort(reason), 100)
    await expect(running).rejects.toBe(reason)
    await expect(optimise(PHOTO, {}, { signal: stopping.signal })).rejects.toBe(reason)
  })
  it('an own optimiser works on several images at once', async () => {
    await using optimiser = openOptimiser({ workers: 2 })
    const images = await Promise.all(['80', '90', '100'].map((list) => optimiser.optimiseFile(PHOTO, list)))
    expect(images.map(({ width }) => width)).toEqual([80, 90, 100])
  })
})

describe('compare', () => {
  it('compare returns the score of optimise', async () => {
    const image = await optimise(PHOTO)
    const comparison = await compare(PHOTO, image.bytes)
    expect(comparison.score).toBeCloseTo(image.score!, 1)
    expect(comparison.butteraugli).toBeGreaterThan(0.5)
    expect(comparison.tiles).toHaveLength(1)
  })
  it('refuses images of different sizes, and files that are no image', async () => {
    await expect(compare(PHOTO, join(FIXTURES, 'http/wide.png'))).rejects.toBeInstanceOf(SizesDiffer)
    await expect(compare(PHOTO, new TextEncoder().encode('text'))).rejects.toMatchObject({ code: 'NOT_AN_IMAGE' })
  })
  it('a file that is missing is no difference of sizes', async () => {
    const error = await compare('/nowhere.png', PHOTO).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ message: expect.stringContaining('/nowhere.png') })
    expect(error).not.toBeInstanceOf(SizesDiffer)
  })
  it('refuses images of different sizes before it decodes them', async () => {
    const claim = readFileSync(PHOTO).subarray(0, 100)
    claim.writeUInt32BE(9000, 16)
    await expect(compare(PHOTO, claim)).rejects.toThrow('are 190x158 and 9000x158 px')
  })
  it('ends a comparison that takes too much memory or time', async () => {
    await expect(compare(PHOTO, PHOTO, { memoryLimit: 1e6 })).rejects.toMatchObject({ code: 'IMAGE_TOO_COMPLEX' })
    await expect(compare(PHOTO, PHOTO, { timeoutMs: 1 })).rejects.toMatchObject({
      code: 'WORK_TOO_SLOW',
      message: 'The comparison did not end within its limit of 1 ms. Compare smaller images.',
    })
  })
  it.each([Number.POSITIVE_INFINITY, 2 ** 31])('has no time limit with timeoutMs=%s', async (timeoutMs) => {
    expect((await compare(PHOTO, PHOTO, { timeoutMs })).score).toBe(100)
  })
})
