import { fail } from '../core/failure.ts'
import { optionLimitsOf } from '../service/accounts/option-limits.ts'
import { identifyRequest } from '../service/accounts/read-request.ts'
import type { AppParts, Exchange } from './exchange.ts'
import { sendText } from './respond.ts'
import { workRequestOf } from './work-request.ts'

const ACCOUNT = /^\/-\/account\/([^/]+)$/

/** Sends the limits, defaults and presets of an account to a client that may use it (§6.2): `{ "maxTimeout", "meta", "presets" }`. */
export const answerAccount = async (exchange: Exchange, { site, service }: AppParts): Promise<void> => {
  const { address } = exchange
  const username = address.kind === 'own' ? ACCOUNT.exec(address.path)?.[1] : undefined
  if (username === undefined) throw fail('NO_SUCH_PAGE')
  const request = workRequestOf(exchange, { kind: 'image', username, options: undefined, imageUrl: undefined }, site)
  const { account } = await identifyRequest(service, { ...request, signal: AbortSignal.timeout(10_000) }, 'account')
  const { maxTimeout, defaultMeta = 'none', presets = new Map() } = optionLimitsOf(service, account)
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }
  const body = JSON.stringify({ maxTimeout, meta: defaultMeta, presets: Object.fromEntries(presets) })
  sendText(exchange, { status: 200, headers, body })
}
