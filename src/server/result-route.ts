import { fail } from '../core/failure.ts'
import { LATEST_START_MS } from '../core/intervals.ts'
import type { Answer } from '../jobs/answer.ts'
import { sendFromDisk } from './body-file.ts'
import type { AppParts, Exchange } from './exchange.ts'
import { sendAnswer } from './respond.ts'

const RESULT = /^\/-\/results\/([0-9a-f]{32})$/

const tokenOf = ({ address }: Exchange): string => {
  const token = address.kind === 'own' ? RESULT.exec(address.path)?.[1] : undefined
  if (token === undefined) throw fail('RESULT_GONE')
  return token
}

/** Responds at a result address (§5.1). Waits for running work. Redirects to itself if that exceeds the waiting time. */
export const answerResult = async (exchange: Exchange, { deferred, site }: AppParts): Promise<void> => {
  const token = tokenOf(exchange)
  const waiting = new AbortController()
  const timer = setTimeout(() => waiting.abort(), LATEST_START_MS)
  exchange.response.once('close', () => waiting.abort())
  try {
    const again: Answer = { kind: 'redirect', to: { kind: 'result', token }, warnings: [], stages: {} }
    const make = async (): Promise<Answer> => (await deferred.find(token, waiting.signal)) ?? again
    await sendFromDisk(make, site.spoolDirectory, (answer) => sendAnswer(exchange, answer))
  } finally {
    clearTimeout(timer)
  }
}
