/** Puts the service together from its settings: which adapter stands behind which port, and nothing else. */
import { openStoreWatch } from '../adapters/telemetry/store-watch.ts'
import { type Deferred, openDeferred } from '../jobs/deferred.ts'
import { openSourceCopies } from '../jobs/source-copies.ts'
import { openAnswerStore, type StoreAnswer } from '../jobs/store-answer.ts'
import type { Readings } from '../ports/telemetry.ts'
import { trustRule } from '../server/client.ts'
import type { Site } from '../server/exchange.ts'
import { isLoopback } from '../service/demo.ts'
import { resumeJob } from '../service/resume.ts'
import type { Service } from '../service/service.ts'
import { openWorkWatch, type WorkWatch } from '../service/work-watch.ts'
import { connectionLimit } from '../start/listen.ts'
import { startProblem } from '../start/start-problem.ts'
import { openStores, type Stores } from '../start/stores.ts'
import { openService } from './service.ts'
import type { Surroundings } from './surroundings.ts'
import { openOurPool } from './worker-pool.ts'

const openOurStores = ({ settings, log, metrics }: Surroundings): Promise<Stores> =>
  openStores(settings, {
    watch: (name) => openStoreWatch(name, { log, report: metrics.storeUp }),
    migrated: (names) => log.info({ migrations: names }, 'the tables of the accounts were brought up to date'),
  }).catch((error: Error) => {
    throw startProblem(error.message, error)
  })

const storeOf = ({ log, directory }: Surroundings, { results }: Stores): StoreAnswer =>
  openAnswerStore({
    results,
    directory: directory.work,
    tell: (error) => log.warn({ err: error }, 'a result could not be stored'),
  })

interface Deferring {
  readonly stores: Stores
  readonly service: Service
  readonly store: StoreAnswer
}

const openOurDeferred = (
  { log, metrics, directory }: Surroundings,
  { stores, service, store }: Deferring,
): Deferred => {
  const tell = (what: string, error: unknown): void => log.warn({ err: error }, what)
  const copies = openSourceCopies(stores.results, tell)
  return openDeferred({
    results: stores.results,
    store: (key, answer) => store(key, answer, { promised: true }),
    claims: stores.sharing.claims,
    queue: stores.sharing.queue,
    copies,
    resume: (ticket) => {
      metrics.takenOver()
      log.info({ id: ticket.request.id }, 'a job of a node that died is taken over')
      return resumeJob({ service, copies, spoolDirectory: directory.spool }, ticket)
    },
    tell,
  })
}

interface Watched {
  readonly watch: WorkWatch
  readonly workers: number
  readonly restarts: () => number
}

/** What the metrics ask for when they are read. */
const readingsOf =
  ({ pool, singleFlight }: Service, deferred: Deferred, { watch, workers, restarts }: Watched) =>
  (): Readings => ({
    queued: pool.depth(),
    busyWorkers: pool.busy(),
    workers,
    restarts: restarts(),
    jobs: singleFlight.underWay(),
    detachedJobs: deferred.underWay(),
    oldestJobSeconds: singleFlight.oldestMs() / 1000,
    phases: watch.phases(),
  })

export const siteOf = ({ settings, version, directory }: Surroundings): Site => ({
  publicUrl: settings.publicUrl,
  pathPrefix: settings.pathPrefix,
  countProxies: trustRule(settings.trustProxy),
  requestIdHeader: settings.requestIdHeader,
  beyondLoopback: !isLoopback(settings.host),
  playground: settings.playground,
  version,
  redirectAfterMs: settings.redirectAfterMs,
  uploadTimeoutMs: settings.uploadTimeoutMs,
  spoolDirectory: directory.spool,
  maxConnections: connectionLimit(settings),
})

/** Opens everything behind the HTTP server. */
export const compose = async (surroundings: Surroundings, demo: boolean) => {
  const { settings, log, metrics, directory } = surroundings
  const stores = await openOurStores(surroundings)
  let restarts = 0
  const pool = await openOurPool(surroundings, () => {
    restarts += 1
  })
  stores.sharing.neighbours.exchange(pool.takeLoad, pool.hear)
  const store = storeOf(surroundings, stores)
  const watch = openWorkWatch(log, metrics)
  const service = await openService(surroundings, { stores, pool, store, watch }, demo)
  const deferred = openOurDeferred(surroundings, { stores, service, store })
  metrics.watch(readingsOf(service, deferred, { watch, workers: settings.workers, restarts: () => restarts }))
  const close = async (): Promise<void> => {
    await service.deliveries.idle()
    await stores.sharing.close()
    await service.finisher.close()
    await pool.close()
    await service.singleFlight.idle()
    await stores.results.close()
    await stores.accounts.close()
    directory.close()
  }
  return { service, deferred, stores, close }
}
