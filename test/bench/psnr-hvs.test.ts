import { describe, expect, it } from 'vitest'
import { psnrHvs } from '../../bench/eye/psnr-hvs.ts'
import type { Raster } from '../../src/core/image.ts'

const SIDE = 16
const greyOf = (at: (x: number, y: number) => number): Raster => ({
  data: Uint8Array.from({ length: SIDE * SIDE * 3 }, (_, i) => {
    const pixel = Math.floor(i / 3)
    return at(pixel % SIDE, Math.floor(pixel / SIDE))
  }),
  width: SIDE,
  height: SIDE,
  channels: 3,
})

const flat = greyOf(() => 100)

describe('PSNR-HVS', () => {
  it('weighs an even shift by 1.608443', () => {
    // A shift by 3 puts 8 * 3 into each block's DC and nothing elsewhere: (24 * 1.608443)² / 64 a sample.
    const expected = 10 * Math.log10((255 * 255 * 64) / (24 * 1.608443) ** 2)
    expect(
      psnrHvs(
        flat,
        greyOf(() => 103),
      ),
    ).toBeCloseTo(expected, 6)
  })

  it('falls by 6.02 dB when the error doubles', () => {
    const error = (size: number) => greyOf((x, y) => 100 + ((x + y) % 4 < 2 ? size : -size))
    expect(psnrHvs(flat, error(4)) - psnrHvs(flat, error(8))).toBeCloseTo(20 * Math.log10(2), 6)
  })

  it('forgives a fine chessboard that a plain mean square counts like broad stripes', () => {
    const fine = greyOf((x, y) => 100 + ((x + y) % 2 === 0 ? 4 : -4))
    const broad = greyOf((x) => 100 + (x % 8 < 4 ? 4 : -4))
    expect(psnrHvs(flat, fine)).toBeGreaterThan(psnrHvs(flat, broad) + 6)
  })

  it('weighs red, green and blue as luma does', () => {
    const shifted = (channel: number): Raster => ({
      ...flat,
      data: flat.data.map((v, i) => (i % 3 === channel ? v + 10 : v)),
    })
    const [red, green, blue] = [0, 1, 2].map((channel) => psnrHvs(flat, shifted(channel))) as [number, number, number]
    expect(red - green).toBeCloseTo(20 * Math.log10(0.587 / 0.299), 6)
    expect(blue - green).toBeCloseTo(20 * Math.log10(0.587 / 0.114), 6)
  })
})
