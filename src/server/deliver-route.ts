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
import { type Question, questionOf } from './question.ts'
import { sendAnswer, sendText } from './respond.ts'

type ImageAddress = Extract<Address, { kind: 'image' }>

const imageAddress = ({ address }: Exchange): ImageAddress => {
  if (address.kind !== 'image') throw fail('NO_SUCH_PAGE')
  return address
}

/** Whether the account has live delivery. False for an unknown username, like for most accounts. */
export const isSwitchedOn = async ({ service }: AppParts, question: Question): Promise<boolean> => {
  try {
    return await delivers(service, question)
  } catch (error) {
    if (error instanceof Failure && ['USERNAME_UNKNOWN', 'USERNAME_MISSING'].includes(error.code)) return false
    throw error
  }
}

/**
 * Refuses delivery for an account without it, or without an account. An unreadable address fails as it does with delivery, so the status
 * does not reveal whether the account has it.
 */
export const refuseDelivery = (imageUrl: string): never => {
  readImageUrl(imageUrl)
  throw fail('DELIVERY_REFUSED', 'live delivery is not switched on for this account. POST works')
}

/** Delivers an image live (§8). Without delivery the response is 403 and names the alternatives (§1.8). */
export const answerDelivered = async (exchange: Exchange, parts: AppParts): Promise<void> => {
  const address = imageAddress(exchange)
  const question = questionOf(exchange, address, parts.site)
  if (address.imageUrl === undefined || !(await isSwitchedOn(parts, question))) {
    if (namesMediaType(exchange.accept, 'text/html')) return await answerExplanation(exchange, parts)
    if (address.imageUrl === undefined) throw fail('METHOD_NOT_ALLOWED', 'POST')
    refuseDelivery(address.imageUrl)
  }
  if (parts.phase() === 'closing') throw fail('SHUTTING_DOWN')
  const make = () => answerInTime(exchange, { parts, question, work: 'deliver' })
  await sendFromDisk(make, parts.site.spoolDirectory, (answer) => sendAnswer(exchange, answer))
}

/** Purges every stored result of a source (§8.5). */
export const answerPurge = async (exchange: Exchange, parts: AppParts): Promise<void> => {
  const question = questionOf(exchange, imageAddress(exchange), parts.site)
  if (!(await isSwitchedOn(parts, question))) throw fail('PURGE_REFUSED')
  const signal = new AbortController().signal
  const count = await purgeSource(
    parts.service,
    { ...question, signal, onSource: () => undefined },
    bearerIn(exchange.request.headers.authorization),
  )
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' }
  const body = `${count} stored ${count === 1 ? 'result' : 'results'} of this source removed.\n`
  sendText(exchange, { status: 200, headers, body })
}
