import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { enlarge } from '../../src/attention/enlarge.ts'
import { confirmLines, findText } from '../../src/attention/text/text.ts'
import type { View } from '../../src/attention/view.ts'
import { draw } from '../raster/drawings.ts'

const PHOTO = new URL('../fixtures/jpeg/kodim23-190x158.png', import.meta.url)

/** A photograph, 640 px wide, with something drawn over it. */
const photoWith = async (svg: string): Promise<View> => {
  const size = { width: 640, height: 420 }
  const drawing = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="640" height="420">${svg}</svg>`)
  const photo = sharp(await readFile(PHOTO))
    .resize({ ...size, fit: 'cover' })
    .removeAlpha()
  const composed = await photo
    .composite([{ input: drawing }])
    .removeAlpha()
    .raw()
    .toBuffer()
  return { ...size, channels: 3, data: composed }
}

/** As soft as linear interpolation. */
const SOFT = { reach: 1, weigh: (distance: number) => Math.max(0, 1 - distance) }

const SIGN = 'font-family="DejaVu Sans" font-weight="bold" font-size="40"'

/** Bars of 3 x 7 px, as close together as glyphs could stand. */
const barsIn = (width: number, height: number): View =>
  draw({ width, height }, (x, y) => (x % 4 > 0 && y % 8 > 0 ? [0, 0, 0] : [255, 255, 255])) as View

describe('findText', () => {
  it.each([
    [
      'white with an outline',
      `<text x="60" y="340" ${SIGN} fill="#fff" stroke="#000" stroke-width="1">SUMMER SALE</text>`,
      60,
      340,
    ],
    ['red', `<text x="250" y="70" ${SIGN} fill="#e00010">Half price</text>`, 250, 70],
  ])('finds text %s over a photograph', async (_, svg, x, base) => {
    const [line] = findText([await photoWith(svg)]).sort((a, b) => b.score - a.score)
    expect(line!.score).toBeGreaterThan(0.6)
    expect(Math.abs(line!.x * 640 - x)).toBeLessThan(20)
    expect(Math.abs((line!.y + line!.height) * 420 - base)).toBeLessThan(16)
  })

  it('finds lines with soft edges, as in an enlarged photograph, in the smaller of two views', async () => {
    const sharpView = await photoWith(`<text x="60" y="340" ${SIGN} fill="#fff">SUMMER SALE</text>`)
    const { data, ...raw } = sharpView
    const size = { width: 320, height: 210 }
    const small: View = { ...size, channels: 3, data: await sharp(data, { raw }).resize(320, 210).raw().toBuffer() }
    const [line] = findText([enlarge(small, sharpView, SOFT), small])
    expect(line!.score).toBeGreaterThan(0.6)
    expect([Math.abs(line!.x * 640 - 60) < 20, Math.abs((line!.y + line!.height) * 420 - 340) < 16]).toEqual([
      true,
      true,
    ])
    expect(findText([enlarge(small, sharpView, SOFT)])).toEqual([])
  })

  it('fuses a line that several views show, and scores it higher than a line in one view', () => {
    const line = (score: number, x: number, width = 0.4) => ({ score, x, y: 0.2, width, height: 0.05 })
    const [both, alone] = confirmLines([[line(0.8, 0.1)], [line(0.6, 0.12, 0.2), line(0.7, 0.55)], []])
    expect([both!.x, both!.width, alone!.x]).toEqual([0.1, 0.4, 0.55])
    expect([both!.score, alone!.score]).toEqual([expect.closeTo(0.74), expect.closeTo(0.49)])
  })

  it('finds no lines in a photograph without text', async () => {
    expect(findText([await photoWith('')]).filter(({ score }) => score > 0.6)).toEqual([])
  })

  it.each([
    [640, 640],
    [640, 8],
    [8, 640],
    [1, 1],
  ])('do not come of %i x %i px of bars, which end soon', (width, height) => {
    expect(findText([barsIn(width, height)])).toEqual([])
  })
})
