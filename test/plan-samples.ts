/** Typical inputs for tests of the plan. */
import type { SourceFacts } from '../src/core/image.ts'
import { cssPx } from '../src/core/units.ts'
import type { Method, Options, Resize } from '../src/options/options.ts'
import type { Limits } from '../src/plan/plan.ts'

/** The default limits of §7. */
export const LIMITS: Limits = { maxBytes: 50e6, maxPixels: 1e8, maxSide: 10000, maxTotalPixels: 1e9 }

/** A plain opaque PNG with changes. */
export const sourceOf = (changes: Partial<SourceFacts> = {}): SourceFacts => ({
  format: 'png',
  width: 400,
  height: 300,
  frames: 1,
  alpha: false,
  orientation: 1,
  profile: 'none',
  bytes: 10000,
  ...changes,
})

/** The options of `full` with changes. */
export const optionsOf = (changes: Partial<Options> = {}): Options => ({
  resize: { kind: 'full' },
  trim: false,
  background: { r: 255, g: 255, b: 255 },
  quality: 'medium',
  format: 'auto',
  gamut: 'srgb',
  meta: 'none',
  timeout: 30,
  ...changes,
})

/** A box in CSS px. A side of 0 means that it is absent. */
export const boxOf = (width: number, height: number, method: Method, density: 1 | 2 | 3 = 1): Resize => ({
  kind: 'box',
  ...(width === 0 ? {} : { width: cssPx(width) }),
  ...(height === 0 ? {} : { height: cssPx(height) }),
  density,
  method,
})

export const SCALE_DOWN: Method = { kind: 'scale-down' }
export const FIT: Method = { kind: 'fit' }
export const PAD: Method = { kind: 'pad' }
export const CROP: Method = { kind: 'crop', focus: { kind: 'centre' } }
export const cropAt = (x: number, y: number): Method => ({ kind: 'crop', focus: { kind: 'point', at: { x, y } } })
