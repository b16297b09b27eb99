import { Failure, fail } from '../core/failure.ts'
import { delivers } from '../service/deliver/deliver-image.ts'
import { purgeSource } from '../service/deliver/purge-source.ts'
import { readImageUrl } from '../source/image-url.ts'
import type { Address } from './address.ts'
import { bearerIn } from './authorization.ts'
import { sendFromDisk } from './body-file.ts'
import type { AppParts, Exchange } from './exchange.ts'
import { answerExplanation } from './explain-route.ts'
import { namesMediaType } from './headers.ts'
import { answerInTime } from './optimise-route.ts'
import { sendAnswer, sendText } from './respond.ts'
import { type WorkRequest, workRequestOf } from './work-request.ts'

type ImageAddress = Extract<Address, { kind: 'image' }>

const imageAddress = ({ address }: Exchange): ImageAddress => {
  if (address.kind !== 'image') throw fail('NO_SUCH_PAGE')
  return address
}

/** Whether the account has live delivery. Returns false for an unknown username, as for most accounts. */
export const hasDelivery = async ({ service }: AppParts, workRequest: WorkRequest): Promise<boolean> => {
  try {
    return await delivers(service, workRequest)
  } catch (error) {
    if (error instanceof Failure && ['USERNAME_UNKNOWN', 'USERNAME_MISSING'].includes(error.code)) return false
    throw error
  }
}

/**
 * Refuses delivery without an account, or without its right to delivery. An invalid address fails in the same way as with delivery,
 * so the status does not reveal whether the account has the right.
 */
export const refuseDelivery = (imageUrl: string): never => {
  readImageUrl(imageUrl)
  throw fail('DELIVERY_REFUSED', 'live delivery is not switched on for this account. POST works')
}

/** Delivers an image live (§8). Fails with 403 and names the alternatives if the account has no live delivery (§1.8). */
export const answerDelivered = async (exchange: Exchange, parts: AppParts): Promise<void> => {
  const address = imageAddress(exchange)
  const workRequest = workRequestOf(exchange, address, parts.site)
  if (address.imageUrl === undefined || !(await hasDelivery(parts, workRequest))) {
    if (namesMediaType(exchange.accept, 'text/html')) return await answerExplanation(exchange, parts)
    if (address.imageUrl === undefined) throw fail('METHOD_NOT_ALLOWED', 'POST')
    refuseDelivery(address.imageUrl)
  }
  if (parts.phase() === 'closing') throw fail('SHUTTING_DOWN')
  const make = () => answerInTime(exchange, { parts, workRequest, work: 'deliver' })
  await sendFromDisk(make, parts.site.spoolDirectory, (answer) => sendAnswer(exchange, answer))
}

/** Purges every stored result of a source (§8.5). */
export const answerPurge = async (exchange: Exchange, parts: AppParts): Promise<void> => {
  const workRequest = workRequestOf(exchange, imageAddress(exchange), parts.site)
  if (!(await hasDelivery(parts, workRequest))) throw fail('PURGE_REFUSED')
  const signal = new AbortController().signal
  const count = await purgeSource(
    parts.service,
    { ...workRequest, signal, onSource: () => undefined },
    bearerIn(exchange.request.headers.authorization),
  )
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' }
  const body = `${count} stored ${count === 1 ? 'result' : 'results'} of this source removed.\n`
  sendText(exchange, { status: 200, headers, body })
}
