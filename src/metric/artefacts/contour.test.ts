import { describe, expect, it } from 'vitest'
import type { AnyRaster } from '../../core/image.ts'
import { openArtefacts } from './artefacts.ts'

const [WIDTH, HEIGHT] = [192, 128]

const drawn = (at: (x: number, y: number) => number): AnyRaster => ({
  data: Uint8Array.from({ length: WIDTH * HEIGHT }, (_, i) =>
    Math.max(0, Math.min(255, Math.round(at(i % WIDTH, Math.floor(i / WIDTH))))),
  ),
  width: WIDTH,
  height: HEIGHT,
  channels: 1,
})

const changed = (image: AnyRaster, at: (value: number, x: number, y: number) => number): AnyRaster =>
  drawn((x, y) => at(image.data[y * WIDTH + x]!, x, y))

/** Values -1 .. 1 that look random and are the same every time. */
const randomly = () => {
  let state = 1
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 31 - 1
  }
}

const ramp = drawn((x) => 40 + x * 0.8)
const vignette = drawn((x, y) => 220 - 0.012 * ((x - 96) ** 2 + (y - 64) ** 2))
const random = randomly()
const grass = drawn(() => 120 + 60 * random())
const artefacts = await openArtefacts()
const contourOf = (source: AnyRaster, candidate: AnyRaster, density: 1 | 2 | 3 = 1) => {
  using reference = artefacts.prepare(source, density)
  return reference.worst(candidate).contour
}

/** Values rounded to steps, as a small palette does. */
const banded = (image: AnyRaster, step: number) => changed(image, (value) => Math.round(value / step) * step)
/** Every 8 x 8 block a little lighter or darker than its neighbours. */
const blocky = (image: AnyRaster, height: number) =>
  changed(image, (value, x, y) => value + (((x >> 3) + (y >> 3)) % 2 === 0 ? height / 2 : -height / 2))

describe('false contours where the source is smooth', () => {
  it('are none in the same pixels, nor in a tone that is lighter all over', () => {
    expect(contourOf(ramp, ramp).figure).toBe(0)
    expect(
      contourOf(
        ramp,
        changed(ramp, (value) => value + 6),
      ).figure,
    ).toBe(0)
    // A slope is no step; what remains is its rounding to whole values.
    const sloped = changed(ramp, (value, x) => value + x / 12)
    expect(contourOf(ramp, sloped).figure).toBeLessThan(1.5)
  })

  it('count about the height of one straight step, whatever its direction', () => {
    const flat = drawn(() => 128)
    const steps = [
      (x: number, _: number) => x < 81,
      (_: number, y: number) => y < 46,
      (x: number, y: number) => x + y < 160,
      (x: number, y: number) => 2 * x + y < 200,
    ].map(
      (isDarker) =>
        contourOf(
          flat,
          changed(flat, (value, x, y) => value - (isDarker(x, y) ? 6 : 0)),
        ).figure,
    )
    for (const step of steps) {
      expect(step).toBeGreaterThan(4.5)
      expect(step).toBeLessThan(9.5)
    }
  })

  it.each([
    ['ramp', ramp],
    ['vignette', vignette],
  ])('grow with the width of the bands in a banded %s', (_, image) => {
    const steps = [3, 6, 12].map((step) => contourOf(image, banded(image, step)).figure)
    expect(steps[0]).toBeLessThan(1.5)
    expect(steps[1]).toBeGreaterThan(2)
    expect(steps[2]).toBeGreaterThan(2 * steps[1]!)
  })

  it('are found at the edges of blocks, from two levels on', () => {
    expect(contourOf(ramp, blocky(ramp, 2)).figure).toBeGreaterThan(2.5)
    expect(contourOf(ramp, blocky(ramp, 1)).figure).toBeLessThan(contourOf(ramp, blocky(ramp, 2)).figure)
  })

  it('count less near black, as lightness does', () => {
    const flatBlocks = (value: number) =>
      contourOf(
        drawn(() => value),
        blocky(
          drawn(() => value),
          4,
        ),
      ).figure
    expect(flatBlocks(24)).toBe(flatBlocks(128))
    expect(flatBlocks(2) / flatBlocks(128)).toBeCloseTo(0.658, 2)
    expect(flatBlocks(12)).toBeGreaterThan(flatBlocks(2))
  })

  it('are hidden by texture', () => {
    expect(contourOf(grass, blocky(grass, 4)).figure).toBeLessThan(0.3)
  })

  it('are not the steps of an edge that lost its smoothing', () => {
    const disc = (soft: number) =>
      drawn((x, y) => 20 + 210 * Math.max(0, Math.min(1, (50 - Math.hypot(x - 96, y - 64)) / soft + 0.5)))
    expect(contourOf(disc(1.5), disc(0.01)).figure).toBeLessThan(1.25)
    // A sample half-way lies on a straight line between its neighbours: its second difference is none.
    const bar = (middle: number) => drawn((x) => (x < 96 ? 0 : x > 96 ? 254 : middle))
    expect(contourOf(bar(127), bar(0)).figure).toBe(0)
  })

  it('are not made of noise or dither', () => {
    const noise = randomly()
    expect(
      contourOf(
        ramp,
        changed(ramp, (value) => value + 5 * noise()),
      ).figure,
    ).toBeLessThan(1.25)
    const chessboard = changed(ramp, (value, x, y) => value + ((x + y) % 2 === 0 ? 4 : -4))
    expect(contourOf(ramp, chessboard).figure).toBeLessThan(0.5)
  })

  it('are found in the tile where they are', () => {
    const { figure, at } = contourOf(
      ramp,
      changed(ramp, (value, x, y) => value + (x >= 104 && y >= 72 && x < 120 && y < 88 ? 8 : 0)),
    )
    expect(at).toEqual({ left: 96, top: 64, width: 32, height: 32 })
    expect(figure).toBeGreaterThan(4)
  })

  it('count as much in the wider and higher tiles at the edges of an image', () => {
    const board = (width: number, height: number, step: number): AnyRaster => ({
      data: Uint8Array.from(
        { length: width * height },
        (_, i) => 128 + ((((i % width) >> 3) + (Math.floor(i / width) >> 3)) % 2) * step,
      ),
      width,
      height,
      channels: 1,
    })
    const figureAt = (width: number, height: number): number =>
      contourOf(board(width, height, 0), board(width, height, 4)).figure
    const ofWholeTile = figureAt(32, 32)
    for (const [width, height] of [
      [56, 32],
      [32, 56],
      [56, 56],
    ] as const)
      expect(figureAt(width, height) / ofWholeTile).toBeLessThan(1.15)
  })

  it('count half as much at 2x', () => {
    expect(contourOf(ramp, blocky(ramp, 3), 2).figure).toBeLessThan(contourOf(ramp, blocky(ramp, 3)).figure)
  })

  it('are measured on black and on white for images with alpha', () => {
    const veil = (at: (x: number) => number): AnyRaster => ({
      data: Uint8Array.from({ length: WIDTH * HEIGHT * 2 }, (_, i) => (i % 2 === 0 ? 0 : at((i >> 1) % WIDTH))),
      width: WIDTH,
      height: HEIGHT,
      channels: 2,
    })
    const smooth = veil((x) => Math.round(x * 0.8))
    expect(contourOf(smooth, smooth).figure).toBe(0)
    expect(
      contourOf(
        smooth,
        veil((x) => Math.round((x * 0.8) / 12) * 12),
      ).figure,
    ).toBeGreaterThan(5)
  })

  it('are none in images too small to hold one', () => {
    const dot = (value: number): AnyRaster => ({ data: Uint8Array.of(value), width: 1, height: 1, channels: 1 })
    expect(contourOf(dot(0), dot(255)).figure).toBe(0)
    expect(contourOf(dot(0), dot(255), 3).at).toEqual({ left: 0, top: 0, width: 1, height: 1 })
  })
})
