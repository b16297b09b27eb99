import { Failure } from '../core/failure.ts'
import { describeOptions, describeSegment } from '../options/describe.ts'
import { usedUp } from '../service/authorise.ts'
import { readRequest } from '../service/read-request.ts'
import type { OptimiseRequest, Service } from '../service/service.ts'
import { isMisplacedUrl } from '../source/image-url.ts'
import { withoutCredentials } from '../source/shown-url.ts'
import type { Explanation } from './explain-page.ts'

type Question = Omit<OptimiseRequest, 'receive' | 'onSource'>

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const curlFor = (request: Question, address: string): string =>
  request.imageUrl === undefined
    ? `curl -F file=@image.png -o optimised ${quoted(address)}`
    : `curl -X POST -o optimised ${quoted(address)}`

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

/** What a `POST` to this address would do, as far as it can be known without spending quota (§1.8). */
export const explain = async (service: Service, request: Question, address: string): Promise<Explanation> => {
  const told = await statusAndProblem(service, request)
  const base = {
    ...told,
    curl: curlFor(request, address),
    ...(request.imageUrl === undefined ? {} : { imageUrl: withoutCredentials(request.imageUrl) }),
  }
  if (request.options === undefined || told.status === 403 || isMisplacedUrl(request.options))
    return { ...base, items: [], plan: [], warnings: [] }
  const { items, outcome } = describeSegment(request.options, { maxTimeout: service.settings.maxTimeout })
  return outcome.kind === 'ok'
    ? { ...base, items, plan: describeOptions(outcome.options), warnings: outcome.warnings }
    : { ...base, items, plan: [], warnings: [] }
}
