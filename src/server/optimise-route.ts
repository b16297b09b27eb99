import { fail } from '../core/failure.ts'
import { LATEST_START_MS } from '../core/intervals.ts'
import type { Answer } from '../jobs/answer.ts'
import type { HandOver } from '../jobs/deferred.ts'
import type { TicketRequest } from '../ports/jobs.ts'
import { runWork } from '../service/work-kinds.ts'
import { mayStore } from '../source/cacheability.ts'
import type { Spooled } from '../source/spool.ts'
import { OVER, type Over, raceSignal, timer } from '../support/race.ts'
import { sendFromDisk } from './body-file.ts'
import type { AppParts, Exchange } from './exchange.ts'
import { sendAnswer } from './respond.ts'
import { type WorkRequest, workRequestOf } from './work-request.ts'

/** Aborts when the client disconnects before its response is complete, unless the work was detached. */
const watchClient = ({ response }: Exchange): { readonly gone: AbortSignal; readonly detach: () => void } => {
  const gone = new AbortController()
  const abort = (): void => {
    if (!response.writableFinished) gone.abort(new Error('the client has gone'))
  }
  response.once('close', abort)
  return { gone: gone.signal, detach: () => void response.off('close', abort) }
}

/** The kind of work that a request needs. */
type WorkKind = NonNullable<TicketRequest['work']>

/** Returns the data that another node needs for the work. Omits a source that may not be stored, so the other node fetches it again. */
const handOverOf = ({
  work,
  workRequest,
  source,
}: {
  work: WorkKind
  workRequest: WorkRequest
  source: Spooled | Over
}): HandOver => {
  const { id, username, options, imageUrl, accept } = workRequest
  const mayCopy = source !== OVER && (imageUrl === undefined || mayStore(source.cacheability))
  return { request: { work, id, username, options, imageUrl, accept }, ...(mayCopy ? { source } : {}) }
}

/** Work that may take longer than its request. */
interface TimedWork {
  readonly parts: Pick<AppParts, 'site' | 'deferred' | 'service'>
  readonly workRequest: WorkRequest
  readonly work: WorkKind
}

/** Returns the response, or a redirect to a result address if the work takes too long (§5.1). */
export const answerInTime = async (
  exchange: Exchange,
  { parts: { site, deferred, service }, workRequest, work }: TimedWork,
): Promise<Answer> => {
  const { gone, detach } = watchClient(exchange)
  const { promise: sourceInHand, resolve: onSource } = Promise.withResolvers<Spooled>()
  const answer = runWork(service, work, { ...workRequest, signal: gone, onSource })
  const waited = performance.now() - exchange.arrived
  using redirectDue = timer(site.redirectAfterMs - waited)
  using startDue = timer(LATEST_START_MS - waited)
  const late = Promise.all([redirectDue.over, sourceInHand]).then((): Over => OVER)
  // A fetch can continue after the redirect. An upload cannot, since it arrives with its request.
  const lateStart = workRequest.imageUrl === undefined ? [] : [startDue.over]
  const first = await Promise.race([answer, late, ...lateStart])
  if (first !== OVER) return first
  detach()
  const source = await raceSignal(sourceInHand, AbortSignal.abort())
  const token = await deferred.keep(answer, handOverOf({ work, workRequest, source }))
  return { kind: 'redirect', to: { kind: 'result', token }, warnings: [], stages: {} }
}

/** Optimises an image (§1.1, §1.6). */
export const answerOptimised = async (exchange: Exchange, parts: AppParts): Promise<void> => {
  if (parts.phase() === 'closing') throw fail('SHUTTING_DOWN')
  const { address } = exchange
  if (address.kind !== 'image') throw fail('NO_SUCH_PAGE')
  const workRequest = workRequestOf(exchange, address, parts.site)
  const make = () => answerInTime(exchange, { parts, workRequest, work: 'optimise' })
  await sendFromDisk(make, parts.site.spoolDirectory, (answer) => sendAnswer(exchange, answer))
}

/** Refuses a POST to the base address, which has no username (§1.5). */
export const refuseNameless = (): never => {
  throw fail('USERNAME_MISSING')
}
