import { Failure, fail } from '../../core/failure.ts'
import type { Options } from '../../options/options.ts'
import { parseOptions } from '../../options/parse.ts'
import type { Account } from '../../ports/accounts.ts'
import { isMisplacedUrl, readImageUrl } from '../../source/image-url.ts'
import { splitSignature } from '../deliver/delivery-right.ts'
import type { OptimiseRequest, Service } from '../service.ts'
import { checkAccess, checkAllowed } from './access-right.ts'
import { authorise } from './authorise.ts'
import { refuseDemo } from './demo.ts'
import { optionLimitsOf } from './option-limits.ts'

/** A request with a valid account, options and address. */
export interface ReadRequest {
  readonly account: Account
  readonly options: Options
  readonly warnings: readonly string[]
  /** Absent for an upload. */
  readonly url: URL | undefined
  /** Maximum seconds of timeout= for this account. */
  readonly maxTimeout: number
  /** The value of sig= among the options (§8.1). */
  readonly signature?: string
  /** The value of exp= (§8.1): seconds since 1970. */
  readonly expires?: number
  /** The raw options that a signature covers. */
  readonly list: string
}

/** Returns the account of the username. Fails with 403 without one, and with 429 after too many unknown usernames from the same address. */
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

type UnreadRequest = Omit<OptimiseRequest, 'receive' | 'onSource'>

/** The right that a request needs. `account`: the account's key. `address`: a listed or signed address, as in pages (§8.1). */
export type RequestRight = 'account' | 'address'

/** A request with a known account. Options and address are not parsed yet. */
export interface IdentifiedRequest extends Pick<ReadRequest, 'account' | 'list' | 'signature' | 'expires'> {}

/** Finds the account. Fails with 403 without one, and with 401 when `right` is `account` and the account's key is missing. */
export const identifyRequest = async (
  service: Service,
  request: UnreadRequest,
  right: RequestRight = 'address',
): Promise<IdentifiedRequest> => {
  const account = await findAccount(service, request)
  if (right === 'account') checkAccess(account, request.origin)
  refuseDemo(account.username, request.origin)
  const { options: _plain, ...signing } = splitSignature(request.options ?? '')
  return { account, ...signing }
}

/** Parses options, then address, in the order of §6. Costs no quota. */
export const readIdentified = (
  service: Service,
  request: UnreadRequest,
  identified: IdentifiedRequest,
): ReadRequest => {
  const { account } = identified
  if (request.options === undefined) throw fail('OPTIONS_MISSING')
  if (isMisplacedUrl(request.options)) throw fail('IMAGE_URL_IN_OPTIONS')
  const limits = optionLimitsOf(service, account)
  const parsed = parseOptions(splitSignature(request.options).options, limits)
  if (parsed.kind === 'wrong') throw parsed.failure
  checkAllowed(account, parsed.options)
  const url = request.imageUrl === undefined ? undefined : readImageUrl(request.imageUrl)
  return { ...identified, options: parsed.options, warnings: parsed.warnings, url, maxTimeout: limits.maxTimeout }
}

/** Parses username, then options, then address, in the order of §6. Costs no quota. */
export const readRequest = async (service: Service, request: UnreadRequest): Promise<ReadRequest> =>
  readIdentified(service, request, await identifyRequest(service, request, 'account'))
