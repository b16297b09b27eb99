import { fail } from '../core/failure.ts'
import { isSwitchedOn, refuseDelivery } from './deliver-route.ts'
import type { AppParts, Exchange } from './exchange.ts'
import { answerInTime } from './optimise-route.ts'
import { questionOf } from './question.ts'
import { sendAnswer } from './respond.ts'

/** Describes an image (§9.1): by POST, or by GET if the account delivers it. */
export const answerInfo = async (exchange: Exchange, parts: AppParts): Promise<void> => {
  const { address, method } = exchange
  if (address.kind !== 'image') throw fail('NO_SUCH_PAGE')
  if (parts.phase() === 'closing') throw fail('SHUTTING_DOWN')
  const question = questionOf(exchange, address, parts.site)
  const reads = method !== 'POST'
  if (reads && address.imageUrl === undefined) throw fail('METHOD_NOT_ALLOWED', 'POST')
  if (reads && address.imageUrl !== undefined && !(await isSwitchedOn(parts, question)))
    refuseDelivery(address.imageUrl)
  const work = reads ? 'deliver information' : 'describe'
  await sendAnswer(exchange, await answerInTime(exchange, { parts, question, work }))
}
