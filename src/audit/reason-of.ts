import { Failure, type FailureCode } from '../core/failure.ts'

/** Failures of the fetcher in words for any file of a site. The service's own words name an image and its upload. */
const OF_A_SITE: ReadonlyMap<FailureCode, (detail: unknown) => string> = new Map([
  ['SOURCE_UNREACHABLE', () => 'no public address is known for its host name'],
  ['SOURCE_PRIVATE', (host: unknown) => `${host} is a private address, which is not read`],
  ['SOURCE_NOT_FOUND', (status: unknown) => `its server answered ${status}`],
  ['ORIGIN_FORBIDS', (status: unknown) => `its server refused access to it (status ${status})`],
  ['ORIGIN_FAILED', (why: unknown) => `its server failed: ${why}`],
  ['ORIGIN_TOO_SLOW', () => 'its server did not answer in time'],
])

/** The reason why a file of a site could not be read or measured, without a full stop where it is one of the fetcher's. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Failure)) return error instanceof Error ? error.message : String(error)
  return OF_A_SITE.get(error.code)?.(error.args[0]) ?? error.message
}
