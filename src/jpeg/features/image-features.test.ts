import { describe, expect, it } from 'vitest'
import type { AnyRaster } from '../../core/image.ts'
import { floatsAt } from '../kernel.ts'
import { openJpegEncoder } from '../quantiser/encoder.ts'
import { featuresOf } from './image-features.ts'

/** Four blocks of grey, one area: noise of a few sample values around 100. */
const image: AnyRaster = {
  width: 16,
  height: 16,
  channels: 1,
  data: Uint8Array.from({ length: 256 }, (_, i) => 100 + (((i * 7919) >> 3) % 23) - 11),
}

describe('the lost energy of an area', () => {
  it('is that of a step of 20 over variance, without DC', () => {
    const encoder = openJpegEncoder(image, '4:4:4')
    const { kernel, dct, frame } = encoder.transformed
    const { stride } = frame.components[0]!
    let [variance, lost] = [0, 0]
    const means: number[] = []
    for (const block of [0, 1, stride, stride + 1]) {
      const [dc, ...rest] = floatsAt(kernel, dct[0]! + block * 256, 64)
      means.push(dc! / 8)
      for (const value of rest) {
        variance += value ** 2
        lost += value ** 2 < 12 ** 2 ? value ** 2 : 400 / 12
      }
    }
    const mean = means.reduce((sum, one) => sum + one, 0) / 4
    const between = 64 * means.reduce((sum, one) => sum + (one - mean) ** 2, 0)
    const expected = Math.log(lost / (2 * (variance + between) + 80 * 64 * 4) + 1e-4)
    expect(featuresOf(encoder.transformed)[0]).toBeCloseTo(expected, 5)
    expect(featuresOf(encoder.transformed)[4]).toBe(0)
    encoder.close()
  })
})
