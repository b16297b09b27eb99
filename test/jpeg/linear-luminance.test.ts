import { describe, expect, it } from 'vitest'
import type { AnyRaster } from '../../src/core/image.ts'
import { floatsAt, openKernel } from '../../src/jpeg/kernel.ts'
import { placeMaskingWeights, weighByMasking } from '../../src/jpeg/quantiser/masking.ts'
import { DEFAULT_PARAMETERS, rateDistortionAt } from '../../src/jpeg/quantiser/parameters.ts'
import { transformImage } from '../../src/jpeg/quantiser/transformed-image.ts'
import { fixture, samplesOf } from './fixtures.ts'

const linearLuminanceOf = (code: number): number => {
  const v = code / 255
  return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4
}

/** One block and a part of one each way, of one colour. */
const plain = (colour: [number, number, number]): AnyRaster => ({
  data: Uint8Array.from({ length: 11 * 9 * 3 }, (_, i) => colour[i % 3]!),
  width: 11,
  height: 9,
  channels: 3,
})

describe('the luminance of blocks', () => {
  it('is that of their samples to 0.0013, in blocks over the edge too', () => {
    for (let code = 0; code <= 252; code += 4) {
      const colour: [number, number, number] = [code, 255 - code, (code * 7) & 255]
      const kernel = openKernel()
      const { luminance } = transformImage(kernel, plain(colour), '4:2:0')
      const means = floatsAt(kernel, luminance.luma.means, 4 * 3)
      means.forEach((mean, i) => {
        expect(Math.abs(mean - linearLuminanceOf(colour[i % 3]!)), `${colour}, ${i}`).toBeLessThan(0.0013)
      })
    }
  })

  it("grows with one code value as sRGB's does, within 5 %", () => {
    for (let code = 40; code < 255; code += 5) {
      const kernel = openKernel()
      const { luminance } = transformImage(kernel, plain([code, 0, 0]), '4:2:0')
      const slope = floatsAt(kernel, luminance.chroma.slopes, 1)[0]!
      expect(Math.abs(slope / (linearLuminanceOf(code + 0.5) - linearLuminanceOf(code - 0.5)) - 1)).toBeLessThan(0.05)
    }
  })
})

describe('the maskingWeights of blocks', () => {
  it('are what they are defined to be', async () => {
    const kernel = openKernel()
    const transformed = transformImage(kernel, await samplesOf(fixture('kodim05-190x158.png')), '4:2:0')
    const { widthInBlocks, heightInBlocks } = transformed.frame.components[0]!
    const { masking, maskingFloor, mostWeight } = DEFAULT_PARAMETERS
    const weighed = rateDistortionAt(DEFAULT_PARAMETERS, 70)
    const { leastWeight } = weighed
    const quadrants = floatsAt(kernel, transformed.activities, widthInBlocks * heightInBlocks * 4).slice()
    const logs = Array.from({ length: widthInBlocks * heightInBlocks }, (_, b) =>
      Math.log(quadrants.subarray(b * 4, b * 4 + 4).reduce((sum, variance) => sum + 1 / (variance + maskingFloor), 0)),
    )
    const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length
    const [luma] = placeMaskingWeights(transformed)
    weighByMasking(transformed, { ...DEFAULT_PARAMETERS, leastWeight }, { weights: luma! })
    floatsAt(kernel, luma!, widthInBlocks * heightInBlocks).forEach((strength, b) => {
      const defined = Math.max(leastWeight, Math.min(mostWeight, Math.exp((logs[b]! - mean) * masking)))
      expect(strength / defined).toBeCloseTo(1, 4)
    })
  })
})
