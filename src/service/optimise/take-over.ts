import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure, fail } from '../../core/failure.ts'
import { CHECK_MS, MAX_WORK_MS } from '../../core/intervals.ts'
import type { Answer } from '../../jobs/answer.ts'
import { digestFile } from '../../jobs/result-key.ts'
import type { SourceCopies } from '../../jobs/source-copies.ts'
import type { JobTicket } from '../../ports/jobs.ts'
import type { Spooled } from '../../source/spool.ts'
import { removeFile } from '../../support/remove.ts'
import type { OptimiseRequest, Service } from '../service.ts'
import { runWork } from '../work-kinds.ts'

/** What a node needs to continue a job of another node. */
export interface TakeOverSettings {
  readonly service: Service
  readonly copies: SourceCopies
  readonly spoolDirectory: string
}

/** Reads the copy of a source into a spool file of this node. */
const spoolCopy = async (
  { copies, spoolDirectory }: TakeOverSettings,
  source: NonNullable<JobTicket['source']>,
): Promise<Spooled> => {
  const path = join(spoolDirectory, `${randomUUID()}.source`)
  const dispose = () => removeFile(path)
  const { bytes, cacheControl, shareable } = source
  const cacheability = { shareable, ...(cacheControl === undefined ? {} : { cacheControl }) }
  try {
    await copies.read(source, path)
    const digest = await digestFile(path)
    return { path, bytes, start: Buffer.alloc(0), digest, cacheability, dispose, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}

const isTemporary = (error: unknown): boolean =>
  error instanceof Failure && ['OVERLOADED', 'STORE_AWAY', 'TOO_MANY_REQUESTS', 'TOO_MANY_AT_ONCE'].includes(error.code)

/**
 * Runs the job of a node that died. The request keeps its id, so its quota is not reserved twice. Uses a stored result if there is one.
 * The job was already accepted, so it waits where a new request would fail with 503.
 */
export const takeOverJob = async (settings: TakeOverSettings, { request, source }: JobTicket): Promise<Answer> => {
  const copied = source === undefined ? undefined : () => spoolCopy(settings, source)
  const service: Service = {
    ...settings.service,
    allow: () => true,
    ...(copied === undefined ? {} : { fetch: copied }),
  }
  const again: OptimiseRequest = {
    ...request,
    // The origin was checked when the job was accepted.
    origin: { address: '', isLocal: true, isAdmitted: true },
    signal: new AbortController().signal,
    onSource: () => undefined,
    receive: copied ?? (() => Promise.reject(fail('RESULT_GONE'))),
  }
  const end = performance.now() + MAX_WORK_MS
  for (;;) {
    try {
      return await runWork(service, request.work, again)
    } catch (error) {
      if (!isTemporary(error) || performance.now() > end) throw error
      await sleep(CHECK_MS)
    }
  }
}
