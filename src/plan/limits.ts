import { type Failure, fail } from '../core/failure.ts'
import { type Extent, type SourceFacts, uprightExtent } from '../core/image.ts'
import type { Limits } from './plan.ts'

/** The refusal (413) of a source that exceeds the limits (§6). undefined for a source within or at the limits. */
export const checkSource = (facts: SourceFacts, limits: Limits): Failure | undefined => {
  if (facts.bytes > limits.maxBytes) return fail('SOURCE_TOO_HEAVY', limits.maxBytes)
  // A vector has no decoded pixels. A huge one is drawn smaller, with a Warning (§2.4, §4.4).
  if (facts.format === 'svg') return undefined
  const { width, height } = uprightExtent(facts, facts.orientation)
  if (width > limits.maxSide || height > limits.maxSide || width * height > limits.maxPixels) {
    return fail('SOURCE_TOO_LARGE', width, height, limits.maxSide, limits.maxPixels)
  }
  if (width * height * facts.frames > limits.maxTotalPixels) {
    return fail('SOURCE_TOO_MANY_FRAMES', facts.frames, limits.maxTotalPixels)
  }
  return undefined
}

/** The largest extent within the output limits that keeps the aspect ratio (§2.4), in whole pixels. */
export const clampExtent = (wanted: Extent, limits: Pick<Limits, 'maxSide' | 'maxPixels'>): Extent => {
  const { width, height } = wanted
  const shrink = Math.min(
    1,
    limits.maxSide / width,
    limits.maxSide / height,
    Math.sqrt(limits.maxPixels / (width * height)),
  )
  if (shrink === 1) return wanted
  const side = (length: number, whole: (value: number) => number): number =>
    Math.min(limits.maxSide, Math.max(1, whole(length * shrink + 1e-6)))
  // `wanted` is already rounded. Truncating it could change the aspect ratio by more than a pixel.
  const nearest = { width: side(width, Math.round), height: side(height, Math.round) }
  const fits = nearest.width * nearest.height <= limits.maxPixels
  return fits ? nearest : { width: side(width, Math.floor), height: side(height, Math.floor) }
}
