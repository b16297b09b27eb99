import { Failure } from '../core/failure.ts'
import { correctSegment } from '../options/correct.ts'
import { describeOptions, describeSegment } from '../options/describe.ts'
import { parseOptions } from '../options/parse.ts'
import { printOptions } from '../options/print.ts'
import type { Account } from '../ports/accounts.ts'
import { authorise, usedUp } from '../service/authorise.ts'
import { readRequest } from '../service/read-request.ts'
import type { OptimiseRequest, Service } from '../service/service.ts'
import { isMisplacedUrl, readImageUrl } from '../source/image-url.ts'
import { withoutCredentials } from '../source/shown-url.ts'
import type { Explanation } from './explain-page.ts'

type Question = Omit<OptimiseRequest, 'receive' | 'onSource'>

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const curlFor = ({ address, isUpload }: Correct): string =>
  `curl ${isUpload ? '-F file=@image.png' : '-X POST'} -o optimised ${quoted(address)}`

const statusAndProblem = async (service: Service, request: Question): Promise<{ status: number; problem?: string }> => {
  try {
    const { account } = await readRequest(service, request)
    if (account.quota !== undefined && account.used >= account.quota) throw usedUp(account)
    return { status: 200 }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { status: error.status, problem: error.message }
  }
}

const accountOf = async (service: Service, { username }: Question): Promise<Account | undefined> => {
  try {
    return await authorise(service.accounts, username)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return undefined
  }
}

/** An image address as it was probably meant, without the password that it may hold: one without a scheme that begins with a host gets `https://`. */
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

interface Correct {
  readonly address: string
  readonly isUpload: boolean
}

/** What the address should have been, as far as that can be told: canonical options, an image address that can be read. */
const correctAddress = (
  { username, options, imageUrl }: Question,
  { base, maxTimeout }: { readonly base: string; readonly maxTimeout: number },
): Correct | undefined => {
  const isMisplaced = options !== undefined && isMisplacedUrl(options)
  const list = options === undefined || isMisplaced ? 'full' : correctSegment(options, { maxTimeout })
  const image = isMisplaced ? [options, imageUrl].filter((part) => part !== undefined).join('/') : imageUrl
  if (list === undefined) return undefined
  if (image === undefined) return { address: `${base}/${username}/${list}`, isUpload: true }
  const url = correctImageUrl(image)
  return url === undefined ? undefined : { address: `${base}/${username}/${list}/${url}`, isUpload: false }
}

/** Whether something had to be corrected: options that are read with a warning, or an image address that is not read as it stands. */
const isCorrection = (
  { options = '', imageUrl }: Question,
  { works, maxTimeout }: { readonly works: boolean; readonly maxTimeout: number },
): boolean => {
  const read = parseOptions(options, { maxTimeout })
  const isAsRead = imageUrl === undefined || correctImageUrl(imageUrl) === imageUrl
  return !works || read.kind === 'wrong' || read.warnings.length > 0 || !isAsRead
}

/**
 * What a `POST` to this address would do, as far as it can be known without spending quota (§1.8). `base` is the
 * service's own address, `address` the whole one that was opened.
 */
export const explain = async (
  service: Service,
  request: Question,
  { base, address }: { readonly base: string; readonly address: string },
): Promise<Explanation> => {
  const told = await statusAndProblem(service, request)
  if (told.status === 403) return { ...told, items: [], plan: [], warnings: [] }
  const account = await accountOf(service, request)
  const maxTimeout = account?.limits.maxTimeout ?? service.settings.maxTimeout
  const corrected = correctAddress(request, { base, maxTimeout })
  const { imageUrl } = request
  const works = told.problem === undefined || told.status === 402
  // An address that works is only called better when something was wrong with it: the order of options is nobody's mistake.
  const isBetter =
    corrected !== undefined && corrected.address !== address && isCorrection(request, { works, maxTimeout })
  const usable = works && !isBetter ? { address, isUpload: imageUrl === undefined } : corrected
  const source = imageUrl === undefined ? undefined : correctImageUrl(imageUrl)
  const common = {
    ...told,
    ...(account === undefined ? {} : { account }),
    ...(imageUrl === undefined ? {} : { imageUrl: withoutCredentials(imageUrl) }),
    ...(source === undefined ? {} : { source }),
    ...(isBetter ? { corrected: corrected.address } : {}),
    ...(usable === undefined ? {} : { curl: curlFor(usable) }),
  }
  if (request.options === undefined || isMisplacedUrl(request.options))
    return { ...common, items: [], plan: [], warnings: [] }
  const { items, outcome } = describeSegment(request.options, { maxTimeout })
  if (outcome.kind === 'wrong') return { ...common, items, plan: [], warnings: [] }
  const { options, warnings } = outcome
  return { ...common, items, plan: describeOptions(options), warnings, list: printOptions(options, { maxTimeout }) }
}
