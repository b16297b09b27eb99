import { describe, expect, it } from 'vitest'
import type { AnyRaster } from '../../core/image.ts'
import { floatsAt } from '../kernel.ts'
import { openJpegEncoder } from '../quantiser/encoder.ts'
import { type SlopeSteps, worstLostSlope } from './lost-slopes.ts'

/** Grey, 64 x 64 px, each pixel as `at` tells. */
const grey = (at: (x: number, y: number) => number): AnyRaster => ({
  width: 64,
  height: 64,
  channels: 1,
  data: Uint8Array.from({ length: 4096 }, (_, i) => at(i % 64, Math.floor(i / 64))),
})

const lostOf = (image: AnyRaster, steps: SlopeSteps): number => {
  const encoder = openJpegEncoder(image, '4:4:4')
  const lost = worstLostSlope(encoder.transformed, steps)
  encoder.close()
  return lost
}

const slope = grey((x) => 64 + x)
const both = { across: 60, down: 60 }

describe('the slopes that steps lose', () => {
  it('are the lowest AC of a smooth slope, where they are below the dead zone', () => {
    const encoder = openJpegEncoder(slope, '4:4:4')
    const [, ac] = floatsAt(encoder.transformed.kernel, encoder.transformed.dct[0]!, 2)
    encoder.close()
    expect(lostOf(slope, both)).toBeCloseTo(Math.abs(ac!), 1)
    expect(lostOf(slope, { across: 12, down: 60 })).toBe(0)
  })

  it('are looked for down as across', () => {
    const down = grey((_, y) => 64 + y)
    expect(lostOf(down, { across: 12, down: 60 })).toBeCloseTo(lostOf(slope, both), 1)
    expect(lostOf(down, { across: 60, down: 12 })).toBe(0)
  })

  it('do not count among texture, which hides them', () => {
    expect(
      lostOf(
        grey((x, y) => 64 + x + 9 * ((x * 7 + y * 13) % 3)),
        both,
      ),
    ).toBe(0)
  })

  it('are those of the worst square', () => {
    const corner = grey((x, y) => 64 + (x < 32 && y < 32 ? x : 0))
    expect(lostOf(corner, both)).toBeGreaterThan(0.9 * lostOf(slope, both))
    expect(
      lostOf(
        grey(() => 64),
        both,
      ),
    ).toBe(0)
  })
})
