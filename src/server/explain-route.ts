import { fail } from '../core/failure.ts'
import type { AppParts, Exchange } from './exchange.ts'
import { explain } from './explain.ts'
import { explainPage } from './explain-page.ts'
import { PAGE_HEADERS } from './pages.ts'
import { questionOf } from './question.ts'
import { sendText } from './respond.ts'

/** Most of a target that is shown. */
const TARGET_LENGTH = 4000

const pathOf = (target: string, prefix: string): string =>
  prefix !== '' && target.startsWith(`${prefix}/`) ? target.slice(prefix.length) : target

/** Explains an address that was opened in a browser (§1.8). */
export const answerExplanation = async (exchange: Exchange, { site, service }: AppParts): Promise<void> => {
  const { request, address, base } = exchange
  if (address.kind !== 'image') throw fail('NO_SUCH_PAGE')
  const { receive: _receive, ...question } = questionOf(exchange, address, site)
  const path = pathOf((request.url ?? '/').slice(0, TARGET_LENGTH), site.pathPrefix)
  const told = await explain(service, { ...question, signal: AbortSignal.timeout(10_000) }, base + path)
  sendText(exchange, { status: told.status, headers: PAGE_HEADERS, body: explainPage(told) })
}
