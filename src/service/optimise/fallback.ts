import { Failure, type FailureCode } from '../../core/failure.ts'
import type { ImageAnswer } from '../../jobs/answer.ts'
import type { Fallback } from '../../ports/accounts.ts'
import { QUICK_SECONDS } from '../deliver/delivery-cache.ts'

/** Failures for an address without a usable image. */
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

/** Whether the fallback image replaces the failure. */
export const lacksImage = (error: unknown): error is Failure => error instanceof Failure && NO_IMAGE.has(error.code)

/** Returns the fallback image with a Warning about the reason, and with the account's lifetime in caches. */
export const asFallback = (answer: ImageAnswer, { maxAge = QUICK_SECONDS }: Fallback, why: Failure): ImageAnswer => ({
  ...answer,
  warnings: [`This is the fallback image of the account. ${why.message}`, ...answer.warnings],
  cacheControl: `public, max-age=${maxAge}`,
})
