import { describe, expect, it } from 'vitest'
import { LIMITS, optionsOf, sourceOf } from '../../test/plan-samples.ts'
import { makePlan } from './make-plan.ts'
import { insteadOf, settlePreferred } from './settle-preferred.ts'
import type { PixelFacts } from './shortlist.ts'

const PHOTO: PixelFacts = { opaque: true, binaryAlpha: true, grey: false, colours: 257, flatness: 0.1, planes: 0 }
const plan = makePlan(optionsOf({ format: 'jxl' }), sourceOf({}), {
  limits: LIMITS,
  acceptWebp: false,
  acceptAvif: false,
  canEncodeAnimatedAvif: false,
})

describe('a format that only some pixels allow', () => {
  it('the preferred format is the only one when the pixels allow it', () => {
    expect(settlePreferred(plan, false, PHOTO)).toMatchObject({ plan: { formats: ['jxl'] }, warnings: [] })
  })

  it.each([
    ['transparency', { opaque: false }, 'JPEG XL is only made from opaque images; this is the next best format.'],
    ['a drawing', { flatness: 0.9 }, 'JPEG XL is not made from drawings; this is the next best format.'],
  ])('%s makes the next best format replace it, with a Warning', (_, facts, warning) => {
    const settled = settlePreferred(plan, false, { ...PHOTO, ...facts })
    expect(settled.plan.formats).toEqual(['jpeg', 'png'])
    expect(settled.plan.preferred).toBeUndefined()
    expect(settled.warnings).toEqual([warning])
  })

  it('a drawing in a JPEG keeps its coefficients', () => {
    expect(settlePreferred(plan, true, { ...PHOTO, flatness: 0.9 }).plan.formats).toEqual(['jxl'])
  })

  it('other plans stay unchanged', () => {
    const other = insteadOf(plan, 'jxl')
    expect(settlePreferred(other, false, { ...PHOTO, opaque: false })).toEqual({ plan: other, warnings: [] })
  })
})
