import { createHash } from 'node:crypto'
import type { SourceRecord } from '../../jobs/source-records.ts'
import type { StoreReading } from '../../jobs/store-reading.ts'
import type { ReadRequest } from '../accounts/read-request.ts'
import { planFor } from '../optimise/optimise-image.ts'
import { keyOf } from '../optimise/resolve-result.ts'
import type { OptimiseRequest, Service } from '../service.ts'
import { type DeliverySource, isFreshNow, type KnownSource, nameOf, type WantedSource } from './delivery-source.ts'
import { type QuickResult, recallQuick } from './quick-result.ts'

/** A request for live delivery whose right was found: everything that does not depend on the source. */
export interface DeliveryTask extends Omit<ReadRequest, 'url'>, WantedSource {
  readonly request: OptimiseRequest
}

/** The task as far as it is known, and the names of its result. */
export const prepare = (service: Service, delivery: DeliveryTask, { record }: Pick<DeliverySource, 'record'>) => {
  const { account, options, request } = delivery
  const plan = planFor(service, { account, options, facts: record.facts, accept: request.accept })
  const key = keyOf(service, { account, plan }, record)
  const quickKey = createHash('sha256').update(`quick ${key}`).digest('hex')
  return { plan, keys: { key, quickKey } }
}

type Prepared = ReturnType<typeof prepare>

/** A task as far as it is known, and the result that is stored under its names. */
export interface KnownResult extends Prepared {
  readonly stored: StoreReading<QuickResult | undefined>
}

/** The stored source and result of a delivery. */
export interface Known {
  readonly source: KnownSource
  readonly result?: KnownResult
}

/** Reads what is stored of a task, unless it is known under the same names. */
export const readResult = async (service: Service, prepared: Prepared, known?: KnownResult): Promise<KnownResult> => ({
  ...prepared,
  stored: known?.keys.key === prepared.keys.key ? known.stored : await recallQuick(service, prepared.keys),
})

/** The task of a source as it was. undefined where it is refused, unless the source is fresh: it may have changed. */
const prepareKnown = (service: Service, delivery: DeliveryTask, record: SourceRecord): Prepared | undefined => {
  try {
    return prepare(service, delivery, { record })
  } catch (error) {
    if (isFreshNow(service, record)) throw error
    return undefined
  }
}

/** Reads the record of a source, fresh or not, and the result that is stored of it. */
export const readKnown = async (service: Service, delivery: DeliveryTask): Promise<Known> => {
  const source = await service.sources.read(nameOf(service, delivery))
  const prepared = source.value === undefined ? undefined : prepareKnown(service, delivery, source.value)
  return prepared === undefined ? { source } : { source, result: await readResult(service, prepared) }
}
