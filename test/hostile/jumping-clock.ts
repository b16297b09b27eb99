/** Loaded into a service before anything else: at each SIGUSR2 the time of day jumps, a month ahead and two days back in turns. */
const DAY_MS = 86_400_000
const JUMPS = [30 * DAY_MS, -2 * DAY_MS]

const now = Date.now
let offset = 0
let jumps = 0
Date.now = () => now() + offset
process.on('SIGUSR2', () => {
  offset += JUMPS[jumps % JUMPS.length]!
  jumps += 1
})
