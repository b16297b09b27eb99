import { describe, expect, it } from 'vitest'
import { psnrHvs, psnrHvsM } from '../../bench/eye/psnr-hvs.ts'
import { blurredDifference } from '../../bench/eye/referees/blurred-lab.ts'
import { distanceIn } from '../../bench/eye/referees/dssim.ts'
import { REFEREES } from '../../bench/eye/referees/referees.ts'
import { sCielab } from '../../bench/eye/referees/s-cielab.ts'
import type { Raster } from '../../src/core/image.ts'

const SIDE = 192
type Colour = readonly [red: number, green: number, blue: number]

const draw = (colourAt: (x: number, y: number) => Colour): Raster => ({
  width: SIDE,
  height: SIDE,
  channels: 3,
  data: Uint8Array.from(
    Array.from({ length: SIDE * SIDE }, (_, at) => colourAt(at % SIDE, Math.floor(at / SIDE))).flat(),
  ),
})

/** A pattern of waves with detail at several scales. */
const wave = (x: number, y: number): number =>
  128 + 50 * Math.sin(x / 9) * Math.cos(y / 13) + 30 * Math.sin((x + y) / 2)
const source = draw((x, y) => [wave(x, y), wave(y, x), 128])

const noisy = (strength: number): Raster => {
  let seed = 1
  const noise = (): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    return (seed / 2 ** 32 - 0.5) * strength
  }
  return { ...source, data: source.data.map((value) => Math.max(0, Math.min(255, Math.round(value + noise())))) }
}

const grey = (level: number): Raster => draw(() => [level, level, level])

describe('referees of the bench', () => {
  it.each(REFEREES)('$name falls as noise grows', async ({ figure }) => {
    const figures = await Promise.all([8, 24, 72].map((strength) => figure(source, noisy(strength))))
    expect(figures).toEqual(figures.toSorted((a, b) => b - a))
    expect(figures[0]).toBeGreaterThan(figures[2]!)
  })

  it.each(['ms-ssim', 'vif'])('%s of equal images is 1', async (name) => {
    const { figure } = REFEREES.find((referee) => referee.name === name)!
    expect(await figure(source, { ...source })).toBeCloseTo(1, 5)
  })

  it('reads the distance that dssim prints, and refuses other output', () => {
    expect(distanceIn('0.00123456\tshown.png\n')).toBe(0.00123456)
    expect(() => distanceIn('unable to read')).toThrow('unable to read')
  })

  it('S-CIELAB of two flat greys is the difference of their lightness', () => {
    // CIE 1976: L* of sRGB 119 is 50.0 and of 143 is 59.4.
    expect(sCielab(grey(119), grey(143))).toBeCloseTo(9.37, 2)
  })

  it('S-CIELAB sees stripes of blue and yellow of one pixel at less than half of a flat shift of the same size', () => {
    const stripes = draw((x) => [128, 128, x % 2 === 0 ? 108 : 148])
    expect(sCielab(grey(128), stripes)).toBeLessThan(
      sCielab(
        grey(128),
        draw(() => [128, 128, 148]),
      ) / 2,
    )
  })

  it('PSNR-HVS-M counts noise in texture less than PSNR-HVS does', () => {
    const shown = noisy(24)
    expect(psnrHvsM(source, shown)).toBeGreaterThan(psnrHvs(source, shown) + 1)
  })

  it('measures the difference of two greys in L*, and less of it where pixels alternate', () => {
    // L* of the code values 119 and 130 is 50.03 and 54.36 (IEC 61966-2-1, CIE 1976).
    expect(blurredDifference(grey(119), grey(130))).toBeCloseTo(4.33, 1)
    const checks = draw((x, y) => ((x + y) % 2 ? [119, 119, 119] : [130, 130, 130]))
    expect(blurredDifference(grey(124), checks)).toBeLessThan(1)
  })
})
