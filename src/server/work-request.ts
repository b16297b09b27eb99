import { fail } from '../core/failure.ts'
import type { OptimiseRequest } from '../service/service.ts'
import { receiveUpload } from '../source/upload.ts'
import type { Address } from './address.ts'
import { keyIn } from './authorization.ts'
import { isLocal } from './client.ts'
import { hasBody } from './drain.ts'
import type { Exchange, Site } from './exchange.ts'
import { namesMediaType } from './headers.ts'

/** Returns a function that receives the body as an upload. The service calls it when it is ready. */
const receiverOf =
  (
    { request, sendContinue, traffic }: Exchange,
    { spoolDirectory, uploadTimeoutMs }: Site,
  ): OptimiseRequest['receive'] =>
  ({ maxBytes, signal }) => {
    if (request.headers['content-type'] === undefined && !hasBody(request)) throw fail('IMAGE_URL_MISSING')
    const onBytes = (count: number): void => {
      traffic.received += count
    }
    const callbacks = { accept: sendContinue, onBytes }
    return receiveUpload(request, { spoolDirectory, maxBytes, signal, timeoutMs: uploadTimeoutMs, ...callbacks })
  }

/** A request to the service from an exchange, without the callbacks of its lifetime. */
export type WorkRequest = Omit<OptimiseRequest, 'signal' | 'onSource'>

/** Converts an exchange to a request to the service, which is independent of HTTP. */
export const workRequestOf = (
  exchange: Exchange,
  { username, options, imageUrl }: Extract<Address, { kind: 'image' }>,
  site: Site,
): WorkRequest => ({
  id: exchange.id,
  username,
  options,
  imageUrl,
  accept: {
    webp: namesMediaType(exchange.accept, 'image/webp'),
    avif: namesMediaType(exchange.accept, 'image/avif'),
    jxl: namesMediaType(exchange.accept, 'image/jxl'),
  },
  origin: {
    address: exchange.client.address,
    isLocal: !site.beyondLoopback && isLocal(exchange.request),
    ...keyIn(exchange.request.headers.authorization, username),
  },
  receive: receiverOf(exchange, site),
})
