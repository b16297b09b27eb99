import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asDisplayP3 } from '../../src/containers/display-p3.ts'
import { writePng, writePngChunk } from '../../src/containers/png.ts'
import { CONTENT_TYPES, type Raster } from '../../src/core/image.ts'
import { ciede2000 } from '../../src/metric/artefacts/ciede2000.ts'
import { type Lab, labOf } from '../../src/metric/artefacts/lab.ts'
import { decode } from '../../src/raster/decode.ts'
import { flatten } from '../../src/raster/flatten.ts'
import { identify } from '../../src/source/identify.ts'
import { linearLight } from '../metric/linear-light.ts'
import { openChromium } from './chromium.ts'

const FIXTURES = new URL('../fixtures/', import.meta.url).pathname
const WHITE = { r: 255, g: 255, b: 255 }

/** CIELAB of 8-bit sRGB. */
const colourAt = (data: Uint8Array, at: number): Lab => {
  const [r = 0, g = 0, b = 0] = data.subarray(at, at + 3)
  return labOf(linearLight(r), linearLight(g), linearLight(b))
}

const meanDifference = (one: Uint8Array, other: Uint8Array): number => {
  if (one.length !== other.length) return Number.POSITIVE_INFINITY
  let sum = 0
  for (let at = 0; at < one.length; at += 3) {
    const same = one[at] === other[at] && one[at + 1] === other[at + 1] && one[at + 2] === other[at + 2]
    if (!same) sum += ciede2000(colourAt(one, at), colourAt(other, at))
  }
  return sum / (one.length / 3)
}

let browser: Browser
let page: Page
let directory = ''
beforeAll(async () => {
  browser = await openChromium()
  page = await browser.newPage({ viewport: { width: 2100, height: 1100 } })
  directory = await mkdtemp(join(tmpdir(), 'colour-'))
})
afterAll(async () => {
  await browser?.close()
  await rm(directory, { recursive: true, force: true })
})

/** The RGB pixels that Chromium shows for a file on white. */
const shownBy = async (bytes: Uint8Array, type: string, { width, height }: Raster): Promise<Uint8Array> => {
  const address = `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
  await page.setContent(`<body style="margin:0;background:#fff"><img style="display:block" src="${address}">`)
  const shown = await page.evaluate(async () => {
    const [image] = document.images
    await image!.decode()
    return [image!.naturalWidth, image!.naturalHeight]
  })
  expect(shown).toEqual([width, height])
  const screenshot = await page.screenshot({ fullPage: true, clip: { x: 0, y: 0, width, height } })
  return sharp(screenshot).removeAlpha().raw().toBuffer()
}

/** The mean colour difference (CIEDE2000) between our decoding of a file and Chromium's. */
const difference = async (bytes: Uint8Array): Promise<number> => {
  const path = join(directory, 'source')
  await writeFile(path, bytes)
  const facts = await identify(path)
  const { pixels } = await decode({ path, facts, limits: { maxPixels: 1e7 } })
  return meanDifference(flatten(pixels, WHITE).data, await shownBy(bytes, CONTENT_TYPES[facts.format], pixels))
}

/** The contract's bound. Most files are below a tenth of it. */
const BOUND = 2

describe('real files have the colours that Chromium shows', () => {
  it.each([
    'colour/bimg__test_icc_prophoto.jpg',
    'colour/drewnoakes__pal8v4.bmp',
    'colour/file-type__fixture-yuv420-8bit.avif',
    'colour/pilbox__example.jpg',
    'colour/serenity__extended-lossy.webp',
    'colour/serenity__ycck-1111.jpg',
    'colour/sharp__5_webp_a.webp',
    'colour/sharp__p3.png',
    'colour/sharp__pitm.avif',
    'colour/sharp__prophoto.png',
    'colour/testdata__flower_small.cmyk.jpg',
    'colour/twelvemonkeys__cmyk-sample-no-icc.jpg',
    'colour/wide-gamut-tests__P3-sRGB-red.jpg',
    'colour/zune__cymk.jpg',
    'jpeg/pillow__pil_sample_cmyk.jpg',
    'jpeg/serenity__rgb_components.jpg',
    'jpeg/serenity__ycck-2112.jpg',
    'jpeg/thumbor__cmyk.jpg',
    'jpeg/thumbor__grayscale-icc.jpg',
    'pixels/testdata__sideways_bench.jpg',
    'pixels/pngsuite__tbbn0g04.png',
    'source/image-png__cicp_pq.png',
    'source/serenity__Qpalette.webp',
    'source/drewnoakes__pal1wb.bmp',
    'source/rle8.bmp',
    'source/pillow__hopper.ico',
    'source/kodim23-190x158.jxl',
    'source/grey-steps-pq.jxl',
  ])('%s', async (name) => {
    expect(await difference(await readFile(FIXTURES + name))).toBeLessThan(BOUND)
  })
})

/** Patches of 8 x 8 px: a ramp of grey, and colours; 16 bits. */
const LEVELS = Array.from({ length: 21 }, (_, i) => i / 20)
const COLOURS = [
  ...LEVELS.map((level) => [level, level, level]),
  ...[0.3, 0.5, 0.75, 1].flatMap((level) => [
    [level, 0.2, 0.2],
    [0.2, level, 0.2],
    [0.2, 0.2, level],
    [level, level, 0.1],
    [0.6, 0.5, 0.4],
  ]),
]
const SIDE = 8

const patches = (...chunks: readonly Buffer[]): Buffer => {
  const width = COLOURS.length * SIDE
  const row = Buffer.alloc(1 + width * 6)
  COLOURS.forEach((colour, patch) => {
    for (let x = 0; x < SIDE; x++)
      colour.forEach((level, channel) => {
        row.writeUInt16BE(Math.round(level * 65_535), 1 + (patch * SIDE + x) * 6 + channel * 2)
      })
  })
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(SIDE, 4)
  header.set([16, 2], 8)
  return writePng([
    writePngChunk('IHDR', header),
    ...chunks,
    writePngChunk('IDAT', deflateSync(Buffer.concat(Array.from({ length: SIDE }, () => row)))),
  ])
}

const PRIMARIES = [1, 5, 6, 9, 12] as const
const TRANSFERS = [1, 4, 5, 8, 13, 14, 16, 18] as const

/** A PNG chunk of numbers in 1/100000. */
const fixedPoint = (type: string, ...values: readonly number[]): Buffer => {
  const data = Buffer.alloc(values.length * 4)
  values.forEach((value, at) => {
    data.writeUInt32BE(Math.round(value * 100_000), at * 4)
  })
  return writePngChunk(type, data)
}
const ADOBE = [0.3127, 0.329, 0.64, 0.33, 0.21, 0.71, 0.15, 0.06]
const WIDE_D50 = [0.3457, 0.3585, 0.735, 0.265, 0.115, 0.826, 0.157, 0.018]

describe('gamma and chromaticities of PNG mean what they mean to Chromium', () => {
  it.each([
    ['linear', [fixedPoint('gAMA', 1)]],
    ['gamma 1.8', [fixedPoint('gAMA', 1 / 1.8)]],
    ['Adobe RGB', [fixedPoint('gAMA', 1 / 2.2), fixedPoint('cHRM', ...ADOBE)]],
    ['wide, of D50', [fixedPoint('gAMA', 1 / 2.2), fixedPoint('cHRM', ...WIDE_D50)]],
    ['chromaticities alone', [fixedPoint('cHRM', ...ADOBE)]],
    ['a gamma of 0', [fixedPoint('gAMA', 0)]],
  ])('%s', async (_, chunks) => {
    expect(await difference(patches(...chunks))).toBeLessThan(0.5)
  })
})

describe('code points mean what they mean to Chromium', () => {
  it.each(
    PRIMARIES.flatMap((primaries) => TRANSFERS.map((transfer) => [primaries, transfer] as const)),
  )("a PNG with primaries %i and transfer %i has Chromium's colours", async (primaries, transfer) => {
    expect(await difference(patches(writePngChunk('cICP', Uint8Array.of(primaries, transfer, 0, 1))))).toBeLessThan(0.5)
  })

  it.each([
    [1, 13],
    [1, 1],
    [1, 4],
    [1, 8],
    [12, 13],
    [9, 16],
    [9, 18],
  ])('AVIF, primaries %i, transfer %i', async (primaries, transfer) => {
    const bytes = await readFile(`${FIXTURES}colour/grey-steps.avif`)
    const at = bytes.indexOf('nclx')
    bytes.writeUInt16BE(primaries, at + 4)
    bytes.writeUInt16BE(transfer, at + 6)
    expect(await difference(bytes)).toBeLessThan(BOUND)
  })
})

describe('Display P3 that we tell of is shown as Display P3', () => {
  /** The RGB pixels that Chromium draws on a Display P3 canvas. */
  const wideBy = async (bytes: Uint8Array, type: string): Promise<readonly number[]> => {
    const address = `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
    await page.setContent(`<img src="${address}">`)
    return page.evaluate(async () => {
      const [image] = document.images
      await image!.decode()
      const canvas = new OffscreenCanvas(1, 1).getContext('2d', { colorSpace: 'display-p3' })!
      canvas.drawImage(image!, 0, 0)
      return [...canvas.getImageData(0, 0, 1, 1, { colorSpace: 'display-p3' }).data.subarray(0, 3)]
    })
  }
  /** A green outside of sRGB. */
  const GREEN = [20, 250, 40] as const

  it.each(['jpeg', 'png', 'webp', 'avif'] as const)('Display P3 in %s is shown as Display P3', async (format) => {
    const [r, g, b] = GREEN
    const create = { width: 32, height: 32, channels: 3 as const, background: { r, g, b } }
    const plain = await sharp({ create }).toFormat(format, { quality: 100 }).toBuffer()
    const off = (shown: readonly number[]): number => Math.max(...GREEN.map((level, i) => Math.abs(level - shown[i]!)))
    expect(off(await wideBy(asDisplayP3(format, plain), CONTENT_TYPES[format]))).toBeLessThanOrEqual(4)
    // The same samples without a profile are sRGB.
    expect(off(await wideBy(plain, CONTENT_TYPES[format]))).toBeGreaterThan(20)
  })
})
