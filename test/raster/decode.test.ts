import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Orientation, Raster } from '../../src/core/image.ts'
import { decode } from '../../src/raster/decode.ts'
import { identify } from '../../src/source/identify.ts'
import { colourOf, distance, draw, factsOf, farthest, saveBytes, storedAs, writePng } from './drawings.ts'

const fixture = (name: string): string => new URL(`../fixtures/pixels/${name}`, import.meta.url).pathname
const limits = { maxPixels: 1e8 }
const read = async (path: string) => decode({ path, facts: await factsOf(path), limits })

let directory = ''
const file = (name: string): string => join(directory, name)
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pixels-'))
})
afterAll(() => rm(directory, { recursive: true }))

describe('orientation is baked in', () => {
  const upright = draw({ width: 7, height: 4 }, (x, y) => [x * 30, y * 60, 90])

  it.each([1, 2, 3, 4, 5, 6, 7, 8] as const)('applies orientation %i exactly', async (orientation: Orientation) => {
    const path = file(`turned-${orientation}.png`)
    await writePng(path, storedAs(upright, orientation), orientation)
    expect(farthest((await read(path)).pixels, upright)).toBe(0)
  })

  it.each([2, 3, 4, 5, 6, 7, 8])('applies orientation %i of a photograph', async (orientation) => {
    const { pixels } = await read(fixture(`pillow__hopper_orientation_${orientation}.jpg`))
    const reference = (await read(fixture('pillow__hopper_orientation_2.jpg'))).pixels
    // All eight files show the same face upright, with different JPEG noise.
    expect(distance(pixels, reference)).toBeLessThan(8)
  })
})

describe('colours become sRGB', () => {
  const meanOf = async ({ data, width, height, channels }: Raster) => {
    const { channels: means } = await sharp(data, { raw: { width, height, channels } }).stats()
    return means.map(({ mean }) => mean)
  }
  const near = (found: readonly number[], expected: readonly number[]): boolean =>
    found.length === expected.length && found.every((level, at) => Math.abs(level - expected[at]!) < 2)

  it('applies a profile that swaps the axes of colour', async () => {
    // An upright red bench on grey-green ground. Without its profile it is purple.
    const { pixels } = await read(fixture('testdata__sideways_bench.jpg'))
    expect([pixels.width, pixels.height]).toEqual([243, 201])
    expect(near(await meanOf(pixels), [133, 112.5, 104])).toBe(true)
  })

  it('keeps samples when the profile is sRGB', async () => {
    const path = file('known.png')
    const { data, ...raw } = draw({ width: 40, height: 30 }, (x, y) => [x * 6, 255 - y * 8, (x * y) % 256])
    await sharp(data, { raw }).withIccProfile('p3').png().toFile(path)
    const facts = { ...(await factsOf(path)), profile: 'srgb' as const }
    const stored = await sharp(path, { ignoreIcc: true }).raw().toBuffer()
    const { pixels } = await decode({ path, facts, limits })
    expect(farthest(pixels, { ...pixels, data: stored })).toBe(0)
  })

  it('scaling down first gives the same colours for any profile', async () => {
    const path = file('wide.jpg')
    const wide = draw({ width: 240, height: 160 }, (x, y) => [x, 255 - y, (x + y) / 2])
    const { data, ...raw } = wide
    await sharp(data, { raw }).withIccProfile('p3').jpeg({ quality: 95 }).toFile(path)
    const wanted = { width: 60, height: 40 }
    const { pixels } = await decode({ path, facts: await factsOf(path), limits, wanted })
    const converted = await sharp(path).toColourspace('srgb').raw().toBuffer()
    const small = await sharp(converted, { raw })
      .resize({ ...wanted, fit: 'fill' })
      .raw()
      .toBuffer()
    expect([pixels.width, pixels.height]).toEqual([60, 40])
    expect(distance(pixels, { ...pixels, data: small })).toBeLessThan(1)
    // Its stored samples are other colours.
    const own = await sharp(path, { ignoreIcc: true })
      .resize({ ...wanted, fit: 'fill' })
      .raw()
      .toBuffer()
    expect(distance(pixels, { ...pixels, data: own })).toBeGreaterThan(3)
  })

  it('converts CMYK without a profile', async () => {
    const path = fixture('thumbor__cmyk.jpg')
    const facts = { ...(await factsOf(path)), jpeg: { quality: 92, components: 4 } }
    const { pixels } = await decode({ path, facts, limits })
    expect(pixels.channels).toBe(3)
    // Chromium shows pure blue on top, which becomes white.
    expect(colourOf(pixels, 50, 0)).toEqual([1, 0, 255])
    expect(near(await meanOf(pixels), [128, 127.5, 255])).toBe(true)
  })

  it('converts grey with its own profile to RGB', async () => {
    const { pixels } = await read(fixture('thumbor__grayscale-icc.jpg'))
    expect(colourOf(pixels, 25, 25)).toEqual([200, 200, 200])
  })

  it.each([8, 16] as const)('applies a wide-gamut profile in %i bits', async (depth) => {
    const path = file(`p3-${depth}.png`)
    const red = sharp({ create: { width: 4, height: 4, channels: 3, background: { r: 200, g: 100, b: 50 } } })
    await red
      .toColourspace(depth === 16 ? 'rgb16' : 'srgb')
      .withIccProfile('p3')
      .png()
      .toFile(path)
    const { pixels } = await read(path)
    // The file shows sRGB 200, 100, 50 through the P3 profile.
    for (const [at, level] of [200, 100, 50].entries())
      expect(Math.abs(pixels.data[at]! - level)).toBeLessThanOrEqual(2)
  })

  it.each([
    { what: '8-bit colours', space: 'srgb', depth: 'uchar' },
    { what: '16-bit colours', space: 'rgb16', depth: 'ushort' },
    { what: '8-bit grey', space: 'b-w', depth: 'uchar' },
  ] as const)('ignores a truncated profile of $what, as browsers do', async ({ space, depth }) => {
    const path = file(`truncated-${space}.tiff`)
    const icc = space === 'b-w' ? await greyProfile() : 'p3'
    const { data, ...raw } = draw({ width: 40, height: 30 }, (x, y) => [x * 6, 255 - y * 8, 100])
    const image = sharp(data, { raw }).toColourspace(space).withIccProfile(icc, { attach: true })
    const whole = await image.tiff({ compression: 'none' }).toBuffer()
    // The profile claims more bytes than it has. sharp would apply it.
    const start = whole.indexOf('acsp') - 36
    whole.writeUInt32BE(whole.readUInt32BE(start) + 64, start)
    await saveBytes(path, whole)
    const facts = await identify(path)
    expect((await sharp(path).metadata()).icc).toBeDefined()
    expect([facts.profile, (await sharp(path).metadata()).depth]).toEqual(['none', depth])
    const bare = await sharp(path, { ignoreIcc: true }).toColourspace('srgb').raw({ depth: 'uchar' }).toBuffer()
    for (const gamut of ['srgb', 'p3'] as const) {
      const { pixels } = await decode({ path, facts, limits, gamut })
      const { pixels: expected } = await decode({ path: await bareFile(bare), facts, limits, gamut })
      expect(farthest(pixels, expected)).toBe(0)
    }
  })

  /** The pixels of the test above in a file without a profile. */
  const bareFile = async (data: Uint8Array): Promise<string> => {
    const path = file('bare.png')
    await sharp(data, { raw: { width: 40, height: 30, channels: 3 } })
      .png()
      .toFile(path)
    return path
  }

  it('applies the profile of 16-bit grey, which sharp skips', async () => {
    const path = file('grey16.png')
    await saveBytes(path, await grey16WithProfile())
    const { pixels } = await read(path)
    const eight = file('grey8.png')
    await sharp(await grey16WithProfile())
      .keepIccProfile()
      .toColourspace('b-w')
      .png()
      .toFile(eight)
    expect(farthest(pixels, (await read(eight)).pixels)).toBeLessThanOrEqual(1)
    expect((await sharp(path).metadata()).depth).toBe('ushort')
  })

  const greyProfile = async (): Promise<string> => {
    const path = file('grey.icc')
    await saveBytes(path, (await sharp(fixture('thumbor__grayscale-icc.jpg')).metadata()).icc!)
    return path
  }

  const grey16WithProfile = async (): Promise<Buffer> => {
    const icc = await greyProfile()
    const ramp = Uint8Array.from({ length: 64 }, (_, at) => at * 4)
    const grey = sharp(ramp, { raw: { width: 8, height: 8, channels: 1 } })
    return grey.toColourspace('grey16').withIccProfile(icc, { attach: true }).png().toBuffer()
  }
})

describe('every PNG kind becomes 8-bit RGB or RGBA', () => {
  it.each([
    ['pngsuite__basn6a16.png', 4],
    ['pngsuite__tbbn0g04.png', 4],
    ['pngsuite__basn3p02.png', 3],
  ])('%s has %i channels', async (name, channels) => {
    const { pixels, warnings } = await read(fixture(name))
    expect([pixels.width, pixels.height, pixels.channels]).toEqual([32, 32, channels])
    expect(pixels.data.length).toBe(32 * 32 * channels)
    expect(warnings).toEqual([])
  })
})

describe('a damaged source', () => {
  const WARNED = ['The source is truncated or damaged; what could be decoded of it is used.']

  it.each([
    'thumbor__BlueSquare_truncated.jpg',
    'pillow__truncated_jpeg.jpg',
  ])('%s is used, with a Warning', async (name) => {
    const path = fixture(name)
    const { pixels, warnings } = await read(path)
    const facts = await factsOf(path)
    expect([pixels.width, pixels.height]).toEqual([facts.width, facts.height])
    expect(warnings).toEqual(WARNED)
  })

  it('a PNG without its second half is used, with a Warning', async () => {
    const path = file('half.png')
    const noise = draw({ width: 64, height: 64 }, (x, y) => [(x * 37 + y * 91) & 255, (x * y) & 255, (x * 13) & 255])
    await writePng(file('whole.png'), noise)
    const bytes = await readFile(file('whole.png'))
    await saveBytes(path, bytes.subarray(0, bytes.length / 2))
    const { pixels, warnings } = await read(path)
    expect(warnings).toEqual(WARNED)
    expect(colourOf(pixels, 5, 0)).toEqual(colourOf(noise, 5, 0))
  })

  it('a PNG without any pixel fails', async () => {
    const bytes = await readFile(file('whole.png'))
    await saveBytes(file('head.png'), bytes.subarray(0, 60 + bytes.indexOf('IDAT') - 60 + 6))
    await expect(read(file('head.png'))).rejects.toMatchObject({ code: 'SOURCE_DAMAGED' })
  })

  it('bytes that no decoder accepts fail', async () => {
    await saveBytes(file('nothing.jpg'), Buffer.from('ffd8ffe000104a464946', 'hex'))
    const facts = { ...(await factsOf(fixture('thumbor__cmyk.jpg'))) }
    await expect(decode({ path: file('nothing.jpg'), facts, limits })).rejects.toMatchObject({ code: 'SOURCE_DAMAGED' })
  })

  it('more pixels than the limit are never decoded', async () => {
    const path = fixture('thumbor__cmyk.jpg')
    const facts = await factsOf(path)
    await expect(decode({ path, facts, limits: { maxPixels: 9999 } })).rejects.toMatchObject({ code: 'SOURCE_DAMAGED' })
    expect((await decode({ path, facts, limits: { maxPixels: 10000 } })).pixels.width).toBe(100)
  })
})

describe('a wanted size is decoded straight to', () => {
  it.each([1, 6] as const)('decodes to the wanted size under orientation %i', async (orientation) => {
    const upright = draw({ width: 80, height: 40 }, (x) => (x < 40 ? [255, 0, 0] : [0, 0, 255]))
    const path = file(`wanted-${orientation}.png`)
    await writePng(path, storedAs(upright, orientation), orientation)
    const { pixels } = await decode({
      path,
      facts: await factsOf(path),
      limits,
      wanted: { width: 20, height: 10 },
    })
    expect([pixels.width, pixels.height]).toEqual([20, 10])
    expect(colourOf(pixels, 2, 5)).toEqual([255, 0, 0])
    expect(colourOf(pixels, 17, 5)).toEqual([0, 0, 255])
  })

  it('shows a halftone as a JPEG as a whole decode shows it', async () => {
    const path = file('halftone.jpg')
    const side = 408
    const { data, ...raw } = draw({ width: side, height: side }, (x, y) =>
      Math.hypot((x % 6) - 2.5, (y % 6) - 2.5) < 2 ? [0, 0, 0] : [255, 255, 255],
    )
    await sharp(data, { raw }).jpeg({ quality: 92 }).toFile(path)
    // Reduced by 4 in the decoder, the dots would alias: 1.275 px would be left for each of the result.
    const wanted = { width: 80, height: 80 }
    const { pixels } = await decode({ path, facts: await factsOf(path), limits, wanted })
    const whole = sharp(await sharp(path).raw().toBuffer(), { raw })
    const reference = await whole
      .resize({ ...wanted, fit: 'fill' })
      .raw()
      .toBuffer()
    expect(distance(pixels, { ...pixels, data: reference })).toBeLessThan(1)
  })

  it('decoding never enlarges', async () => {
    const path = fixture('thumbor__cmyk.jpg')
    const { pixels } = await decode({
      path,
      facts: await factsOf(path),
      limits,
      wanted: { width: 200, height: 200 },
    })
    expect(pixels.width).toBe(100)
  })
})
