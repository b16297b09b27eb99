import { createHash } from 'node:crypto'
import type { SourceRecord } from '../../jobs/source-records.ts'
import type { StoreReading } from '../../jobs/store-reading.ts'
import type { ReadRequest } from '../accounts/read-request.ts'
import { planFor } from '../optimise/optimise-image.ts'
import { keyOf } from '../optimise/resolve-result.ts'
import type { OptimiseRequest, Service } from '../service.ts'
import { type DeliverySource, isFreshNow, type KnownSource, nameOf, type SourceRequest } from './delivery-source.ts'
import { type QuickResult, recallQuick } from './quick-result.ts'

/** A permitted request for live delivery, with everything that does not depend on the source. */
export interface DeliveryTask extends Omit<ReadRequest, 'url'>, SourceRequest {
  readonly request: OptimiseRequest
}

/** The plan of a delivery, and the names of its results. */
export const prepare = (service: Service, delivery: DeliveryTask, { record }: Pick<DeliverySource, 'record'>) => {
  const { account, options, request } = delivery
  const plan = planFor(service, { account, options, facts: record.facts, accept: request.accept })
  const key = keyOf(service, { account, plan }, record)
  const quickKey = createHash('sha256').update(`quick ${key}`).digest('hex')
  return { plan, keys: { key, quickKey } }
}

type Prepared = ReturnType<typeof prepare>

/** A prepared delivery and its stored result. */
export interface KnownResult extends Prepared {
  readonly stored: StoreReading<QuickResult | undefined>
}

/** The stored source and result of a delivery. */
export interface Known {
  readonly source: KnownSource
  readonly result?: KnownResult
}

/** The stored result of a prepared delivery. Reads the store unless `known` has the same names. */
export const readResult = async (service: Service, prepared: Prepared, known?: KnownResult): Promise<KnownResult> => ({
  ...prepared,
  stored: known?.keys.key === prepared.keys.key ? known.stored : await recallQuick(service, prepared.keys),
})

/** Prepares a delivery by a stored record. undefined when a stale source is refused, since it may have changed. */
const prepareKnown = (service: Service, delivery: DeliveryTask, record: SourceRecord): Prepared | undefined => {
  try {
    return prepare(service, delivery, { record })
  } catch (error) {
    if (isFreshNow(service, record)) throw error
    return undefined
  }
}

/** Reads the record of a source, fresh or not, and its stored result. */
export const readKnown = async (service: Service, delivery: DeliveryTask): Promise<Known> => {
  const source = await service.sources.read(nameOf(service, delivery))
  const prepared = source.value === undefined ? undefined : prepareKnown(service, delivery, source.value)
  return prepared === undefined ? { source } : { source, result: await readResult(service, prepared) }
}
