/**
 * The lowest place of 0..`last` where `passes` holds, if it holds from there on, by bisection; undefined when it does not
 * hold at `last`. `start` is looked at first.
 */
export const lowestPassing = (last: number, start: number, passes: (place: number) => boolean): number | undefined => {
  let low = 0
  let high = last + 1
  let at = start
  while (low < high) {
    if (passes(at)) high = at
    else low = at + 1
    at = (low + high) >> 1
  }
  return high > last ? undefined : high
}
