import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Extent, Orientation, Raster } from '../../src/core/image.ts'
import type { Method } from '../../src/options/options.ts'
import { solveGeometry } from '../../src/plan/geometry.ts'
import { decode } from '../../src/raster/decode.ts'
import { resample } from '../../src/raster/resample.ts'
import { cutOut, findBorder } from '../../src/raster/trim.ts'
import { boxOf, CROP, cropAt, FIT, LIMITS, PAD } from '../plan-samples.ts'
import { type Colour, colourOf, distance, draw, factsOf, storedAs, writePng } from './drawings.ts'

const RED: Colour = [255, 0, 0]
const GREEN: Colour = [0, 255, 0]
const BLUE: Colour = [0, 0, 255]
const YELLOW: Colour = [255, 255, 0]
const WHITE: Colour = [255, 255, 255]
const BLACK = { r: 0, g: 0, b: 0 }

/** Four quadrants of plain colour: red, green; blue, yellow. */
const quadrants = (size: Extent): Raster =>
  draw(size, (x, y) => [RED, GREEN, BLUE, YELLOW][(x < size.width / 2 ? 0 : 1) + (y < size.height / 2 ? 0 : 2)]!)

/** A colour without the faint ringing of Lanczos3 next to an edge. */
const plain = (colour: readonly number[]): number[] =>
  colour.map((level) => (level < 8 ? 0 : level > 247 ? 255 : level))

const make = async (
  pixels: Raster,
  width: number,
  height: number,
  method: Method,
  background: 'transparent' | typeof BLACK = BLACK,
) => {
  const geometry = solveGeometry({ resize: boxOf(width, height, method), source: pixels, limits: LIMITS })
  return resample({ pixels, geometry, background })
}

describe('resampling does what the geometry says', () => {
  const image = quadrants({ width: 80, height: 40 })

  it('scales an image down', async () => {
    const small = await make(image, 40, 0, FIT)
    expect([small.width, small.height]).toEqual([40, 20])
    expect([colourOf(small, 3, 3), colourOf(small, 36, 16)]).toEqual([RED, YELLOW])
  })

  it('enlarges an image', async () => {
    const large = await make(image, 800, 400, FIT)
    expect([large.width, large.height]).toEqual([800, 400])
    expect(colourOf(large, 100, 300)).toEqual(BLUE)
  })

  it.each<[string, Method, readonly Colour[]]>([
    ['the centre', CROP, [RED, GREEN, BLUE, YELLOW]],
    ['the left', { kind: 'crop', focus: { kind: 'edge', edge: 'left' } }, [RED, RED, BLUE, BLUE]],
    ['the right', { kind: 'crop', focus: { kind: 'edge', edge: 'right' } }, [GREEN, GREEN, YELLOW, YELLOW]],
    ['a focal point', cropAt(1, 0), [GREEN, GREEN, YELLOW, YELLOW]],
  ])('crops to %s', async (_, method, corners) => {
    const cropped = await make(image, 20, 20, method)
    expect([cropped.width, cropped.height]).toEqual([20, 20])
    expect(
      [colourOf(cropped, 2, 2), colourOf(cropped, 17, 2), colourOf(cropped, 2, 17), colourOf(cropped, 17, 17)].map(
        plain,
      ),
    ).toEqual(corners)
  })

  it('cuts before scaling when scaling everything would be huge', async () => {
    const strip = draw({ width: 4000, height: 2 }, (x) => (x === 3999 ? RED : BLUE))
    const cropped = await make(strip, 300, 300, { kind: 'crop', focus: { kind: 'edge', edge: 'right' } })
    expect([cropped.width, cropped.height]).toEqual([300, 300])
    expect([colourOf(cropped, 5, 150), colourOf(cropped, 290, 150)]).toEqual([BLUE, RED])
  })

  it('cutting first and scaling first give the same crop', async () => {
    const long = draw({ width: 3000, height: 100 }, (x, y) => [(x * 7) & 255, (y * 5) & 255, ((x + y) * 3) & 255])
    const source = { width: 3000, height: 100 }
    const geometry = solveGeometry({ resize: boxOf(150, 150, CROP), source, limits: LIMITS })
    const cutFirst = solveGeometry({ resize: boxOf(600, 600, CROP), source, limits: LIMITS })
    expect([geometry.extract, cutFirst.extract === undefined]).toEqual([undefined, false])
    const large = await resample({ pixels: long, geometry: cutFirst, background: BLACK })
    const whole = await sharp(long.data, { raw: { width: 3000, height: 100, channels: 3 } })
      .resize(18000, 600, { fit: 'fill' })
      .extract({ left: 8700, top: 0, width: 600, height: 600 })
      .raw()
      .toBuffer()
    expect(distance(large, { ...large, data: whole })).toBeLessThan(0.5)
  })

  it('pads with the colour', async () => {
    const padded = await make(image, 40, 40, PAD)
    expect([padded.width, padded.height, padded.channels]).toEqual([40, 40, 3])
    expect([colourOf(padded, 0, 9), colourOf(padded, 5, 12), colourOf(padded, 39, 30)]).toEqual([
      [0, 0, 0],
      RED,
      [0, 0, 0],
    ])
  })

  it('pads with transparency', async () => {
    const padded = await make(image, 40, 40, PAD, 'transparent')
    expect(padded.channels).toBe(4)
    expect([colourOf(padded, 0, 9), colourOf(padded, 5, 12)]).toEqual([
      [0, 0, 0, 0],
      [...RED, 255],
    ])
  })

  it('pads a transparent image with an opaque colour', async () => {
    const clear = draw({ width: 8, height: 4 }, () => [0, 0, 0, 0])
    const padded = await make(clear, 8, 8, PAD, { r: 1, g: 2, b: 3 })
    expect([colourOf(padded, 7, 7), colourOf(padded, 4, 4)]).toEqual([
      [1, 2, 3, 255],
      [0, 0, 0, 0],
    ])
  })

  it('hidden colours do not bleed through transparency', async () => {
    const edge = draw({ width: 40, height: 40 }, (x) => (x < 20 ? [255, 255, 255, 255] : [255, 0, 0, 0]))
    const small = await make(edge, 11, 11, FIT)
    const [r, g, b, a] = colourOf(small, 5, 5)
    expect([r, g, b]).toEqual([255, 255, 255])
    expect(a).toBeGreaterThan(0)
    expect(a).toBeLessThan(255)
  })

  it('returns the same pixels when nothing changes', async () => {
    expect(await make(image, 80, 40, FIT)).toBe(image)
  })
})

describe('orientation, then trim, then crop', () => {
  let directory = ''
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'resample-'))
  })
  afterAll(() => rm(directory, { recursive: true }))

  /** Quadrants of 40x20 with a white border: 10 left, 4 top, 30 right, 6 bottom. */
  const bordered = draw({ width: 80, height: 30 }, (x, y) => {
    const [inX, inY] = [x - 10, y - 4]
    if (inX < 0 || inY < 0 || inX >= 40 || inY >= 20) return WHITE
    return [RED, GREEN, BLUE, YELLOW][(inX < 20 ? 0 : 1) + (inY < 10 ? 0 : 2)]!
  })

  const CASES: readonly (readonly [string, Method, readonly Colour[]])[] = [
    ['centre', CROP, [RED, GREEN, BLUE, YELLOW]],
    ['left', { kind: 'crop', focus: { kind: 'edge', edge: 'left' } }, [RED, RED, BLUE, BLUE]],
    ['right', { kind: 'crop', focus: { kind: 'edge', edge: 'right' } }, [GREEN, GREEN, YELLOW, YELLOW]],
    // 0.15 of the untrimmed 80 px is px 2 of the trimmed image, and px 6 if it were a fraction of that.
    ['a point of the untrimmed image', cropAt(0.15, 0.5), [RED, RED, BLUE, BLUE]],
    ['a point in the border that was trimmed', cropAt(0.95, 0.5), [GREEN, GREEN, YELLOW, YELLOW]],
  ]
  const all = ([1, 2, 3, 4, 5, 6, 7, 8] as const).flatMap((orientation) =>
    CASES.map(([name, method, corners]) => ({ orientation, name, method, corners })),
  )

  it.each(all)('orientation $orientation is applied before trim and crop: $name', async ({
    orientation,
    method,
    corners,
  }) => {
    const path = join(directory, `${orientation}.png`)
    await writePng(path, storedAs(bordered, orientation as Orientation), orientation as Orientation)
    const { pixels } = await decode({ path, facts: await factsOf(path), limits: LIMITS })
    const trimmed = findBorder(pixels)!
    expect(trimmed).toEqual({ left: 10, top: 4, width: 40, height: 20 })
    const geometry = solveGeometry({ resize: boxOf(10, 10, method), source: pixels, trimmed, limits: LIMITS })
    const result = await resample({ pixels: cutOut(pixels, trimmed), geometry, background: BLACK })
    const found = [colourOf(result, 1, 1), colourOf(result, 8, 1), colourOf(result, 1, 8), colourOf(result, 8, 8)]
    expect(found).toEqual(corners)
  })
})
