import { fail } from '../core/failure.ts'
import { hasDelivery, refuseDelivery } from './deliver-route.ts'
import type { AppParts, Exchange } from './exchange.ts'
import { answerInTime } from './optimise-route.ts'
import { sendAnswer } from './respond.ts'
import { workRequestOf } from './work-request.ts'

/** Describes an image (§9.1): by POST, or by GET if the account delivers it. */
export const answerInfo = async (exchange: Exchange, parts: AppParts): Promise<void> => {
  const { address, method } = exchange
  if (address.kind !== 'image') throw fail('NO_SUCH_PAGE')
  if (parts.phase() === 'closing') throw fail('SHUTTING_DOWN')
  const workRequest = workRequestOf(exchange, address, parts.site)
  const isRead = method !== 'POST'
  if (isRead && address.imageUrl === undefined) throw fail('METHOD_NOT_ALLOWED', 'POST')
  if (isRead && address.imageUrl !== undefined && !(await hasDelivery(parts, workRequest)))
    refuseDelivery(address.imageUrl)
  const work = isRead ? 'deliver information' : 'describe'
  await sendAnswer(exchange, await answerInTime(exchange, { parts, workRequest, work }))
}
