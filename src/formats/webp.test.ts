import { expect, it } from 'vitest'
import type { Raster } from '../core/image.ts'
import { survey } from '../raster/survey.ts'
import type { SearchRequest } from './format.ts'
import { webpEncoderFor } from './webp.ts'

/** A texture of 128 x 128 px around mid-grey. */
const textureOf = (amplitude: number): Raster => {
  const data = new Uint8Array(128 * 128 * 3)
  for (let i = 0; i < data.length; i += 3) data.fill(128 + (((i / 3) * 7919) % 23) * amplitude, i, i + 3)
  return { width: 128, height: 128, channels: 3, data }
}

/** Points of score between the coarsest and the finest setting, as predicted for pixels of this flatness. */
const spanOf = async (pixels: Raster, flatness: number): Promise<number> => {
  const features = { ...survey(pixels), flatness }
  const wanted = { kind: 'score', goal: { score: 70, slack: 1 } } as const
  const request: Partial<SearchRequest> = { pixels, features, wanted }
  const { curve } = await webpEncoderFor(request as SearchRequest)
  return curve.at(-1)![1] - curve[0]![1]
}

it('predicts that photographs of faint texture lose more score at coarse settings', async () => {
  expect(await spanOf(textureOf(1), 0)).toBeGreaterThan(await spanOf(textureOf(5), 0))
})

it('predicts the same loss for drawings, whatever a coarse JPEG keeps of them', async () => {
  expect(await spanOf(textureOf(1), 1)).toBeCloseTo(await spanOf(textureOf(5), 1))
})
