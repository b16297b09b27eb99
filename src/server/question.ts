import { fail } from '../core/failure.ts'
import type { OptimiseRequest } from '../service/service.ts'
import { receiveUpload } from '../source/upload.ts'
import type { Address } from './address.ts'
import { isLocal } from './client.ts'
import { hasBody } from './drain.ts'
import type { Exchange, Site } from './exchange.ts'
import { names } from './headers.ts'

/** Reads the body as an upload, once the service wants it. */
const receiverOf =
  (
    { request, sendContinue, traffic }: Exchange,
    { spoolDirectory, uploadTimeoutMs }: Site,
  ): OptimiseRequest['receive'] =>
  ({ maxBytes, signal }) => {
    if (request.headers['content-type'] === undefined && !hasBody(request)) throw fail('IMAGE_URL_MISSING')
    sendContinue()
    const onBytes = (count: number): void => {
      traffic.received += count
    }
    return receiveUpload(request, { spoolDirectory, maxBytes, signal, timeoutMs: uploadTimeoutMs, onBytes })
  }

/** What an exchange asks of the service, but for how long. */
export type Question = Omit<OptimiseRequest, 'signal' | 'onSource'>

/** What an exchange asks of the service, free of HTTP. */
export const questionOf = (
  exchange: Exchange,
  { username, options, imageUrl }: Extract<Address, { kind: 'image' }>,
  site: Site,
): Question => ({
  id: exchange.id,
  username,
  options,
  imageUrl,
  accept: { webp: names(exchange.accept, 'image/webp'), avif: names(exchange.accept, 'image/avif') },
  origin: { address: exchange.client.address, isLocal: !site.beyondLoopback && isLocal(exchange.request) },
  receive: receiverOf(exchange, site),
})
