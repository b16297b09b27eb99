import { Failure, type FailureCode } from '../../core/failure.ts'
import type { ImageAnswer } from '../../jobs/answer.ts'
import type { Fallback } from '../../ports/accounts.ts'

/** Seconds that caches keep a fallback image where its account says nothing: as long as a quick first result. */
const DEFAULT_MAX_AGE = 60

/** Failures that say that there is no image at the address, or none that can be shown. */
const NO_IMAGE: ReadonlySet<FailureCode> = new Set<FailureCode>([
  'ORIGIN_FORBIDS',
  'ORIGIN_FAILED',
  'ORIGIN_TOO_SLOW',
  'SOURCE_NOT_FOUND',
  'SOURCE_UNREACHABLE',
  'NOT_AN_IMAGE',
  'FORMAT_UNSUPPORTED',
  'SOURCE_DAMAGED',
  'SOURCE_TOO_HEAVY',
  'SOURCE_TOO_LARGE',
  'SOURCE_TOO_MANY_FRAMES',
  'IMAGE_TOO_COMPLEX',
  'SVG_TOO_COMPLEX',
])

/** Whether a fallback image stands in for what failed. */
export const lacksImage = (error: unknown): error is Failure => error instanceof Failure && NO_IMAGE.has(error.code)

/** A delivered fallback image: the Warning says why it is here, and caches keep it as long as the account wants. */
export const asFallback = (answer: ImageAnswer, { maxAge = DEFAULT_MAX_AGE }: Fallback, why: Failure): ImageAnswer => ({
  ...answer,
  warnings: [`This is the fallback image of the account. ${why.message}`, ...answer.warnings],
  cacheControl: `public, max-age=${maxAge}`,
})
