import { fail } from '../core/failure.ts'
import { deliverInformation, describeImage } from '../service/describe-image.ts'
import type { OptimiseRequest } from '../service/service.ts'
import { isSwitchedOn } from './deliver-route.ts'
import type { AppParts, Exchange } from './exchange.ts'
import { answerInTime } from './optimise-route.ts'
import { questionOf } from './question.ts'
import { sendAnswer } from './respond.ts'

/** Tells what an image is (§9.1): by POST, or by GET where the account delivers it. */
export const answerInfo = async (exchange: Exchange, parts: AppParts): Promise<void> => {
  const { address, method } = exchange
  if (address.kind !== 'image') throw fail('NO_SUCH_PAGE')
  if (!parts.isOpen()) throw fail('SHUTTING_DOWN')
  const question = questionOf(exchange, address, parts.site)
  const reads = method !== 'POST'
  if (reads && (address.imageUrl === undefined || !(await isSwitchedOn(parts, question))))
    throw fail('METHOD_NOT_ALLOWED', 'POST')
  const run = (request: OptimiseRequest) => (reads ? deliverInformation : describeImage)(parts.service, request)
  await sendAnswer(exchange, await answerInTime(exchange, { parts, question, run }))
}
