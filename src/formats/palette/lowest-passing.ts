/** A place that was looked at, or one beyond the ends; by how much it is above the goal, below 0 where it fails, if that is known. */
interface Looked {
  readonly place: number
  readonly above?: number | undefined
}

/** Points by which a palette is typically nearer to the goal than the one a place before it. */
const RISE = 1.5
/** Places farther below the goal than this are alike: a line to them would lead astray. */
const LOWEST = -12
/** So far a guess goes at most that knows one side alone. */
const FARTHEST = 12
/** After so many guesses the middle is looked at: they may come nearer from one side alone. */
const GUESSES = 3

/** Where a line from below 0 at one place to above 0 at the other reaches it; `ratio` of the first to the second. */
const between = (fails: number, passes: number, ratio: number): number =>
  Math.ceil(fails + ((passes - fails) * ratio) / (ratio - 1))

/** Where the goal is likely to be reached, between the last place that fails and the first that passes. */
const guess = (fails: Looked, passes: Looked): number => {
  if (fails.above !== undefined && passes.above !== undefined && fails.above < 0 && passes.above > 0)
    return between(fails.place, passes.place, Math.max(LOWEST, fails.above) / passes.above)
  if (passes.above !== undefined) return passes.place - Math.min(FARTHEST, Math.ceil(passes.above / RISE))
  if (fails.above !== undefined) return fails.place + Math.min(FARTHEST, Math.ceil(-fails.above / RISE))
  return (fails.place + passes.place) >> 1
}

/**
 * The lowest place of 0..`last` where `passes` holds, if it holds from there on; undefined when it does not hold at `last`.
 * `start` is looked at first, then where `above` (by how much a place that was looked at is above the goal) leads, then the middle.
 */
export const lowestPassing = (
  last: number,
  start: number,
  passes: (place: number) => boolean,
  above: (place: number) => number | undefined = () => undefined,
): number | undefined => {
  let failing: Looked = { place: -1 }
  let passing: Looked = { place: last + 1 }
  for (let looks = 0; passing.place - failing.place > 1; looks += 1) {
    const middle = (failing.place + passing.place) >> 1
    const next = looks === 0 ? start : looks > GUESSES ? middle : guess(failing, passing)
    const place = Math.max(failing.place + 1, Math.min(passing.place - 1, next))
    if (passes(place)) passing = { place, above: above(place) }
    else failing = { place, above: above(place) }
  }
  return passing.place > last ? undefined : passing.place
}

/** Places that are tried beyond the first, and by how many each goes farther than the one before. */
const RETRIES = 4
const WIDER = 2
/** So near to one that fails, a place that passes is low enough. */
const NEAR = 3

/** What came of a place: `proven` where it passes, and by how much it is above the goal, if that is known. */
interface Outcome {
  readonly proven?: unknown
  readonly above?: number
}

/**
 * What came of a low place that passes, from `first` to `last`, where each look is dear: `first` itself, else the higher the farther it
 * is off, then half way back while that is far from the last that failed. Undefined where none of a few passes.
 */
export const climb = <O extends Outcome>(first: number, last: number, at: (place: number) => O): O | undefined => {
  let failing = first - 1
  let place = first
  let found: O | undefined
  for (let tries = 0; tries <= RETRIES; tries += 1) {
    const outcome = at(place)
    if (outcome.proven !== undefined) {
      found = outcome
      if (place - failing <= NEAR) break
      place = failing + ((place - failing) >> 1)
      continue
    }
    failing = place
    if (found !== undefined || place === last) break
    place = Math.min(last, place + Math.max(1, Math.ceil(-(outcome.above ?? 0) / RISE)) + WIDER * tries)
  }
  return found
}
