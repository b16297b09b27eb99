import type { Browser, Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AnyRaster } from '../../src/core/image.ts'
import { jxlFromJpeg } from '../../src/jxl/from-jpeg.ts'
import { fixture, largestDifference } from '../jpeg/fixtures.ts'
import { openChromium } from './chromium.ts'

/** Chromium rounds once more than a decoder. */
const MAX_LEVELS = 2

let browser: Browser
let page: Page
beforeAll(async () => {
  browser = await openChromium()
  page = await browser.newPage({ viewport: { width: 1000, height: 1000 } })
})
afterAll(() => browser?.close())

/** The RGB pixels that Chromium shows for a codestream. undefined when it does not support JPEG XL. */
const shownBy = async (jxl: Uint8Array, { width, height }: AnyRaster): Promise<Uint8Array | undefined> => {
  const address = `data:image/jxl;base64,${Buffer.from(jxl).toString('base64')}`
  await page.setContent(`<body style="margin:0"><img style="display:block" src="${address}">`)
  const isShown = await page.evaluate(() =>
    document.images[0]!.decode().then(
      () => true,
      () => false,
    ),
  )
  if (!isShown) return undefined
  const screenshot = await page.screenshot({ clip: { x: 0, y: 0, width, height } })
  return sharp(screenshot).removeAlpha().raw().toBuffer()
}

describe('Chromium', () => {
  it.each([
    ['4:2:0', 'testdata__flower_small.q85_420_non_interleaved.jpg'],
    ['4:2:2', 'pillow__iptc_roundUp.jpg'],
    ['4:4:4', 'squoosh__screenshot2.jpg'],
  ])('shows the pixels that we score of a JPEG XL in %s', async (_, name) => {
    const jxl = jxlFromJpeg(fixture(name))
    const expected = jxl.shown()
    const samples = expected.data.slice()
    const side = { ...expected, width: Math.min(1000, expected.width), height: Math.min(1000, expected.height) }
    const part = await sharp(samples, { raw: { width: expected.width, height: expected.height, channels: 3 } })
      .extract({ left: 0, top: 0, width: side.width, height: side.height })
      .raw()
      .toBuffer()
    const shown = await shownBy(jxl.bytes, side)
    if (shown !== undefined) expect(largestDifference(shown, part)).toBeLessThanOrEqual(MAX_LEVELS)
    else expect(Number(browser.version().split('.')[0])).toBeLessThan(155)
  })
})
