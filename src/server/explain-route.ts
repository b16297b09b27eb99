import { fail } from '../core/failure.ts'
import { showPath } from './describe-address.ts'
import type { AppParts, Exchange } from './exchange.ts'
import { explain } from './explain.ts'
import { explainPage } from './explain-page.ts'
import { PAGE_HEADERS } from './pages.ts'
import { questionOf } from './question.ts'
import { sendText } from './respond.ts'

/** Most of an address that is shown. */
const SHOWN_LENGTH = 4000

/** Explains an address that was opened in a browser (§1.8). */
export const answerExplanation = async (exchange: Exchange, { site, service }: AppParts): Promise<void> => {
  const { address, base } = exchange
  if (address.kind !== 'image') throw fail('NO_SUCH_PAGE')
  const { receive: _receive, ...question } = questionOf(exchange, address, site)
  const shown = (base + showPath(address)).slice(0, SHOWN_LENGTH)
  const told = await explain(service, { ...question, signal: AbortSignal.timeout(10_000) }, shown)
  sendText(exchange, { status: told.status, headers: PAGE_HEADERS, body: explainPage(told) })
}
