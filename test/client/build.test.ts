import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, truncate } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { isFinal, isFresh } from '../../packages/client/src/build/cached-results.ts'
import { contentTypeOf, extensionOf } from '../../packages/client/src/build/formats.ts'
import { sizeOf } from '../../packages/client/src/build/image-size.ts'
import { limitConcurrency } from '../../packages/client/src/build/limit-concurrency.ts'
import { openOptimiser } from '../../packages/client/src/build/optimiser.ts'
import { type Candidate, cssSizeOf, largestOf, pictureOf, srcsetOf } from '../../packages/client/src/build/picture.ts'
import { plannedSize } from '../../packages/client/src/build/planned-size.ts'
import { type CachedResult, keyOf, NO_CACHE, openResultCache } from '../../packages/client/src/build/result-cache.ts'
import { pictureFormats, variantsOf } from '../../packages/client/src/build/variants.ts'
import { writeAtomically } from '../../packages/client/src/build/write-atomically.ts'
import { whittle } from '../../packages/client/src/client.ts'
import { FORMATS } from '../../packages/client/src/tables.ts'
import { applyVariant, cropOf, qualityOf, type Variant } from '../../packages/client/src/variant.ts'
import { FILE_EXTENSIONS } from '../../src/core/file-extension.ts'
import { CONTENT_TYPES } from '../../src/core/image.ts'
import { jxlFromJpeg } from '../../src/jxl/from-jpeg.ts'
import { parseOptions } from '../../src/options/parse.ts'
import { solveGeometry } from '../../src/plan/geometry.ts'
import { type Case, FIXTURES, start } from '../http/start.ts'

const PHOTO = new Uint8Array(readFileSync(join(FIXTURES, 'jpeg/kodim23-190x158.png')))
const listOf = (variant: Variant): string => applyVariant(whittle('http://e.com', 'a').url('x'), variant).options()
const parsed = (list: string) => {
  const read = parseOptions(list, { maxTimeout: 60 })
  if (read.kind === 'wrong') throw new Error(list)
  return read
}

describe('a variant', () => {
  it.each([
    [{}, 'full'],
    [{ width: 80, height: 60, density: 2, crop: 'auto' }, '80x60,2x,crop=auto'],
    [{ width: 80, height: 60, pad: true, background: 'F60', trim: true }, '80x60,pad,trim=border,bgcolor=F60'],
    [
      { height: 60, fit: true, quality: 'high', format: 'webp', timeout: 5 },
      'x60,fit,quality=high,format=webp,timeout=5',
    ],
    [{ width: 9, height: 9, crop: { x: 0, y: 0.5 } }, '9x9,crop=0x0.5'],
  ] as const)('the variant %j is requested as %s', (variant, list) => expect(listOf(variant)).toBe(list))

  it('reads numeric qualities as the service does', () => {
    for (let number = 1; number <= 100; number++)
      expect([number, qualityOf(number)]).toEqual([number, parsed(`full,quality=${number}`).options.quality])
    expect(qualityOf(undefined)).toBe(parsed('full').options.quality)
  })

  it.each([
    ['', 'centre'],
    ['center', 'centre'],
    ['auto', 'auto'],
    ['left', 'left'],
    ['0.5x0', { x: 0.5, y: 0 }],
    ['1x1', { x: 1, y: 1 }],
    ['1.5x1', undefined],
    ['upwards', undefined],
  ])('crop %j is %j', (text, crop) => expect(cropOf(text)).toEqual(crop))
})

describe('sizeOf', () => {
  it('agrees with sharp for every format and coding', async () => {
    const pixels = sharp(PHOTO)
    const made = {
      jpeg: await pixels.jpeg().toBuffer(),
      progressive: await pixels.jpeg({ progressive: true }).withMetadata({ density: 300 }).toBuffer(),
      png: await pixels.png().toBuffer(),
      palette: await pixels.png({ palette: true }).toBuffer(),
      gif: await pixels.gif().toBuffer(),
      webp: await pixels.webp().toBuffer(),
      lossless: await pixels.webp({ lossless: true }).toBuffer(),
      alpha: await pixels.clone().ensureAlpha(0.5).webp().toBuffer(),
      avif: await pixels.avif({ effort: 0 }).toBuffer(),
      jxl: jxlFromJpeg(await pixels.jpeg().toBuffer()).bytes,
    }
    for (const [name, bytes] of Object.entries(made))
      expect([name, sizeOf(bytes)]).toEqual([name, expect.objectContaining({ width: 190, height: 158 })])
  })

  it('agrees with sharp for every fixture, with JPEG upright', async () => {
    const names = readdirSync(FIXTURES, { recursive: true }).map(String)
    const images = names.filter((name) => /\.(jpe?g|png|gif|webp)$/.test(name))
    let seen = 0
    for (const name of images) {
      const bytes = readFileSync(join(FIXTURES, name))
      const known = await sharp(bytes)
        .metadata()
        .catch(() => undefined)
      if (known === undefined) continue
      const { width, height } = known.format === 'jpeg' ? known.autoOrient : known
      expect([name, sizeOf(bytes)]).toEqual([name, expect.objectContaining({ width, height })])
      seen += 1
    }
    expect(seen).toBeGreaterThan(30)
  })

  it.each([
    ['<svg xmlns="http://www.w3.org/2000/svg" width="24px" height="12"/>', 24, 12],
    ['<?xml version="1.0"?><!-- a --><svg viewBox="0 0 30 15.5"><path/></svg>', 30, 15.5],
  ])('reads %s', (text, width, height) => {
    expect(sizeOf(new TextEncoder().encode(text))).toEqual({ format: 'svg', width, height, animated: false })
  })

  it('detects animations', () => {
    const isAnimated = (name: string) => sizeOf(readFileSync(join(FIXTURES, name)))?.animated
    expect(isAnimated('motion/sharp__rotating-squares.gif')).toBe(true)
    expect(isAnimated('motion/pillow__delay.png')).toBe(true)
    expect(isAnimated('jpeg/kodim23-190x158.png')).toBe(false)
  })

  it('reads one directory of a JPEG with many Exif blocks', () => {
    const entries = Buffer.alloc(2 + 65_535 * 12)
    entries.writeUInt16BE(65_535, 0)
    const block = (before: number): Buffer => {
      const bytes = Buffer.from('\xff\xe1\x00\x10Exif\0\0MM\0*\0\0\0\0', 'latin1')
      bytes.writeUInt32BE(before + 8, 14)
      return bytes
    }
    const count = 20
    const blocks = Array.from({ length: count }, (_, at) => block((count - 1 - at) * 18))
    const bytes = Buffer.concat([Buffer.from([0xff, 0xd8]), ...blocks, entries])
    const reads = vi.spyOn(DataView.prototype, 'getUint16')
    sizeOf(bytes)
    expect(reads.mock.calls.length).toBeLessThan(65_535 * 2)
    reads.mockRestore()
  })
  it('returns undefined for truncated or invalid images, without an error', () => {
    for (const name of [
      'jpeg/squoosh__screenshot2.jpg',
      'colour/sharp__5_webp_a.webp',
      'colour/grey-steps.avif',
      'http/gps.jpg',
    ]) {
      const bytes = readFileSync(join(FIXTURES, name))
      for (let end = 0; end < 200; end++) expect(() => sizeOf(bytes.subarray(0, end))).not.toThrow()
    }
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => sizeOf(bytes) === undefined || bytes.length > 0),
    )
    expect(sizeOf(new Uint8Array())).toBeUndefined()
  })
})

describe('variantsOf', () => {
  const size = { format: 'png', width: 1000, height: 500, animated: false } as const
  it('returns one for each format, width and density, none wider than the source', () => {
    const lists = { widths: [1600, 400, 1200], formats: ['avif', 'auto'] } as const
    expect(variantsOf({ quality: 'high' }, lists, size).map(listOf)).toEqual([
      '400,quality=high,format=avif',
      '1000,quality=high,format=avif',
      '400,quality=high',
      '1000,quality=high',
    ])
    expect(variantsOf({ width: 60 }, { densities: [1, 2] }, size).map(listOf)).toEqual(['60,1x', '60,2x'])
    expect(variantsOf({ format: 'webp' }, {}, size).map(listOf)).toEqual(['full,format=webp'])
  })
  it('retains the shape of a box, and enlarges only on request', () => {
    const box = { width: 800, height: 600, crop: 'auto' } as const
    expect(variantsOf(box, { widths: [400, 1200] }, size).map(listOf)).toEqual([
      '400x300,crop=auto',
      '1000x750,crop=auto',
    ])
    expect(variantsOf({ fit: true }, { widths: [1200] }, size).map(listOf)).toEqual(['1200,fit'])
    expect(variantsOf({}, { widths: [1200] }, { ...size, format: 'svg' }).map(listOf)).toEqual(['1200'])
    expect(variantsOf({}, { widths: [1200] }, undefined).map(listOf)).toEqual(['1200'])
  })
  it('offers only animated formats for an animation', () => {
    expect(pictureFormats(size)).toEqual(['avif', 'webp', 'auto'])
    expect(pictureFormats({ ...size, format: 'gif', animated: true })).toEqual(['webp', 'auto'])
    expect(pictureFormats({ ...size, animated: true })).toEqual(['auto'])
  })
  it('plans the size that the service returns', () => {
    const side = fc.option(fc.integer({ min: 1, max: 600 }), { nil: undefined })
    const given = fc.record({
      width: side,
      height: side,
      density: fc.constantFrom(1, 2, 3),
      how: fc.constantFrom('', 'fit', 'pad', 'crop'),
    })
    fc.assert(
      fc.property(given, ({ width, height, density, how }) => {
        const variant = JSON.parse(
          JSON.stringify({ width, height, density, ...(how === 'crop' ? { crop: 'top' } : { [how]: true }) }),
        )
        const { options } = parsed(listOf(variant))
        const limits = { maxSide: 10_000, maxPixels: 100e6 }
        const { output } = solveGeometry({ resize: options.resize, source: { width: 190, height: 158 }, limits })
        expect(plannedSize(variant, { width: 190, height: 158 })).toEqual({
          width: output.width,
          height: output.height,
        })
      }),
    )
  })
})

describe('a picture', () => {
  const candidate = (
    url: string,
    width: number,
    variant: Variant,
    kind: 'optimised' | 'original' = 'optimised',
  ): Candidate => ({
    url,
    variant,
    result: {
      kind,
      contentType: contentTypeOf(variant.format ?? 'jpeg'),
      size: { format: 'jpeg', width, height: width / 2, animated: false },
    },
  })
  it('contains a source for each modern format, and a fallback for all browsers', () => {
    const picture = pictureOf([
      candidate('a4', 400, { width: 400, format: 'avif' }),
      candidate('a8', 800, { width: 800, format: 'avif' }),
      candidate('j4', 400, { width: 400 }),
      candidate('j8', 800, { width: 800 }),
      candidate('w4', 400, { width: 400, format: 'webp' }),
    ])!
    expect(picture.sources.map((group) => [group.type, srcsetOf(group)])).toEqual([
      ['image/avif', 'a4 400w, a8 800w'],
      ['image/webp', 'w4'],
    ])
    expect([srcsetOf(picture.fallback), largestOf(picture.fallback).url]).toEqual(['j4 400w, j8 800w', 'j8'])
    expect(pictureOf([])).toBeUndefined()
  })
  it('offers JPEG XL first, since browsers that show it show the others too', () => {
    const { sources } = pictureOf([
      candidate('a', 400, { width: 400, format: 'avif' }),
      candidate('x', 400, { width: 400, format: 'jxl' }),
      candidate('j', 400, { width: 400 }),
    ])!
    expect(sources.map(({ type }) => type)).toEqual(['image/jxl', 'image/avif'])
  })
  it('lists densities of one width, in CSS pixels', () => {
    const { fallback } = pictureOf([
      candidate('one', 60, { width: 60, density: 1 }),
      candidate('two', 120, { width: 60, density: 2 }),
    ])!
    expect(srcsetOf(fallback)).toBe('one 1x, two 2x')
    expect(cssSizeOf(largestOf(fallback))).toEqual({ width: 60, height: 30 })
  })
  it('lists no width twice', () => {
    const { fallback } = pictureOf([candidate('a', 190, { width: 400 }), candidate('b', 190, { width: 800 })])!
    expect(srcsetOf(fallback)).toBe('b')
  })
  it('shows an original only if no candidate could be optimised', () => {
    const original = candidate('o', 800, { width: 400 }, 'original')
    const webp = candidate('w', 400, { width: 400, format: 'webp' })
    expect(pictureOf([original, webp])).toMatchObject({ sources: [], fallback: { candidates: [webp] } })
    expect(pictureOf([original, original])!.fallback.candidates).toEqual([original])
  })
})

it('formats have the types and extensions of the service', () => {
  for (const format of [...FORMATS, 'svg'] as const) {
    expect(contentTypeOf(format)).toBe(CONTENT_TYPES[format])
    expect(extensionOf(contentTypeOf(format))).toBe(FILE_EXTENSIONS[format])
  }
  expect(extensionOf('text/html')).toBe('bin')
})

it('limitConcurrency limits concurrent work and keeps its order, even after failures', async () => {
  const limited = limitConcurrency(2)
  let [running, highest] = [0, 0]
  const order: number[] = []
  const work = (number: number) => async (): Promise<void> => {
    running += 1
    highest = Math.max(highest, running)
    order.push(number)
    await new Promise((done) => setTimeout(done, 5))
    running -= 1
    if (number === 1) throw new Error('one')
  }
  const settled = await Promise.allSettled([0, 1, 2, 3, 4].map((number) => limited(work(number))))
  expect([highest, order]).toEqual([2, [0, 1, 2, 3, 4]])
  expect(settled.map(({ status }) => status === 'rejected')).toEqual([false, true, false, false, false])
})

describe('the cache', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'whittle-cache-'))
  })
  afterAll(() => rm(folder, { recursive: true }))
  const kept: CachedResult = {
    bytes: new Uint8Array(PHOTO),
    contentType: 'image/png',
    warnings: ['a'],
    score: 71.5,
    savedAt: 5,
  }

  it('returns a stored result by content and options', async () => {
    const cache = openResultCache(join(folder, 'a'))
    const key = keyOf(PHOTO, 'full')
    expect(await cache.get(key)).toBeUndefined()
    await cache.put(key, kept)
    const back = await cache.get(key)
    expect({ ...back, bytes: Buffer.from(back!.bytes).equals(PHOTO) }).toEqual({ ...kept, bytes: true })
    const others = [keyOf(PHOTO, '80'), keyOf(PHOTO.subarray(1), 'full'), keyOf('http://e.com/a', 'full')]
    expect(new Set([key, ...others]).size).toBe(4)
    for (const other of others) expect(await cache.get(other)).toBeUndefined()
  })
  it('ignores incomplete entries', async () => {
    const cache = openResultCache(join(folder, 'b'))
    const key = keyOf(PHOTO, 'full')
    await cache.put(key, kept)
    const file = join(folder, 'b', key.slice(0, 2), key.slice(2))
    await truncate(file, (await readFile(file)).length - 1)
    expect(await cache.get(key)).toBeUndefined()
    await truncate(file, 3)
    expect(await cache.get(key)).toBeUndefined()
  })
  it('leaves no draft of a file that cannot be written', async () => {
    const at = join(folder, 'full', 'image')
    const failing = Readable.from(
      (async function* () {
        yield Buffer.alloc(9)
        throw new Error('no space')
      })(),
    )
    await expect(writeAtomically(at, failing as never)).rejects.toThrow('no space')
    expect(readdirSync(join(folder, 'full'))).toEqual([])
  })
  it('writes a file whose name is as long as a disk allows', async () => {
    await writeAtomically(join(folder, 'long', 'n'.repeat(255)), new Uint8Array(9))
    expect(readdirSync(join(folder, 'long'))).toEqual(['n'.repeat(255)])
  })
  it('does not fail if it cannot be written', async () => {
    const cache = openResultCache('/dev/null/nowhere')
    await cache.put('0123', kept)
    expect(await cache.get('0123')).toBeUndefined()
  })
})

describe('optimising for a build', () => {
  let service: Case
  let folder: string
  beforeAll(async () => {
    service = await start()
    folder = await mkdtemp(join(tmpdir(), 'whittle-build-'))
  })
  afterAll(async () => {
    await service[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })
  const source = { bytes: PHOTO, name: 'a.png' }

  it('requests a placeholder once and stores it with the results', async () => {
    const cache = openResultCache(join(folder, 'placeholder'))
    const opening = { base: service.url, account: 'anna', cache, warn: () => undefined }
    const photo = { bytes: PHOTO, name: 'photo' }
    const first = await openOptimiser(opening).placeholder(photo)
    expect(first).toMatchObject({ width: 190, height: 158, blurDataURL: expect.stringContaining('data:image/webp') })
    const unreachable = { ...opening, base: 'http://127.0.0.1:9', retries: 0 }
    expect(await openOptimiser(unreachable).placeholder(photo)).toEqual(first)
    const none = { ...unreachable, cache: NO_CACHE }
    await expect(openOptimiser(none).placeholder(photo)).rejects.toThrow('cannot be reached')
    expect(await openOptimiser({ ...none, onError: 'original' }).placeholder(photo)).toBeUndefined()
  })

  it('requests the same image with the same options once, and never again with a cache', async () => {
    const open = () =>
      openOptimiser({
        base: service.url,
        account: 'anna',
        cache: openResultCache(join(folder, 'once')),
        warn: () => {},
      })
    const optimiser = open()
    const [one, same, other] = await Promise.all(
      [{ width: 20 }, { width: 20, timeout: 20 }, { width: 30 }].map((variant) => optimiser.optimise(source, variant)),
    )
    expect([one!.kind, one!.size?.width, other!.size?.width, same!.bytes === one!.bytes]).toEqual([
      'optimised',
      20,
      30,
      true,
    ])
    expect(optimiser.totals()).toEqual({ requested: 2, cached: 0, bytes: one!.bytes.length + other!.bytes.length })
    const later = open()
    const again = await later.optimise({ ...source, name: 'renamed.png' }, { width: 20 })
    expect(Buffer.from(again.bytes).equals(one!.bytes)).toBe(true)
    expect(later.totals()).toMatchObject({ requested: 0, cached: 1 })
  })

  it('stores no result that a timeout cut short, and repeats the warnings of the service', async () => {
    const large = await sharp({
      create: {
        width: 600,
        height: 450,
        channels: 3,
        background: '#888',
        noise: { type: 'gaussian', mean: 128, sigma: 60 },
      },
    })
      .png()
      .toBuffer()
    const warnings: string[] = []
    const optimiser = openOptimiser({
      base: service.url,
      account: 'anna',
      cache: openResultCache(join(folder, 'short')),
      warn: (text) => void warnings.push(text),
    })
    const noise = { bytes: new Uint8Array(large), name: 'noise.png' }
    for (const _ of [1, 2]) await optimiser.optimise(noise, { format: 'avif', timeout: 0.05 })
    expect(optimiser.totals()).toMatchObject({ requested: 2, cached: 0 })
    expect(warnings[0]).toMatch(/^noise\.png: .*timeout/i)
  })

  it('distinguishes refused images from an unreachable service, and sends it only one request', async () => {
    const warnings: string[] = []
    const open = (base: string, account = 'anna') =>
      openOptimiser({
        base,
        account,
        retries: 0,
        cache: NO_CACHE,
        onError: 'original',
        warn: (text) => void warnings.push(text),
      })
    const text = { bytes: new TextEncoder().encode('text'), name: 'a.txt' }
    expect(await open(service.url).optimise(text, {})).toMatchObject({
      kind: 'original',
      bytes: text.bytes,
      size: undefined,
    })
    expect(warnings.splice(0)).toEqual([
      expect.stringMatching(/^a\.txt was not optimised: .*plain text.* answered 415\)$/),
    ])
    await expect(open(service.url, 'nobody').optimise(source, {})).rejects.toMatchObject({ kind: 'settings' })
    await expect(open(service.url).optimise(source, { quality: 'best' as 'high' })).rejects.toThrow(
      'expected quality=low',
    )

    const server = createServer().listen(0, '127.0.0.1')
    await new Promise((done) => server.once('listening', done))
    const { port } = server.address() as AddressInfo
    await new Promise((done) => server.close(done))
    const unreachable = open(`http://127.0.0.1:${port}`)
    await unreachable.optimise(source, { width: 40 })
    await unreachable.optimise(source, { width: 50 })
    expect(unreachable.totals().requested).toBe(1)
    expect(warnings).toEqual([
      expect.stringContaining('cannot be reached (ECONNREFUSED)'),
      expect.stringContaining('ECONNREFUSED'),
    ])
  })

  it('uses an older result of an address while the service is unreachable', async () => {
    const cache = openResultCache(join(folder, 'old'))
    const url = service.file('jpeg/kodim23-190x158.png')
    await cache.put(keyOf(url, '40'), { bytes: PHOTO, contentType: 'image/png', warnings: [], savedAt: 0 })
    const warnings: string[] = []
    const optimiser = openOptimiser({
      base: 'http://127.0.0.1:9',
      account: 'anna',
      retries: 0,
      cache,
      warn: (text) => void warnings.push(text),
    })
    const result = await optimiser.optimise({ url, name: 'a.png' }, { width: 40 })
    expect([result.kind, Buffer.from(result.bytes).equals(PHOTO)]).toEqual(['optimised', true])
    expect(warnings).toEqual([expect.stringContaining('An older result is used.')])
  })

  it.each([
    [undefined, 86_399_000, true],
    [undefined, 86_401_000, false],
    ['public, max-age=172800', 172_799_000, true],
    ['public, max-age=60', 86_401_000, false],
  ])('a result with Cache-Control %s, %i ms old, is fresh: %s', (cacheControl, age, fresh) => {
    const kept = {
      bytes: PHOTO,
      contentType: '',
      warnings: [],
      savedAt: 1000,
      ...(cacheControl === undefined ? {} : { cacheControl }),
    }
    expect(isFresh(kept, 1000 + age)).toBe(fresh)
  })

  it('recognises a result that a timeout cut short', () => {
    expect(isFinal(['quality=80 was read as quality=medium: a quality is a word, not a number.'])).toBe(true)
    expect(isFinal(['timeout=3 left no time to search further: this is the best result so far.'])).toBe(false)
  })
})
