import { isInfo } from '../service/describe/describe-image.ts'
import { answerAccount } from './account-route.ts'
import type { Address } from './address.ts'
import { answerDelivered, answerPurge } from './deliver-route.ts'
import type { AppParts, Exchange } from './exchange.ts'
import { answerExplanation } from './explain-route.ts'
import { prefersPage } from './headers.ts'
import { answerInfo } from './info-route.ts'
import { answerOptimised, refuseNameless } from './optimise-route.ts'
import { answerOpenApi, answerPreflight, answerReport } from './own-routes.ts'
import { answerHome, answerOptions, answerPageFile, PAGE_FILES } from './page-routes.ts'
import { answerResult } from './result-route.ts'

/** One kind of request and its handler. */
export interface Route {
  /** Name in logs and metrics. Each name is a time series. */
  readonly name: string
  /** Whether the route handles an address. */
  readonly at: (address: Address) => boolean
  /** Supported methods at its addresses. */
  readonly methods: readonly string[]
  /** A further condition. The Allow header of a 405 omits routes with a condition. */
  readonly when?: (exchange: Pick<Exchange, 'accept'>) => boolean
  readonly answer: (exchange: Exchange, parts: AppParts) => Promise<void> | void
}

const READ = ['GET', 'HEAD'] as const

const own =
  (path: string) =>
  (address: Address): boolean =>
    address.kind === 'own' && address.path === path

const kind =
  (expected: Address['kind']) =>
  ({ kind }: Address): boolean =>
    kind === expected

const isResult = (address: Address): boolean => address.kind === 'own' && address.path.startsWith('/-/results/')
const isAccount = (address: Address): boolean => address.kind === 'own' && address.path.startsWith('/-/account/')
const isPageFile = (address: Address): boolean => address.kind === 'own' && address.path.startsWith(PAGE_FILES)
const isImage = kind('image')
const isInformation = (address: Address): boolean => address.kind === 'image' && isInfo(address.options)
const isForPage = ({ accept }: Pick<Exchange, 'accept'>): boolean => prefersPage(accept)

/** All routes. The first one that matches a request handles it. */
const ROUTES: readonly Route[] = [
  { name: 'preflight', at: () => true, methods: ['OPTIONS'], when: () => true, answer: answerPreflight },
  { name: 'home', at: kind('home'), methods: READ, answer: answerHome },
  { name: 'optimise', at: kind('home'), methods: ['POST'], when: () => true, answer: refuseNameless },
  { name: 'result', at: isResult, methods: [...READ, 'POST'], answer: answerResult },
  { name: 'own', at: own('/-/live'), methods: READ, answer: answerReport('/-/live') },
  { name: 'own', at: own('/-/ready'), methods: READ, answer: answerReport('/-/ready') },
  { name: 'own', at: own('/-/metrics'), methods: READ, answer: answerReport('/-/metrics') },
  { name: 'own', at: own('/-/openapi.json'), methods: READ, answer: answerOpenApi },
  { name: 'own', at: own('/-/options'), methods: READ, answer: answerOptions },
  { name: 'own', at: isAccount, methods: READ, answer: answerAccount },
  { name: 'own', at: isPageFile, methods: READ, answer: answerPageFile },
  { name: 'info', at: isInformation, methods: ['POST'], answer: answerInfo },
  { name: 'info', at: isInformation, methods: READ, when: () => true, answer: answerInfo },
  { name: 'optimise', at: isImage, methods: ['POST'], answer: answerOptimised },
  { name: 'explain', at: isImage, methods: READ, when: isForPage, answer: answerExplanation },
  // The route checks the right to delivery itself, since that depends on the account.
  { name: 'deliver', at: isImage, methods: READ, when: () => true, answer: answerDelivered },
  { name: 'purge', at: isImage, methods: ['DELETE'], when: () => true, answer: answerPurge },
]

/** The route of a request, or the reason why there is none. */
export type Routed =
  | { readonly kind: 'route'; readonly route: Route }
  | { readonly kind: 'wrong-method'; readonly name: string; readonly allowed: readonly string[] }
  | { readonly kind: 'nowhere' }

/** Finds the route of a request in a table. */
export const findRoute = (
  request: Pick<Exchange, 'address' | 'method' | 'accept'>,
  routes: readonly Route[] = ROUTES,
): Routed => {
  const matching = routes.filter(({ at }) => at(request.address))
  const route = matching.find(({ methods, when }) => methods.includes(request.method) && (when?.(request) ?? true))
  if (route !== undefined) return { kind: 'route', route }
  const unconditional = matching.filter(({ when }) => when === undefined)
  const first = unconditional[0]
  if (first === undefined) return { kind: 'nowhere' }
  return { kind: 'wrong-method', name: first.name, allowed: unconditional.flatMap(({ methods }) => methods) }
}
