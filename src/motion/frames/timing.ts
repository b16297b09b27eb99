/** Browsers show a frame of less than 10 ms as long as 100 ms, in GIF as in WebP. */
const SHORT_FRAME = { shortestKeptMs: 10, shownInsteadMs: 100 } as const

/** How long browsers show each frame, in ms, from the delays that the file stores; one for each of `frames`. */
export const playedDelays = (stored: readonly number[], frames: number): number[] =>
  Array.from({ length: frames }, (_, i) => {
    const delay = stored[i] ?? stored.at(-1) ?? 0
    return delay <= SHORT_FRAME.shortestKeptMs ? SHORT_FRAME.shownInsteadMs : delay
  })

export const sumOf = (delays: readonly number[]): number => delays.reduce((sum, delay) => sum + delay, 0)

/** Delays in whole hundredths of a second (GIF's unit), in ms, so that the sum stays true: 33, 33, 34 becomes 30, 40, 30. */
export const toHundredths = (delays: readonly number[]): number[] => {
  let end = 0
  let given = 0
  return delays.map((delay) => {
    end += delay
    // Below 20 ms browsers would take it for 100 ms.
    const own = Math.max(2, Math.round((end - given) / 10)) * 10
    given += own
    return own
  })
}

/** When each frame begins, in ms from the start. */
export const startTimes = (delays: readonly number[]): number[] => {
  let at = 0
  return delays.map((delay) => {
    const start = at
    at += delay
    return start
  })
}
