import { fail } from '../core/failure.ts'
import { OVER, type Over, raceSignal, timer } from '../core/race.ts'
import type { Answer } from '../jobs/answer.ts'
import type { HandOver } from '../jobs/deferred.ts'
import { optimiseImage } from '../service/optimise-image.ts'
import type { OptimiseRequest } from '../service/service.ts'
import { mayStore } from '../source/cacheability.ts'
import type { Spooled } from '../source/spool.ts'
import { sendFromDisk } from './body-file.ts'
import type { AppParts, Exchange } from './exchange.ts'
import { type Question, questionOf } from './question.ts'
import { sendAnswer } from './respond.ts'

/** Every response starts by then (§5.1), whatever the limits of fetching are set to. */
const LATEST_START_MS = 25_000

/** Fires when the client goes before its answer is complete, unless the work was detached from it meanwhile. */
const watchClient = ({ response }: Exchange): { readonly gone: AbortSignal; readonly detach: () => void } => {
  const gone = new AbortController()
  const abort = (): void => {
    if (!response.writableFinished) gone.abort(new Error('the client has gone'))
  }
  response.once('close', abort)
  return { gone: gone.signal, detach: () => void response.off('close', abort) }
}

/** What another node needs to answer the question. A fetched source that wants nowhere to be stored is fetched again. */
const handOverOf = ({ id, username, options, imageUrl, accept }: Question, source: Spooled | Over): HandOver => {
  const request = { id, username, options, imageUrl, accept }
  const mayCopy = source !== OVER && (imageUrl === undefined || mayStore(source.cacheability))
  return { request, ...(mayCopy ? { source } : {}) }
}

/** Work on an image that may outlast its request. */
interface TimedWork {
  readonly parts: Pick<AppParts, 'site' | 'deferred'>
  readonly question: Question
  readonly run: (request: OptimiseRequest) => Promise<Answer>
  /** What other nodes need to do it where this one dies. */
  readonly handOver?: (source: Spooled | Over) => HandOver
}

/** The answer in time, or the promise of one at a result address (§5.1). */
export const answerInTime = async (
  exchange: Exchange,
  { parts: { site, deferred }, question, run, handOver }: TimedWork,
): Promise<Answer> => {
  const { gone, detach } = watchClient(exchange)
  const { promise: sourceInHand, resolve: onSource } = Promise.withResolvers<Spooled>()
  const answer = run({ ...question, signal: gone, onSource })
  const waited = performance.now() - exchange.arrived
  using redirectDue = timer(site.redirectAfterMs - waited)
  using startDue = timer(LATEST_START_MS - waited)
  const late = Promise.all([redirectDue.over, sourceInHand]).then((): Over => OVER)
  // An upload comes with the request itself; a fetch can go on without it.
  const latest = question.imageUrl === undefined ? [] : [startDue.over]
  const first = await Promise.race([answer, late, ...latest])
  if (first !== OVER) return first
  detach()
  const token = await deferred.keep(answer, handOver?.(await raceSignal(sourceInHand, AbortSignal.abort())))
  return { kind: 'redirect', to: { kind: 'result', token }, warnings: [], stages: {} }
}

/** Optimises an image (§1.1, §1.6). */
export const answerOptimised = async (exchange: Exchange, parts: AppParts): Promise<void> => {
  if (!parts.isOpen()) throw fail('SHUTTING_DOWN')
  const { address } = exchange
  if (address.kind !== 'image') throw fail('NO_SUCH_PAGE')
  const question = questionOf(exchange, address, parts.site)
  const run = (request: OptimiseRequest) => optimiseImage(parts.service, request)
  const handOver = (source: Spooled | Over) => handOverOf(question, source)
  const make = () => answerInTime(exchange, { parts, question, run, handOver })
  await sendFromDisk(make, parts.site.spoolDirectory, (answer) => sendAnswer(exchange, answer))
}

/** A POST to the base address: the username is missing (§1.5). */
export const refuseNameless = (): never => {
  throw fail('USERNAME_MISSING')
}
