import { describe, expect, it } from 'vitest'
import { LIMITS, optionsOf, sourceOf } from '../../test/plan-samples.ts'
import { makePlan } from './make-plan.ts'
import { betterOf, type FinishedFile, failedWarning, growthWarning, isBetter, missedWarning } from './winner.ts'

const jpeg = (bytes: number, score: number, meetsTarget: boolean): FinishedFile => ({
  format: 'jpeg',
  bytes,
  score,
  meetsTarget,
})
const own = (bytes: number): FinishedFile => ({ format: 'jpeg', bytes, untouched: true })

describe('the winner', () => {
  it.each<[string, FinishedFile[], number]>([
    ['is the smallest that meets the target', [jpeg(900, 71, true), jpeg(800, 70.5, true), jpeg(700, 69, false)], 1],
    ['has the highest score when none meets it', [jpeg(100, 40, false), jpeg(300, 60, false), jpeg(200, 50, false)], 1],
    ['is the smaller of two equal scores that miss', [jpeg(300, 60, false), jpeg(200, 60, false)], 1],
    ['is the earlier of two alike', [jpeg(300, 70.5, true), jpeg(300, 71, true)], 0],
    ['is the source itself when no verified one is smaller', [jpeg(900, 81, true), own(850), jpeg(500, 60, false)], 1],
    ['is verified and smaller than the source', [own(850), jpeg(800, 80.5, true)], 1],
    ['is the source where the verified one is as large (§3.4)', [own(850), jpeg(850, 80.5, true)], 0],
    [
      'is measured by every bound when none meets the target',
      [{ ...jpeg(300, 50, false), butteraugli: 2 }, jpeg(300, 60, false)],
      0,
    ],
    ['an unmeasured file only if there is no other', [{ format: 'png', bytes: 10 }, jpeg(300, 20, false)], 1],
  ])('the winner %s', (_, candidates, index) => {
    expect(candidates.reduce<FinishedFile | undefined>(betterOf, undefined)).toBe(candidates[index])
  })

  it('the earlier of two equal files wins', () => {
    const first = jpeg(900, 71, true)
    const second = jpeg(800, 71, true)
    expect(betterOf(second, first)).toBe(second)
    expect(isBetter(first, first)).toBe(false)
  })
})

describe('a source that may not stay what it is', () => {
  const context = { limits: LIMITS, acceptWebp: false, acceptAvif: false, canEncodeAnimatedAvif: false }
  const webp = sourceOf({ format: 'webp', bytes: 100 })

  it('a converted WebP may grow, with a Warning', () => {
    const plan = makePlan(optionsOf(), webp, context)
    expect(growthWarning(plan, webp, jpeg(120, 71, true))).toBe(
      'The WEBP source became JPEG, which every browser shows, and grew from 100 to 120 bytes.',
    )
    expect(growthWarning(plan, webp, jpeg(90, 71, true))).toBeUndefined()
  })

  it('a forced format that is larger than the source gets a Warning with both sizes', () => {
    const plan = makePlan(optionsOf({ format: 'jpeg' }), webp, context)
    expect(growthWarning(plan, webp, jpeg(120, 71, true))).toBe(
      'The JPEG result is larger than its WEBP source: 120 bytes against 100.',
    )
    expect(growthWarning(plan, webp, jpeg(100, 71, true))).toBeUndefined()
  })
})

it.each<[string, FinishedFile, string | undefined]>([
  ['nothing', jpeg(300, 71, true), undefined],
  ['png', jpeg(300, 71, true), 'PNG could not be encoded: this is the best result without it.'],
  ['jpeg', own(300), 'JPEG could not be encoded: this is the untouched source without its metadata.'],
  ['jpeg', jpeg(300, 71, true), 'JPEG could not be searched to the end: this is the best result until then.'],
])('where %s failed, the Warning says what the answer is', (format, file, warning) => {
  expect(failedWarning(format === 'nothing' ? [] : [format as 'jpeg' | 'png'], file)).toBe(warning)
})

it.each([
  [
    [
      { bound: 'butteraugli3', figure: 0.912, limit: 0.75 },
      { bound: 'contour', figure: 2, limit: 1.25 },
    ],
    ' (Butteraugli 0.91 for 0.75, false contours 2 for 1.25)',
  ],
  [[], ''],
] as const)('the Warning on a miss names each bound of %j with its figure and its limit', (shortfalls, names) => {
  expect(missedWarning(shortfalls)).toBe(
    `The quality target could not be reached in this format${names}; this is the nearest result.`,
  )
})

it('when every file breaks a bound, the smallest shortfall wins', () => {
  const near = { ...jpeg(300, 80, false), margin: -1 }
  const fine = { ...jpeg(900, 95, false), margin: -6 }
  expect(betterOf(near, fine)).toBe(near)
  expect(betterOf(fine, near)).toBe(near)
})
