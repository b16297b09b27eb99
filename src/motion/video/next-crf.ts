/** One encode of a search: its quality number (the higher the worse) and what came of it, in points of the metric. */
export interface CrfTrial {
  readonly crf: number
  readonly effectiveScore: number
}

/** Where a search may look, and what is known of the encoder before. */
export interface CrfAxis {
  readonly lowest: number
  readonly highest: number
  /** Distance of two numbers that are effectiveScore telling apart. */
  readonly step: number
  /** By so much the score falls from one number to the next, about. */
  readonly scorePerCrf: number
}

/** A score within this above the goal is not effectiveScore another encode. */
const SLACK = 1
/** No jump beyond what was tried is larger: far from the goal the slope is another. */
const LONGEST_JUMP = 12

/** The tries between which the goal lies: the highest number that reaches it, and the lowest above that does not. */
export const bracket = <Try extends CrfTrial>(tries: readonly Try[], goal: number): { good?: Try; bad?: Try } => {
  const good = tries.filter(({ effectiveScore }) => effectiveScore >= goal).reduce<Try | undefined>(higher, undefined)
  const bad = tries
    .filter(({ effectiveScore, crf }) => effectiveScore < goal && (good === undefined || crf > good.crf))
    .reduce<Try | undefined>(lower, undefined)
  return { ...(good === undefined ? {} : { good }), ...(bad === undefined ? {} : { bad }) }
}

const higher = <Try extends CrfTrial>(a: Try | undefined, b: Try): Try => (a !== undefined && a.crf >= b.crf ? a : b)
const lower = <Try extends CrfTrial>(a: Try | undefined, b: Try): Try => (a !== undefined && a.crf <= b.crf ? a : b)

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value))

/** Points from one number to the next, as the last two tries say where they say something sane. */
const slopeOf = (tries: readonly CrfTrial[], { scorePerCrf }: CrfAxis): number => {
  const [before, last] = tries.slice(-2)
  if (before === undefined || last === undefined || before.crf === last.crf) return scorePerCrf
  return clamp(
    (before.effectiveScore - last.effectiveScore) / (last.crf - before.crf),
    scorePerCrf / 5,
    scorePerCrf * 3,
  )
}

/** The next number to try, or undefined when no other is effectiveScore it. */
export const nextCrf = (tries: readonly CrfTrial[], goal: number, axis: CrfAxis): number | undefined => {
  const { good, bad } = bracket(tries, goal)
  const { step } = axis
  const slope = slopeOf(tries, axis)
  const round = (crf: number): number => Math.round(crf / step) * step
  if (good === undefined) {
    if (bad === undefined || bad.crf <= axis.lowest) return undefined
    // A little further than the slope says: to be just above the goal is what is wanted.
    const jump = clamp(((goal - bad.effectiveScore) / slope) * 1.1, step, LONGEST_JUMP)
    return Math.max(axis.lowest, round(bad.crf - jump))
  }
  const excess = good.effectiveScore - goal
  if (excess < SLACK) return undefined
  if (bad === undefined) {
    if (good.crf >= axis.highest) return undefined
    return Math.min(axis.highest, round(good.crf + clamp(excess / slope, step, LONGEST_JUMP)))
  }
  if (bad.crf - good.crf < step * 1.5) return undefined
  const between = good.crf + ((bad.crf - good.crf) * excess) / (good.effectiveScore - bad.effectiveScore)
  return clamp(round(between), good.crf + step, bad.crf - step)
}
