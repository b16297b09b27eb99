import { Failure, fail } from '../core/failure.ts'
import { deliverImage, delivers } from '../service/deliver-image.ts'
import { purgeSource } from '../service/purge-source.ts'
import type { Address } from './address.ts'
import { sendFromDisk } from './body-file.ts'
import type { AppParts, Exchange } from './exchange.ts'
import { answerExplanation } from './explain-route.ts'
import { names } from './headers.ts'
import { answerInTime } from './optimise-route.ts'
import { type Question, questionOf } from './question.ts'
import { sendAnswer, sendText } from './respond.ts'

type ImageAddress = Extract<Address, { kind: 'image' }>

const imageAddress = ({ address }: Exchange): ImageAddress => {
  if (address.kind !== 'image') throw fail('NO_SUCH_PAGE')
  return address
}

/** Whether the account delivers at all; a username that there is not delivers nothing, like most. */
export const isSwitchedOn = async ({ service }: AppParts, question: Question): Promise<boolean> => {
  try {
    return await delivers(service, question)
  } catch (error) {
    if (error instanceof Failure && ['USERNAME_UNKNOWN', 'USERNAME_MISSING'].includes(error.code)) return false
    throw error
  }
}

/** Delivers an image live (§8), where the account was given that; else there is nothing but POST (§1.8). */
export const answerDelivered = async (exchange: Exchange, parts: AppParts): Promise<void> => {
  const address = imageAddress(exchange)
  const question = questionOf(exchange, address, parts.site)
  if (address.imageUrl === undefined || !(await isSwitchedOn(parts, question))) {
    if (names(exchange.accept, 'text/html')) return await answerExplanation(exchange, parts)
    throw fail('METHOD_NOT_ALLOWED', 'POST')
  }
  if (!parts.isOpen()) throw fail('SHUTTING_DOWN')
  const run = (request: Parameters<typeof deliverImage>[1]) => deliverImage(parts.service, request)
  const make = () => answerInTime(exchange, { parts, question, run })
  await sendFromDisk(make, parts.site.spoolDirectory, (answer) => sendAnswer(exchange, answer))
}

const bearer = ({ request }: Exchange): string | undefined =>
  /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]

/** Purges every stored result of a source (§8.5). */
export const answerPurge = async (exchange: Exchange, parts: AppParts): Promise<void> => {
  const question = questionOf(exchange, imageAddress(exchange), parts.site)
  if (!(await isSwitchedOn(parts, question))) throw fail('METHOD_NOT_ALLOWED', 'POST')
  const signal = new AbortController().signal
  const count = await purgeSource(parts.service, { ...question, signal, onSource: () => undefined }, bearer(exchange))
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' }
  const body = `${count} stored ${count === 1 ? 'result' : 'results'} of this source removed.\n`
  sendText(exchange, { status: 200, headers, body })
}
