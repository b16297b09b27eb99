import { MAX_REMEMBERED } from '../../core/intervals.ts'
import type { Rate } from '../../ports/rate.ts'

/** A window of 60 s overlaps up to 61 whole seconds. */
const SLOTS = 61

interface Minute {
  /** The newest counted second. */
  second: number
  readonly counts: Uint32Array
}

const advance = (minute: Minute, second: number): void => {
  const passed = Math.min(SLOTS, second - minute.second)
  for (let step = 1; step <= passed; step++) minute.counts[(minute.second + step) % SLOTS] = 0
  if (passed > 0) minute.second = second
}

/** Removes every account that was idle for a minute, then the account with the oldest request. */
const forget = (accounts: Map<string, Minute>, second: number): void => {
  for (const [username, minute] of accounts) if (second - minute.second >= SLOTS) accounts.delete(username)
  const [oldest] = accounts.keys()
  if (oldest !== undefined) accounts.delete(oldest)
}

/**
 * Rates of one process: at most `perMinute` requests in any 60 seconds. Counts by the second, so an account takes 250 bytes at any rate.
 * `now` in ms.
 */
export const openInProcessRate = ({ maxAccounts = MAX_REMEMBERED, now = () => performance.now() } = {}): Rate => {
  const accounts = new Map<string, Minute>()
  return {
    allow: (username, perMinute) => {
      if (perMinute <= 0) return true
      const second = Math.floor(now() / 1000)
      const minute = accounts.get(username) ?? { second, counts: new Uint32Array(SLOTS) }
      advance(minute, second)
      accounts.delete(username)
      if (accounts.size >= maxAccounts) forget(accounts, second)
      accounts.set(username, minute)
      if (minute.counts.reduce((sum, count) => sum + count, 0) >= perMinute) return false
      minute.counts[second % SLOTS]! += 1
      return true
    },
  }
}
