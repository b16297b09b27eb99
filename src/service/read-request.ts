import { Failure, fail } from '../core/failure.ts'
import type { Options } from '../options/options.ts'
import { parseOptions } from '../options/parse.ts'
import type { Account } from '../ports/accounts.ts'
import { isMisplacedUrl, readImageUrl } from '../source/image-url.ts'
import { authorise } from './authorise.ts'
import { splitSignature } from './delivery-right.ts'
import { refuseDemo } from './demo.ts'
import type { OptimiseRequest, Service } from './service.ts'

/** A request whose account, options and address are known to be right. */
export interface ReadRequest {
  readonly account: Account
  readonly options: Options
  readonly warnings: readonly string[]
  /** Absent for an upload. */
  readonly url: URL | undefined
  /** Most seconds that this account's timeout= may ask for. */
  readonly maxTimeout: number
  /** What stood in the options beside them: sig= (§8.1). */
  readonly signature?: string
  /** The raw options without it. */
  readonly list: string
}

/** The account of the username, 403 when there is none, unless too many wrong ones came from the same address. */
export const findAccount = async (
  { accounts, guesses }: Service,
  { username, origin }: Pick<OptimiseRequest, 'username' | 'origin'>,
): Promise<Account> => {
  guesses.check(origin.address, username)
  try {
    const account = await authorise(accounts, username)
    guesses.right(origin.address, username)
    return account
  } catch (error) {
    if (error instanceof Failure && error.code === 'USERNAME_UNKNOWN') guesses.wrong(origin.address)
    throw error
  }
}

/** Reads username, then options, then address, in the order of §6; nothing is spent by it. */
export const readRequest = async (
  service: Service,
  request: Omit<OptimiseRequest, 'receive' | 'onSource'>,
): Promise<ReadRequest> => {
  const account = await findAccount(service, request)
  refuseDemo(account.username, request.origin)
  if (request.options === undefined) throw fail('OPTIONS_MISSING')
  if (isMisplacedUrl(request.options)) throw fail('IMAGE_URL_IN_OPTIONS')
  const maxTimeout = account.limits.maxTimeout ?? service.settings.maxTimeout
  const { list, signature } = splitSignature(request.options)
  const parsed = parseOptions(list, { maxTimeout })
  if (parsed.kind === 'wrong') throw parsed.failure
  const url = request.imageUrl === undefined ? undefined : readImageUrl(request.imageUrl)
  const read = { account, options: parsed.options, warnings: parsed.warnings, url, maxTimeout, list }
  return signature === undefined ? read : { ...read, signature }
}
