import { describe, expect, it } from 'vitest'
import { type Colour, colourOf, draw } from '../../test/raster/drawings.ts'
import type { Raster } from '../core/image.ts'
import { cutOut, findBorder } from './trim.ts'

const WHITE: Colour = [255, 255, 255]
const RED: Colour = [255, 0, 0]

/** A red rectangle from 3,2 to 6,4 on 10x8 px, with optional deviating pixels. */
const framed = (border: Colour, odd: Readonly<Record<string, Colour>> = {}): Raster =>
  draw({ width: 10, height: 8 }, (x, y) => odd[`${x},${y}`] ?? (x >= 3 && x <= 6 && y >= 2 && y <= 4 ? RED : border))

describe('trim=border removes outer rows and columns of the corner colour (§2)', () => {
  it.each<[string, Raster, unknown]>([
    ['on all sides', framed(WHITE), { left: 3, top: 2, width: 4, height: 3 }],
    ['a fully transparent border', framed([0, 0, 0, 0]), { left: 3, top: 2, width: 4, height: 3 }],
    ['a half transparent border', framed([9, 9, 9, 128]), { left: 3, top: 2, width: 4, height: 3 }],
    [
      'not beyond one pixel of almost that colour',
      framed(WHITE, { '9,7': [255, 255, 254] }),
      { left: 3, top: 2, width: 7, height: 6 },
    ],
    [
      'not beyond one pixel of another alpha',
      framed([0, 0, 0, 0], { '0,7': [0, 0, 0, 1] }),
      { left: 0, top: 2, width: 7, height: 6 },
    ],
    [
      'not beyond one pixel of another hidden colour',
      framed([0, 0, 0, 0], { '9,0': [1, 0, 0, 0] }),
      { left: 3, top: 0, width: 7, height: 5 },
    ],
    ['nothing when the corner itself differs', framed(WHITE, { '0,0': RED }), undefined],
    ['nothing of a uniform image', draw({ width: 5, height: 5 }, () => WHITE), undefined],
    ['nothing of a fully transparent image', draw({ width: 5, height: 5 }, () => [0, 0, 0, 0]), undefined],
    ['nothing of one pixel', draw({ width: 1, height: 1 }, () => RED), undefined],
    [
      'one side alone',
      draw({ width: 4, height: 3 }, (x) => (x === 0 ? WHITE : RED)),
      { left: 1, top: 0, width: 3, height: 3 },
    ],
    [
      'rows alone',
      draw({ width: 4, height: 3 }, (_, y) => (y === 0 ? WHITE : RED)),
      { left: 0, top: 1, width: 4, height: 2 },
    ],
    [
      'down to one pixel',
      draw({ width: 3, height: 3 }, (x, y) => (x === 1 && y === 1 ? RED : WHITE)),
      { left: 1, top: 1, width: 1, height: 1 },
    ],
    [
      'not an almost uniform gradient',
      draw({ width: 100, height: 4 }, (x) => [200 + (x >> 4), 0, 0]),
      { left: 16, top: 0, width: 84, height: 4 },
    ],
  ])('removes %s', (_, pixels, box) => {
    expect(findBorder(pixels)).toEqual(box)
  })

  it('cuts out exactly the remaining box', () => {
    const pixels = framed(WHITE)
    const cut = cutOut(pixels, findBorder(pixels)!)
    expect([cut.width, cut.height, cut.data.length]).toEqual([4, 3, 36])
    expect(colourOf(cut, 3, 2)).toEqual(RED)
    expect(cut.data.every((sample, at) => sample === RED[at % 3])).toBe(true)
  })
})
