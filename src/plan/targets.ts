import type { Density } from '../core/units.ts'
import type { Preset } from '../options/options.ts'

export type LossyPreset = Exclude<Preset, 'lossless'>

/** What a preset means: a SSIMULACRA 2.1 score at 1x (§3.1). The one place where it is said. */
export const PRESET_SCORES: Readonly<Record<LossyPreset, number>> = { low: 55, medium: 70, high: 85 }

/** A dense screen hides artefacts (§2, density): by so much the score may be lower. */
export const DENSITY_RELIEF: Readonly<Record<Density, number>> = { 1: 0, 2: 8, 3: 12 }

/** No relief goes below this. */
export const LOWEST_TARGET = 45

/** The score that a preset asks for at a density. */
export const targetScore = (preset: LossyPreset, density: Density): number =>
  Math.max(LOWEST_TARGET, PRESET_SCORES[preset] - DENSITY_RELIEF[density])

/** Rows of [score below which it holds, margin]: how far the reference tool's fp32 filter can score below the exact metric. */
const MARGINS: readonly (readonly [below: number, margin: number])[] = [
  [75, 0.25],
  [82, 0.4],
  [88, 0.9],
  [Infinity, 1.1],
]

/** By how much a score of the exact metric must exceed its target so that the reference tool confirms it. */
export const marginFor = (target: number): number => MARGINS.find(([below]) => target < below)?.[1] ?? 1.1

/** The score by the exact metric that a target is searched to. */
export const goalFor = (target: number): number => target + marginFor(target)

/** A lossy source whose own score is not this far above the target shows its first loss next to a second one. */
const HEADROOM = 10
/** A re-encode that scores this against its source adds no visible loss. */
const NO_SECOND_LOSS = 80

/**
 * The score that a re-encode must reach against an already lossy source (§3.2). A score against such a source says
 * nothing of the first loss; where that loss is near the target, nothing visible may be added to it.
 */
export const requiredAgainstLossy = (preset: LossyPreset, density: Density, ownScore: number): number => {
  const target = targetScore(preset, density)
  return ownScore >= target + HEADROOM ? target : Math.max(target, NO_SECOND_LOSS - DENSITY_RELIEF[density])
}
