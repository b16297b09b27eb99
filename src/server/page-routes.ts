import type { IncomingMessage } from 'node:http'
import { fail } from '../core/failure.ts'
import { DEMO } from '../service/accounts/demo.ts'
import { isLocal } from './client.ts'
import { type AppParts, type Exchange, rootOf } from './exchange.ts'
import { CORS } from './headers.ts'
import { optionsPage } from './options-page.ts'
import { readPageFiles } from './page-files.ts'
import { homePage, pageHeaders } from './pages.ts'
import { PLAYGROUND_RIGHTS, playgroundPage } from './playground.ts'
import { matches, sendText } from './respond.ts'

/** Path prefix of the pages' files. */
export const PAGE_FILES = '/-/page/'

let files: ReturnType<typeof readPageFiles> | undefined
/** Reads the files on first use. */
const pageFiles = (): ReturnType<typeof readPageFiles> => {
  files ??= readPageFiles()
  return files
}

const showsPlayground = ({ site }: AppParts, request: IncomingMessage): boolean =>
  pageFiles().has('playground.js') &&
  (site.playground === 'on' || (site.playground === 'auto' && !site.beyondLoopback && isLocal(request)))

/** Returns `demo` if this request may use it, otherwise an empty name. */
const accountFor = async ({ service, site }: AppParts, request: IncomingMessage): Promise<string> => {
  const isOpen = !site.beyondLoopback && isLocal(request) && (await service.accounts.find(DEMO))?.plan === DEMO
  return isOpen ? DEMO : ''
}

/** Sends the page at the base address: the playground, or a short text. */
export const answerHome = async (exchange: Exchange, parts: AppParts): Promise<void> => {
  const { request, base } = exchange
  const root = rootOf(exchange)
  if (!showsPlayground(parts, request))
    return sendText(exchange, { status: 200, headers: pageHeaders(), body: homePage(root, base) })
  const { limits, maxTimeout } = parts.service.settings
  const body = playgroundPage({
    base,
    path: root,
    account: await accountFor(parts, request),
    maxTimeout,
    maxSide: limits.maxSide,
    maxPixels: limits.maxPixels,
    maxBytes: limits.maxBytes,
    version: parts.site.version,
  })
  sendText(exchange, { status: 200, headers: pageHeaders(PLAYGROUND_RIGHTS), body })
}

/** Sends the reference of options for people. */
export const answerOptions = (exchange: Exchange): void =>
  sendText(exchange, { status: 200, headers: pageHeaders(), body: optionsPage(rootOf(exchange), exchange.base) })

/** Sends a file of the pages. Fails with NO_SUCH_PAGE. */
export const answerPageFile = ({ request, response, id, method, address }: Exchange): void => {
  const file = address.kind === 'own' ? pageFiles().get(address.path.slice(PAGE_FILES.length)) : undefined
  if (file === undefined) throw fail('NO_SUCH_PAGE')
  const headers = { ...CORS, ...file.headers, 'X-Request-Id': id }
  if (matches(request.headers['if-none-match'], file.headers['ETag']!)) {
    response.writeHead(304, headers).end()
    return
  }
  response.writeHead(200, { ...headers, 'Content-Length': file.bytes.length })
  response.end(method === 'HEAD' ? undefined : file.bytes)
}
