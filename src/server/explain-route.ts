import { fail } from '../core/failure.ts'
import { splitSignature } from '../service/deliver/delivery-right.ts'
import { showPath } from './describe-address.ts'
import { type AppParts, type Exchange, rootOf } from './exchange.ts'
import { explain } from './explain.ts'
import { explainPage } from './explain-page.ts'
import { pageHeaders } from './pages.ts'
import { sendText } from './respond.ts'
import { workRequestOf } from './work-request.ts'

/** Explains an address that was opened in a browser (§1.8). */
export const answerExplanation = async (exchange: Exchange, { site, service }: AppParts): Promise<void> => {
  const { address, base } = exchange
  if (address.kind !== 'image') throw fail('NO_SUCH_PAGE')
  const { receive: _receive, ...given } = workRequestOf(exchange, address, site)
  // Removes the signature, which is for delivery only, so that no reader copies it from the page.
  const workRequest = given.options === undefined ? given : { ...given, options: splitSignature(given.options).options }
  const request = { ...workRequest, signal: AbortSignal.timeout(10_000) }
  const explanation = await explain(service, request, { base, address: base + showPath(address) })
  const { source, list } = explanation
  const setup = {
    root: rootOf(exchange),
    maxTimeout: explanation.account?.limits.maxTimeout ?? service.settings.maxTimeout,
    ...(source === undefined ? {} : { source }),
    ...(list === undefined ? {} : { list }),
  }
  const rights = source === undefined ? {} : { images: new URL(source).origin }
  sendText(exchange, {
    status: explanation.status,
    headers: { ...pageHeaders(rights), Vary: 'Accept' },
    body: explainPage(explanation, setup),
  })
}
