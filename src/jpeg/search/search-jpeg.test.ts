import { expect, it } from 'vitest'
import type { AnyRaster } from '../../core/image.ts'
import { searchJpeg } from './search-jpeg.ts'

const image: AnyRaster = {
  width: 64,
  height: 64,
  channels: 3,
  data: Uint8Array.from({ length: 64 * 64 * 3 }, (_, i) => (i * 37) % 251),
}

it('returns a trial that keeps every bound where a mode with more protection is too large', () => {
  // A miss, a trial that keeps both bounds, one whose tiles ask for more protection, and one with it, far too large.
  const scores = [66, 73, 70.5, -100]
  const tileScores = [72, 60, 60]
  const reference = { compare: () => scores.shift()!, tileScore: () => tileScores.shift()! }
  const goal = { target: 70, subsamplings: ['4:2:0'] as const, maxBytes: 1000 }
  const found = [...searchJpeg(image, reference, goal)]
  expect(scores).toEqual([])
  expect(found).toMatchObject([{ reached: true, score: 73, setting: { smooth: 0 } }])
})
