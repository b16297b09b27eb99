import { describe, expect, it } from 'vitest'
import { boxOf, LIMITS, optionsOf, SCALE_DOWN, sourceOf } from '../../test/plan-samples.ts'
import type { ResultMark, SourceFacts } from '../core/image.ts'
import type { Options } from '../options/options.ts'
import { makePlan } from './make-plan.ts'
import { boundsOf } from './targets.ts'

const mark = (level: ResultMark['level'], loss: number, distance: number): ResultMark => ({
  level,
  density: 1,
  loss,
  distance,
})
const MEDIUM = mark('medium', 29, 1.4)
const HIGH = mark('high', 12, 0.7)

const planOf = (facts: Partial<SourceFacts>, options: Partial<Options> = {}) =>
  makePlan(optionsOf(options), sourceOf(facts), {
    limits: LIMITS,
    acceptWebp: false,
    acceptAvif: false,
    canEncodeAnimatedAvif: false,
  })

describe('the plan for a source that is a result', () => {
  it.each<[string, ResultMark, Partial<Options>]>([
    ['at the same preset', MEDIUM, {}],
    ['at a higher preset', MEDIUM, { quality: 'high' }],
    ['when a lower preset leaves almost no margin', mark('high', 28, 0.7), {}],
    ['when the mark claims more loss than possible', mark('medium', 127.5, 5.1), { quality: 'low' }],
    ['with a size that changes nothing', MEDIUM, { resize: boxOf(4000, 0, SCALE_DOWN) }],
  ])('keeps the pixels and the format %s', (_, spent, options) => {
    expect(planOf({ mark: spent }, options)).toMatchObject({
      keepsPixels: true,
      formats: ['png'],
      target: { kind: 'lossless' },
      spent,
    })
  })

  it('a lower preset gets the unused part of each bound', () => {
    const { target, keepsPixels } = planOf({ mark: HIGH })
    expect(keepsPixels).toBeUndefined()
    expect(target).toMatchObject({ kind: 'score', score: 82 })
    const bounds = boundsOf(target as Extract<typeof target, { kind: 'score' }>, 1)
    expect(bounds.butteraugli3).toBeCloseTo(0.8)
    expect(bounds).toMatchObject({ ssimulacra: 82, tileColour: 2, contour: 1.25 })
  })

  it('a forged mark never lowers the target', () => {
    const jpeg = { format: 'jpeg', jpeg: { quality: 50, components: 3 } } as const
    for (const forged of [HIGH, mark('high', 0, 0), MEDIUM]) {
      const [marked, plain] = [planOf({ ...jpeg, mark: forged }, { quality: 'low' }), planOf(jpeg, { quality: 'low' })]
      const scores = [marked, plain].map(({ target }) => (target.kind === 'score' ? target.score : 100))
      expect(scores[0]).toBeGreaterThanOrEqual(scores[1]!)
    }
  })

  it('another format adds no visible loss, and a Warning names the earlier result', () => {
    const { target, warnings } = planOf({ mark: MEDIUM }, { format: 'webp' })
    expect(target).toMatchObject({ score: 80 })
    expect(warnings).toEqual([expect.stringContaining('already a result at quality=medium')])
  })

  it.each<[string, Partial<Options>]>([
    ['a size', { resize: boxOf(100, 0, SCALE_DOWN) }],
    ['trimming', { trim: true }],
  ])('a mark has no effect with %s', (_, options) => {
    expect(planOf({ mark: MEDIUM }, options)).toEqual(planOf({}, options))
  })
})
