import { expect, it } from 'vitest'
import type { AnyRaster } from '../../core/image.ts'
import { searchJpeg, startProtected } from './search-jpeg.ts'
import type { EncoderSearch } from './search-mode.ts'
import type { JpegTrial } from './trials.ts'

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

it('starts protection at a finer strength where Butteraugli asks for a score above the target', () => {
  const search = {
    goal: { target: 70, butteraugli: 1.5 },
    bounds: ['score', 'tiles', 'butteraugli'],
    curve: [
      [0, 50],
      [100, 100],
    ],
    trials: [],
  }
  const after = { setting: { quality: 60, smooth: 0 }, score: 80 } as JpegTrial
  // Butteraugli asks for 75 points: 10 steps of quality above the target on this curve.
  const [loose, tight] = [0.01, 0.06].map((normPerPoint) =>
    startProtected({ ...search, level: Math.log(normPerPoint) } as unknown as EncoderSearch, after),
  )
  expect(tight! - loose!).toBeCloseTo(10)
})
