import type { Box } from '../../src/core/image.ts'
import type { Rectangle } from './labels.ts'

/** How well one window shows a subject. */
export interface Shown {
  /** Share of the subject that is shown, of what the best window could show. */
  readonly kept: number
  /** Shown whole; undefined where no window of the shape could. */
  readonly whole?: boolean
}

const overlap = (window: Box, [x, y, width, height]: Rectangle): number =>
  Math.max(0, Math.min(window.left + window.width, x + width) - Math.max(window.left, x)) *
  Math.max(0, Math.min(window.top + window.height, y + height) - Math.max(window.top, y))

/** Scores a window against the best one of its size. */
export const scoreWindow = (window: Box, subject: Rectangle): Shown => {
  const [, , width, height] = subject
  const best = Math.min(width, window.width) * Math.min(height, window.height)
  const kept = overlap(window, subject) / best
  const fits = width <= window.width * 1.0001 && height <= window.height * 1.0001
  return fits ? { kept, whole: kept >= 0.99 } : { kept }
}

const percent = (share: number): string => (100 * share).toFixed(1)

/** `kept / whole / lost` in per cent: lost is less than half of what was possible. */
export const summarise = (shown: readonly Shown[]): string => {
  const kept = shown.reduce((sum, one) => sum + one.kept, 0) / shown.length
  const possible = shown.filter(({ whole }) => whole !== undefined)
  const whole = possible.filter((one) => one.whole === true).length / Math.max(1, possible.length)
  const lost = shown.filter((one) => one.kept < 0.5).length / shown.length
  return `${percent(kept)} / ${possible.length === 0 ? '-' : percent(whole)} / ${percent(lost)}`
}
