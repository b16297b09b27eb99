import { fail } from '../core/failure.ts'
import { splitSignature } from '../service/deliver/delivery-right.ts'
import { showPath } from './describe-address.ts'
import { type AppParts, type Exchange, rootOf } from './exchange.ts'
import { explain } from './explain.ts'
import { explainPage } from './explain-page.ts'
import { pageHeaders } from './pages.ts'
import { questionOf } from './question.ts'
import { sendText } from './respond.ts'

/** Explains an address that was opened in a browser (§1.8). */
export const answerExplanation = async (exchange: Exchange, { site, service }: AppParts): Promise<void> => {
  const { address, base } = exchange
  if (address.kind !== 'image') throw fail('NO_SUCH_PAGE')
  const { receive: _receive, ...asIs } = questionOf(exchange, address, site)
  // A signature is only for delivery. It appears in no list that is explained or copied.
  const question = asIs.options === undefined ? asIs : { ...asIs, options: splitSignature(asIs.options).options }
  const asked = { ...question, signal: AbortSignal.timeout(10_000) }
  const explanation = await explain(service, asked, { base, address: base + showPath(address) })
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
