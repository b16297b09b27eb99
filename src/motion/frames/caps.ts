import { fail } from '../../core/failure.ts'
import type { OutputFormat } from '../../core/image.ts'
import type { Limits } from '../../plan/plan.ts'
import type { Animation } from './frames.ts'
import { playedDelays, sumOf } from './timing.ts'

/** Formats that are played like a film: one of hours is not an image. */
const PLAYED: ReadonlySet<OutputFormat> = new Set<OutputFormat>(['webm', 'h264', 'avif'])

/** Fails with SOURCE_FRAMES for too many frames, and with SOURCE_TOO_LONG for a duration beyond what the format allows. */
export const checkCaps = (
  { frames, delays }: Pick<Animation, 'frames' | 'delays'>,
  format: OutputFormat,
  {
    maxFrames = Number.POSITIVE_INFINITY,
    maxDurationMs = Number.POSITIVE_INFINITY,
  }: Pick<Limits, 'maxFrames' | 'maxDurationMs'>,
): void => {
  if (frames > maxFrames) throw fail('SOURCE_FRAMES', frames, maxFrames)
  const plays = sumOf(playedDelays(delays, frames))
  if (PLAYED.has(format) && plays > maxDurationMs) throw fail('SOURCE_TOO_LONG', plays, maxDurationMs, format)
}
