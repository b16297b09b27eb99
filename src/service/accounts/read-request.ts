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

/** A request whose account, options and address are known to be right. */
export interface ReadRequest {
  readonly account: Account
  readonly options: Options
  readonly warnings: readonly string[]
  /** Absent for an upload. */
  readonly url: URL | undefined
  /** Most seconds that this account's timeout= may ask for. */
  readonly maxTimeout: number
  /** The value of sig= among the options (§8.1). */
  readonly signature?: string
  /** The value of exp= (§8.1): seconds since 1970. */
  readonly expires?: number
  /** The raw options that a signature covers. */
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

type Asked = Omit<OptimiseRequest, 'receive' | 'onSource'>

/** By what a request is allowed: as the account's own, or by the address that it asks for (§8.1), which pages carry without a key. */
export type RequestRight = 'account' | 'address'

/** Whose request it is, and its raw options; nothing else of it has been read. */
export interface IdentifiedRequest extends Pick<ReadRequest, 'account' | 'list' | 'signature' | 'expires'> {}

/** Reads the username: 403 where there is no such account, 401 where it wants a key and the right is that of the account. */
export const identifyRequest = async (
  service: Service,
  request: Asked,
  right: RequestRight = 'address',
): Promise<IdentifiedRequest> => {
  const account = await findAccount(service, request)
  if (right === 'account') checkAccess(account, request.origin)
  refuseDemo(account.username, request.origin)
  const { options: _plain, ...signing } = splitSignature(request.options ?? '')
  return { account, ...signing }
}

/** Reads options, then address, in the order of §6; nothing is spent by it. */
export const readIdentified = (service: Service, request: Asked, identified: IdentifiedRequest): ReadRequest => {
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

/** Reads username, then options, then address, in the order of §6; nothing is spent by it. */
export const readRequest = async (service: Service, request: Asked): Promise<ReadRequest> =>
  readIdentified(service, request, await identifyRequest(service, request, 'account'))
