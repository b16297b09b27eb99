import { fail } from '../core/failure.ts'
import { splitSignature } from '../service/delivery-right.ts'
import { showPath } from './describe-address.ts'
import { type AppParts, type Exchange, rootOf } from './exchange.ts'
import { explain } from './explain.ts'
import { explainPage } from './explain-page.ts'
import { pageHeaders } from './pages.ts'
import { questionOf } from './question.ts'
import { sendText } from './respond.ts'

/** Most of an address that is shown. */
const SHOWN_LENGTH = 4000

/** Explains an address that was opened in a browser (§1.8). */
export const answerExplanation = async (exchange: Exchange, { site, service }: AppParts): Promise<void> => {
  const { address, base } = exchange
  if (address.kind !== 'image') throw fail('NO_SUCH_PAGE')
  const { receive: _receive, ...asIs } = questionOf(exchange, address, site)
  // A signature is for delivery alone: it stands in no option list that is explained or copied.
  const question = asIs.options === undefined ? asIs : { ...asIs, options: splitSignature(asIs.options).list }
  const shown = (base + showPath(address)).slice(0, SHOWN_LENGTH)
  const asked = { ...question, signal: AbortSignal.timeout(10_000) }
  const told = await explain(service, asked, { base, address: shown })
  const { source, list } = told
  const setup = {
    root: rootOf(exchange),
    maxTimeout: told.account?.limits.maxTimeout ?? service.settings.maxTimeout,
    ...(source === undefined ? {} : { source }),
    ...(list === undefined ? {} : { list }),
  }
  const rights = source === undefined ? {} : { images: new URL(source).origin }
  sendText(exchange, {
    status: told.status,
    headers: { ...pageHeaders(rights), Vary: 'Accept' },
    body: explainPage(told, setup),
  })
}
