import { Failure } from '../core/failure.ts'
import { correctSegment } from '../options/correct.ts'
import { describeOptions, describeSegment } from '../options/describe.ts'
import type { OptionLimits } from '../options/options.ts'
import { parseOptions } from '../options/parse.ts'
import { printOptions } from '../options/print.ts'
import type { Account } from '../ports/accounts.ts'
import { usedUp } from '../service/accounts/authorise.ts'
import { optionLimitsOf } from '../service/accounts/option-limits.ts'
import { identifyRequest, readIdentified } from '../service/accounts/read-request.ts'
import type { OptimiseRequest, Service } from '../service/service.ts'
import { isMisplacedUrl, readImageUrl } from '../source/image-url.ts'
import { withoutCredentials } from '../source/shown-url.ts'
import type { Explanation } from './explain-page.ts'

type ExplainedRequest = Omit<OptimiseRequest, 'receive' | 'onSource'>

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const curlFor = ({ address, isUpload }: CorrectAddress): string =>
  `curl -fL ${isUpload ? '-F file=@image.png' : '-X POST'} -o optimised ${quoted(address)}`

/** Returns the status of a request, its error and its account. Omits the account for a client that may not use it, or that guesses usernames. */
const check = async (
  service: Service,
  request: ExplainedRequest,
): Promise<Pick<Explanation, 'status' | 'problem' | 'account'>> => {
  let known: { readonly account?: Account } = {}
  try {
    const identified = await identifyRequest(service, request, 'account')
    const { account } = identified
    known = { account }
    readIdentified(service, request, identified)
    if (account.quota !== undefined && account.used >= account.quota) throw usedUp(account)
    return { status: 200, account }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { status: error.status, problem: error.message, ...known }
  }
}

/** Returns the image address that was probably meant, without its password. Adds `https://` to an address that starts with a host. */
const correctImageUrl = (given: string): string | undefined => {
  for (const text of [
    given,
    ...(/^[a-z\d-]+(?:\.[a-z\d-]+)*\.[a-z]{2,}(?:[:/]|$)/i.test(given) ? [`https://${given}`] : []),
  ])
    try {
      return withoutCredentials(readImageUrl(text).href)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
    }
  return undefined
}

interface CorrectAddress {
  readonly address: string
  readonly isUpload: boolean
}

/** Returns the address that was probably meant, with canonical options and a valid image address. Returns undefined if it is unclear. */
const correctAddress = (
  { username, options, imageUrl }: ExplainedRequest,
  { base, limits }: { readonly base: string; readonly limits: OptionLimits },
): CorrectAddress | undefined => {
  const isMisplaced = options !== undefined && isMisplacedUrl(options)
  const list = options === undefined || isMisplaced ? 'full' : correctSegment(options, limits)
  const image = isMisplaced ? [options, imageUrl].filter((part) => part !== undefined).join('/') : imageUrl
  if (list === undefined) return undefined
  if (image === undefined) return { address: `${base}/${username}/${list}`, isUpload: true }
  const url = correctImageUrl(image)
  return url === undefined ? undefined : { address: `${base}/${username}/${list}/${url}`, isUpload: false }
}

/** Whether the corrected address fixes something: an error, options with a Warning, or a noncanonical image address. */
const isCorrection = (
  { options = '', imageUrl }: ExplainedRequest,
  { works, limits }: { readonly works: boolean; readonly limits: OptionLimits },
): boolean => {
  const read = parseOptions(options, limits)
  const isAsRead = imageUrl === undefined || correctImageUrl(imageUrl) === imageUrl
  return !works || read.kind === 'wrong' || read.warnings.length > 0 || !isAsRead
}

/**
 * Explains the effect of a `POST` to this address, without spending quota (§1.8). `base`: the service's address. `address`: the whole
 * address that was opened.
 */
export const explain = async (
  service: Service,
  request: ExplainedRequest,
  { base, address }: { readonly base: string; readonly address: string },
): Promise<Explanation> => {
  const { account, ...checked } = await check(service, request)
  if (checked.status === 401 || checked.status === 403) return { ...checked, items: [], plan: [], warnings: [] }
  const limits = optionLimitsOf(service, account)
  const corrected = correctAddress(request, { base, limits })
  const { imageUrl } = request
  const works = checked.problem === undefined || checked.status === 402
  // A working address gets a better one only to fix something. Another order of options is not an error.
  const isBetter = corrected !== undefined && corrected.address !== address && isCorrection(request, { works, limits })
  const usable = works && !isBetter ? { address, isUpload: imageUrl === undefined } : corrected
  const source = imageUrl === undefined ? undefined : correctImageUrl(imageUrl)
  const common = {
    ...checked,
    ...(account === undefined ? {} : { account }),
    ...(imageUrl === undefined ? {} : { imageUrl: withoutCredentials(imageUrl) }),
    ...(source === undefined ? {} : { source }),
    ...(isBetter ? { corrected: corrected.address } : {}),
    ...(usable === undefined ? {} : { curl: curlFor(usable) }),
  }
  if (request.options === undefined || isMisplacedUrl(request.options))
    return { ...common, items: [], plan: [], warnings: [] }
  const { items, outcome } = describeSegment(request.options, limits)
  if (outcome.kind === 'wrong') return { ...common, items, plan: [], warnings: [] }
  const { options, warnings } = outcome
  return { ...common, items, plan: describeOptions(options), warnings, list: printOptions(options, limits) }
}
