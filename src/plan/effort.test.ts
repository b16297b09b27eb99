import { describe, expect, it } from 'vitest'
import { LIMITS, optionsOf, sourceOf } from '../../test/plan-samples.ts'
import { atEffort, canImprove } from './effort.ts'
import { makePlan } from './make-plan.ts'

const PLAN = makePlan(optionsOf(), sourceOf(), {
  limits: LIMITS,
  acceptWebp: true,
  acceptAvif: true,
  canEncodeAnimatedAvif: false,
})

describe('the effort of a plan', () => {
  it('is named where it is not the usual one, so that the names of usual results stay', () => {
    expect(atEffort(PLAN, 'usual')).toEqual(PLAN)
    expect(atEffort(PLAN, 'more')).toEqual({ ...PLAN, effort: 'more' })
    expect(atEffort(atEffort(PLAN, 'more'), 'usual')).toEqual(PLAN)
  })

  it('can improve still and lossy WebP and AVIF of the usual effort alone', () => {
    expect(['webp', 'avif', 'jpeg', 'png'].map((format) => canImprove(PLAN, 'more', format))).toEqual([
      true,
      true,
      false,
      false,
    ])
    expect(canImprove(PLAN, 'usual', 'webp')).toBe(false)
    expect(canImprove(atEffort(PLAN, 'more'), 'more', 'webp')).toBe(false)
    expect(canImprove({ ...PLAN, target: { kind: 'lossless' } }, 'more', 'webp')).toBe(false)
    expect(canImprove({ ...PLAN, animated: true }, 'more', 'webp')).toBe(false)
  })
})
