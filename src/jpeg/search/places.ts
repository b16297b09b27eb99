import type { Smoothing } from '../quantiser/encoder.ts'
import { leastStep } from './next-trial.ts'

/** What a trial scores by SSIMULACRA alone, and what its worst places count as, where they were asked: `score` is the lower of both where they break what is promised. */
export interface PlacedScore {
  readonly score: number
  readonly similarity: number
  readonly place?: number
}

type Degrees = Readonly<Record<Smoothing, readonly (readonly [lack: number, smooth: Smoothing])[]>>

/**
 * Points that places lack, by how much smooth ones are protected, from which they are protected how much: where they lack less, finer tables in all
 * frequencies make up for it in fewer bytes.
 */
const DEGREES: Degrees = {
  0: [
    [12, 2],
    [1, 1],
  ],
  1: [
    [6, 3],
    [2, 2],
  ],
  2: [[5, 3]],
  3: [],
}
/** The same for low scores: what coarse tables spend on smooth places Butteraugli misses in the others, so that they are protected later and less. */
const DEGREES_AT_LOW: Degrees = { ...DEGREES, 0: [[2, 1]], 1: [[6, 3]] }
const LOW = 62

/** So many times as far behind the similarity, whatever that is, finer tables have been tried in vain. */
const IN_VAIN = 1.5

const lackOf = ({ score, similarity }: PlacedScore, wanted: number): number =>
  Math.max(Math.min(similarity, wanted) - score, (similarity - score) / IN_VAIN)

/** How much smooth places are to be protected after a trial that would do but for its places, where `smooth` is too little; else undefined. */
export const protectionAfter = (trial: PlacedScore, wanted: number, smooth: Smoothing): Smoothing | undefined => {
  const lack = lackOf(trial, wanted)
  const degrees = wanted < LOW ? DEGREES_AT_LOW : DEGREES
  return degrees[smooth].find(([from]) => lack > from)?.[1]
}

/** Whether places break what is promised. */
const isBroken = ({ score, similarity }: PlacedScore): boolean => score < similarity

/** Points that a trial takes beyond the best of those below it that are broken. */
const beyond = (one: PlacedScore, broken: readonly PlacedScore[]): number => {
  const below = broken.map(({ similarity }) => similarity).filter((similarity) => similarity < one.similarity)
  return below.length === 0 ? 0 : one.similarity - Math.max(...below)
}

/**
 * Trials whose places bind, as far from `target` as tells where to go on. How much places fall short of `wanted` depends on the tables by fits and
 * starts: a trial that keeps it is the farther above the more points it takes beyond the best below it that does not.
 */
export const byWhatBinds = <T extends PlacedScore>(trials: readonly T[], wanted: number, target: number): T[] => {
  const broken = trials.filter(isBroken)
  return trials.map((one) => {
    const far = isBroken(one)
      ? Math.min((one.place ?? one.score) - wanted, -leastStep(broken.length))
      : beyond(one, broken)
    return { ...one, score: Math.min(one.similarity, target + far) }
  })
}
