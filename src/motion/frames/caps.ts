import { fail } from '../../core/failure.ts'
import type { OutputFormat } from '../../core/image.ts'
import type { Limits } from '../../plan/plan.ts'
import type { Animation } from './frames.ts'
import { playedDelays, sumOf } from './timing.ts'

/** Frames that an animation may have where nothing else is set: each costs work, however small it is. */
export const MAX_FRAMES = 10_000
/** ms that a video may play where nothing else is set. */
export const LONGEST_MS = 600_000

/** Formats that are played as a film is: nobody waits for the end of one that lasts hours. */
const PLAYED: ReadonlySet<OutputFormat> = new Set<OutputFormat>(['webm', 'h264', 'avif'])

/** Refuses what has too many frames, or plays too long for its format. Fails with SOURCE_FRAMES or SOURCE_TOO_LONG. */
export const checkCaps = (
  { frames, delays }: Pick<Animation, 'frames' | 'delays'>,
  format: OutputFormat,
  { maxFrames = MAX_FRAMES, maxDurationMs = LONGEST_MS }: Pick<Limits, 'maxFrames' | 'maxDurationMs'>,
): void => {
  if (frames > maxFrames) throw fail('SOURCE_FRAMES', frames, maxFrames)
  const plays = sumOf(playedDelays(delays, frames))
  if (PLAYED.has(format) && plays > maxDurationMs) throw fail('SOURCE_TOO_LONG', plays, maxDurationMs, format)
}
