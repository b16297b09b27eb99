import type { ResultMark, SourceFacts } from '../core/image.ts'
import type { Options } from '../options/options.ts'
import { mayReturnOwn } from './own-bytes.ts'
import { densityOf, type Plan, type Spent } from './plan.ts'
import { boundsFor, type LossyPreset, NO_SECOND_LOSS, targetScore } from './targets.ts'

/** Remainder that another loss needs. With less, no encoder saves bytes. */
const MIN_LEFT = {
  /** SSIMULACRA points. */
  points: 3,
  /** Butteraugli distance. */
  distance: 0.1,
} as const

/** The loss of a marked result. For bounds without a figure in the mark, the whole bound counts as used. */
const spentOf = ({ level, density, distance }: ResultMark): Spent => {
  const { tileColour, contour } = boundsFor(level, density)
  return { butteraugli3: distance, tileColour, contour }
}

/** The loss that remains allowed. Losses add up at most: both metrics are distances, and 100 minus the score behaves like one. */
const remaining = (mark: ResultMark, preset: LossyPreset, density: 1 | 2 | 3) => {
  const bounds = boundsFor(preset, density)
  return { points: 100 - mark.loss - targetScore(preset, density), distance: bounds.butteraugli3 - mark.distance }
}

const isSpent = (mark: ResultMark, preset: LossyPreset, density: 1 | 2 | 3): boolean => {
  const { points, distance } = remaining(mark, preset, density)
  const keepsAsMuch = boundsFor(preset, density).ssimulacra >= boundsFor(mark.level, mark.density).ssimulacra
  return keepsAsMuch || points < MIN_LEFT.points || distance < MIN_LEFT.distance
}

const nameOf = (format: string): string => format.toUpperCase()

const secondLoss = ({ level }: ResultMark, facts: SourceFacts): string =>
  `This ${nameOf(facts.format)} is already a result at quality=${level}; in another format its loss adds to that one. Start from the original.`

const keepingPixels = (plan: Plan, facts: SourceFacts, spent: ResultMark): Plan => ({
  ...plan,
  resize: { kind: 'full' },
  target: { kind: 'lossless' },
  formats: [facts.format as Plan['formats'][number]],
  keepsPixels: true,
  spent,
})

/**
 * The plan for a source that is a result of this engine and keeps its size. If it already meets the requested preset, its pixels stay. A
 * lower preset is measured against the original, so the result gets the rest of each bound. A forged mark only makes encoding gentler.
 */
export const settleMark = (plan: Plan, facts: SourceFacts, quality: Options['quality']): Plan => {
  const { mark } = facts
  if (mark === undefined) return plan
  const spent = { ...plan, spent: mark }
  if (plan.target.kind === 'lossless' || quality === 'lossless') return spent
  const density = densityOf(plan)
  const { target } = plan
  if (!isSpent(mark, target.preset, density)) {
    const score = Math.max(target.score, targetScore(target.preset, density) + mark.loss)
    return { ...spent, target: { ...target, score, spent: spentOf(mark) } }
  }
  const whole = { ...plan, resize: { kind: 'full' } } as const
  if ((plan.animated || facts.frames === 1) && mayReturnOwn({ facts, plan: whole }))
    return keepingPixels(plan, facts, mark)
  const score = Math.max(target.score, NO_SECOND_LOSS)
  return { ...spent, target: { ...target, score }, warnings: [...plan.warnings, secondLoss(mark, facts)] }
}
