import { describe, expect, it } from 'vitest'
import { makePlan } from './make-plan.ts'
import { LIMITS, optionsOf, sourceOf } from './samples.ts'
import { betterOf, type Candidate, growthWarning, isBetter, pickWinner, sourceReplaces } from './winner.ts'

const jpeg = (bytes: number, score: number, meetsTarget: boolean): Candidate => ({
  format: 'jpeg',
  bytes,
  score,
  meetsTarget,
})
const own = (bytes: number): Candidate => ({ format: 'jpeg', bytes, untouched: true })

describe('the winner', () => {
  it.each<[string, Candidate[], number]>([
    ['is the smallest that meets the target', [jpeg(900, 71, true), jpeg(800, 70.5, true), jpeg(700, 69, false)], 1],
    ['has the highest score when none meets it', [jpeg(100, 40, false), jpeg(300, 60, false), jpeg(200, 50, false)], 1],
    ['is the smaller of two equal scores that miss', [jpeg(300, 60, false), jpeg(200, 60, false)], 1],
    ['is the earlier of two alike', [jpeg(300, 70.5, true), jpeg(300, 71, true)], 0],
    ['is the source itself when no verified one is smaller', [jpeg(900, 81, true), own(850), jpeg(500, 60, false)], 1],
    ['is verified and smaller than the source', [own(850), jpeg(800, 80.5, true)], 1],
    ['is unjudged only for want of anything else', [{ format: 'png', bytes: 10 }, jpeg(300, 20, false)], 1],
  ])('%s', (_, candidates, index) => {
    expect(pickWinner(candidates)).toBe(candidates[index])
  })

  it('is nobody among none', () => {
    expect(pickWinner([])).toBeUndefined()
  })

  it('is found one by one as well', () => {
    const first = jpeg(900, 71, true)
    const second = jpeg(800, 71, true)
    expect(betterOf(betterOf(undefined, first), second)).toBe(second)
    expect(betterOf(second, first)).toBe(second)
    expect(isBetter(first, first)).toBe(false)
  })
})

describe('the source takes the place of a result that is not smaller (§3.4)', () => {
  it.each([
    ['of more bytes', true, 101, true],
    ['of as many bytes', true, 100, true],
    ['but not of fewer', true, 99, false],
    ['but not where something else was asked for', false, 101, false],
  ])('%s', (_, neverLarger, bytes, replaced) => {
    expect(sourceReplaces({ neverLarger }, { bytes: 100 }, jpeg(bytes, 71, true))).toBe(replaced)
  })

  it('but not of its own coefficients, which lost a profile or a rotation otherwise', () => {
    expect(sourceReplaces({ neverLarger: true }, { bytes: 100 }, own(100))).toBe(false)
  })
})

describe('a source that may not stay what it is', () => {
  const context = { limits: LIMITS, acceptWebp: false, acceptAvif: false, canEncodeAnimatedAvif: false }
  const webp = sourceOf({ format: 'webp', bytes: 100 })

  it('may grow, with a Warning', () => {
    const plan = makePlan(optionsOf(), webp, context)
    expect(growthWarning(plan, webp, jpeg(120, 71, true))).toBe(
      'The WEBP source became JPEG, which every browser shows, and grew from 100 to 120 bytes.',
    )
    expect(growthWarning(plan, webp, jpeg(90, 71, true))).toBeUndefined()
  })

  it('needs no Warning when the format was asked for', () => {
    const plan = makePlan(optionsOf({ format: 'jpeg' }), webp, context)
    expect(growthWarning(plan, webp, jpeg(120, 71, true))).toBeUndefined()
  })
})
