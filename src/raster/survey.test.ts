import { describe, expect, it } from 'vitest'
import { type Colour, draw } from '../../test/raster/drawings.ts'
import type { Raster } from '../core/image.ts'
import { flatten, withAlpha, withoutAlpha } from './flatten.ts'
import { survey } from './survey.ts'

const SIZE = { width: 20, height: 20 }
const uniform = (colour: Colour): Raster => draw(SIZE, () => colour)

describe('a survey of pixels', () => {
  it.each<[string, Raster, object]>([
    ['one colour', uniform([10, 20, 30]), { opaque: true, binaryAlpha: true, grey: false, colours: 1, flatness: 1 }],
    ['grey', uniform([7, 7, 7]), { grey: true, colours: 1 }],
    ['one pixel', draw({ width: 1, height: 1 }, () => [1, 2, 3]), { colours: 1, flatness: 1 }],
    ['an alpha channel that is opaque', uniform([1, 2, 3, 255]), { opaque: true, binaryAlpha: true }],
    ['holes', draw(SIZE, (x) => [9, 9, 9, x < 10 ? 0 : 255]), { opaque: false, binaryAlpha: true, colours: 2 }],
    [
      'one soft pixel',
      draw(SIZE, (x, y) => [9, 9, 9, x + y === 38 ? 254 : 255]),
      { opaque: false, binaryAlpha: false },
    ],
    ['hidden colours, which count as one', draw(SIZE, (x) => [x, 0, 0, 0]), { colours: 1 }],
    ['exactly 256 colours', draw({ width: 256, height: 2 }, (x) => [x, 0, 0]), { colours: 256, flatness: 0 }],
    ['more, which are 257', draw({ width: 300, height: 2 }, (x) => [x & 255, x >> 8, 0]), { colours: 257 }],
    ['stripes', draw(SIZE, (_, y) => (y % 2 === 0 ? [0, 0, 0] : [255, 255, 255])), { flatness: 1 }],
    [
      'a checkerboard',
      draw(SIZE, (x, y) => ((x + y) % 2 === 0 ? [0, 0, 0] : [255, 255, 255])),
      { flatness: 0, colours: 2 },
    ],
    ['a drawn gradient', draw(SIZE, (x, y) => [x * 3, y * 5, 9]), { flatness: 0, planes: 1 }],
    ['one of rounded slopes', draw(SIZE, (x, y) => [x * 3, y * 5, (x + y) * 0.7]), { flatness: 0, planes: 1 }],
    ['noise', draw(SIZE, (x, y) => [((x + 3) * (y + 5) * 37) & 255, 0, 0]), { planes: 0 }],
  ])('surveys %s', (_, pixels, facts) => {
    expect(survey(pixels)).toMatchObject(facts)
  })

  describe('of a large image', () => {
    const size = { width: 2200, height: 2000 }
    /** An image whose left half has one colour and whose right half has all colours. */
    const half = (channels: 3 | 4): Raster => {
      const data = new Uint8Array(size.width * size.height * channels).fill(255)
      for (let pixel = 0, at = 0; pixel < size.width * size.height; pixel += 1, at += channels)
        if (pixel % size.width >= size.width / 2) data.set([pixel & 255, (pixel >> 8) & 255, 9], at)
      return { ...size, channels, data }
    }

    it('flatness of a large image is sampled', () => {
      const { flatness, colours } = survey(half(3))
      expect(flatness).toBeCloseTo(0.5, 2)
      expect(colours).toBe(257)
    })

    it('flatness is the same with and without an alpha channel', () => {
      expect(survey(half(3)).flatness).toBe(survey(half(4)).flatness)
    })

    it('one soft pixel at the end of a large image is found', () => {
      const pixels = half(4)
      expect(survey(pixels)).toMatchObject({ opaque: true, binaryAlpha: true })
      pixels.data[3] = 0
      pixels.data[pixels.data.length - 1] = 128
      expect(survey(pixels)).toMatchObject({ opaque: false, binaryAlpha: false })
    })
  })

  it('flatness of RGB is computed on first access only', () => {
    const size = { width: 300, height: 200 }
    const pixels = draw(size, (x, y) => [x & 255, y, x >> 8])
    const facts = survey(pixels)
    expect(facts.colours).toBe(257)
    pixels.data.fill(7, 3 * size.width * 100)
    expect(facts.flatness).toBeCloseTo(0.5, 5)
    pixels.data.fill(7)
    expect(facts.flatness).toBeCloseTo(0.5, 5)
  })

  it('the survey does not depend on memory alignment', () => {
    const pixels = draw(SIZE, (x, y) => [x, y, 0, 255])
    const shifted = new Uint8Array(pixels.data.length + 1)
    shifted.set(pixels.data, 1)
    expect(survey({ ...pixels, data: shifted.subarray(1) })).toEqual(survey(pixels))
  })
})

describe('flatness of RGB', () => {
  it.each([
    4, 5, 6, 7, 8, 400, 401,
  ])('flatness is the fraction of pixels that equal their left neighbour, at %i px wide', (width) => {
    const size = { width, height: 120 }
    const levels = (x: number, y: number): number => ((x * x + 3 * y) % 7 < 3 ? 0 : (x * 31 + y * 17) & 255)
    const pixels = draw(size, (x, y) => [y, levels(x, y), levels(x >> 1, y)])
    const isRepeat = (x: number, y: number): boolean =>
      levels(x, y) === levels(x - 1, y) && levels(x >> 1, y) === levels((x - 1) >> 1, y)
    let repeats = 0
    for (let y = 0; y < size.height; y++) for (let x = 1; x < width; x++) repeats += isRepeat(x, y) ? 1 : 0
    const shifted = new Uint8Array(pixels.data.length + 1)
    shifted.set(pixels.data, 1)
    expect(survey(pixels).colours).toBe(257)
    expect(survey(pixels).flatness).toBeCloseTo(repeats / ((width - 1) * size.height), 12)
    expect(survey({ ...pixels, data: shifted.subarray(1) }).flatness).toBe(survey(pixels).flatness)
  })
})

describe('flattening', () => {
  it.each<[string, Colour, { r: number; g: number; b: number } | 'transparent', Colour]>([
    ['keeps what is opaque', [10, 20, 30, 255], { r: 0, g: 0, b: 255 }, [10, 20, 30]],
    ['shows the background through a hole', [10, 20, 30, 0], { r: 0, g: 0, b: 255 }, [0, 0, 255]],
    ['blends half and half', [255, 0, 0, 128], { r: 0, g: 0, b: 255 }, [128, 0, 127]],
    ['takes white where transparency was asked for', [0, 0, 0, 0], 'transparent', [255, 255, 255]],
  ])('flattening %s', (_, colour, background, expected) => {
    const flat = flatten(uniform(colour), background)
    expect([flat.channels, flat.data.length]).toEqual([3, 1200])
    expect([...flat.data.subarray(0, 3)]).toEqual(expected)
  })

  it('adding and removing an opaque alpha channel keeps colours', () => {
    const opaque = draw(SIZE, (x, y) => [x, y, x + y])
    expect(withAlpha(opaque).channels).toBe(4)
    expect(withoutAlpha(withAlpha(opaque))).toEqual(opaque)
    expect(flatten(opaque, 'transparent')).toBe(opaque)
  })
})
