import { spawnSync } from 'node:child_process'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AnyRaster } from '../../src/core/image.ts'
import { transcodeJpeg } from '../../src/jpeg/bitstream/transcode.ts'
import { openJpegEncoder } from '../../src/jpeg/quantiser/encoder.ts'
import type { Subsampling } from '../../src/jpeg/quantiser/quant-tables.ts'
import { decoded, fixture, largestDifference, samplesOf } from '../jpeg/fixtures.ts'
import { openChromium } from './chromium.ts'

/** Debian's libjpeg-turbo-progs. DJPEG_PATH overrides it. */
const DJPEG = process.env['DJPEG_PATH'] ?? '/usr/bin/djpeg'

const photo = await samplesOf(fixture('kodim05-190x158.png'))
const grey: AnyRaster = {
  data: photo.data.filter((_, i) => i % 3 === 1),
  width: photo.width,
  height: photo.height,
  channels: 1,
}
const tiny: AnyRaster = { data: photo.data.subarray(0, 190 * 3), width: 10, height: 19, channels: 3 }

const encoded = (image: AnyRaster, quality: number, subsampling: Subsampling): Uint8Array => {
  const encoder = openJpegEncoder(image, subsampling)
  encoder.quantise({ quality })
  return encoder.finish()
}

const FILES: [string, Uint8Array][] = [
  ...(['4:2:0', '4:2:2', '4:4:4'] as const).flatMap((subsampling): [string, Uint8Array][] =>
    [-20, 60, 95].map((quality) => [`${subsampling} at ${quality}`, encoded(photo, quality, subsampling)]),
  ),
  ['grey', encoded(grey, 70, '4:4:4')],
  ['10 x 19 px', encoded(tiny, 60, '4:2:0')],
  ['stored again without loss', transcodeJpeg(fixture('testdata__flower_small.q85_420_non_interleaved.jpg'), {}).bytes],
]

/** RGB of a binary PNM file: its type (P5 grey, P6 RGB), size and maximum value, then samples. */
const samplesOfPnm = (file: Buffer): Uint8Array => {
  const header = /^P[56]\s+\d+\s+\d+\s+255\s/.exec(file.subarray(0, 40).toString('latin1'))
  if (header === null) throw new Error('djpeg wrote no PNM file')
  const samples = new Uint8Array(file.subarray(header[0].length))
  return header[0].startsWith('P6')
    ? samples
    : Uint8Array.from({ length: samples.length * 3 }, (_, i) => samples[Math.floor(i / 3)]!)
}

/** Decodes with Debian's djpeg. Without it the test fails. */
const throughDjpeg = (bytes: Uint8Array): Uint8Array => {
  const { error, stdout, stderr, status } = spawnSync(DJPEG, ['-pnm'], { input: bytes, maxBuffer: 64e6 })
  if (error) throw new Error(`There is no djpeg at ${DJPEG}: apt-get install libjpeg-turbo-progs, or set DJPEG_PATH.`)
  expect({ status, complaints: stderr.toString() }).toEqual({ status: 0, complaints: '' })
  return samplesOfPnm(stdout)
}

/** Runs in the page: RGBA of a drawn JPEG. */
const drawInPage = async (data: string): Promise<string> => {
  const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0))
  const image = await createImageBitmap(new Blob([bytes], { type: 'image/jpeg' }), { colorSpaceConversion: 'none' })
  const transformed = new OffscreenCanvas(image.width, image.height)
  const context = transformed.getContext('2d')!
  context.drawImage(image, 0, 0)
  const { data: pixels } = context.getImageData(0, 0, image.width, image.height)
  let text = ''
  for (let at = 0; at < pixels.length; at += 32_768) text += String.fromCharCode(...pixels.subarray(at, at + 32_768))
  return btoa(text)
}

/** Decodes to RGB with Chromium. */
const throughChromium = async (page: Page, bytes: Uint8Array): Promise<Uint8Array> => {
  const rgba = Buffer.from(await page.evaluate(drawInPage, Buffer.from(bytes).toString('base64')), 'base64')
  return new Uint8Array(rgba).filter((_, i) => i % 4 < 3)
}

let browser: Browser
let page: Page
beforeAll(async () => {
  browser = await openChromium()
  page = await browser.newPage()
})
afterAll(() => browser?.close())

describe('a JPEG of our own decodes to the same samples as in sharp', () => {
  it.each(FILES)('djpeg decodes %s like sharp', async (_, bytes) => {
    expect(largestDifference(throughDjpeg(bytes), await decoded(bytes))).toBe(0)
  })

  it.each(FILES)('Chromium decodes %s like sharp', async (_, bytes) => {
    expect(largestDifference(await throughChromium(page, bytes), await decoded(bytes))).toBe(0)
  })
})
