/** Assembles the service from its settings: an adapter for each port. */
import { openStoreWatch } from '../adapters/telemetry/store-watch.ts'
import { type Deferred, openDeferred } from '../jobs/deferred.ts'
import { openSourceCopies } from '../jobs/source-copies.ts'
import { openAnswerStore, type StoreAnswer } from '../jobs/store-answer.ts'
import type { Readings } from '../ports/telemetry.ts'
import { trustRule } from '../server/client.ts'
import type { Site } from '../server/exchange.ts'
import { isLoopback } from '../service/accounts/demo.ts'
import { takeOverJob } from '../service/optimise/take-over.ts'
import { openWorkWatch, type WorkWatch } from '../service/optimise/work-watch.ts'
import type { Service } from '../service/service.ts'
import type { AppContext } from './app-context.ts'
import { askStores } from './ask-stores.ts'
import { connectionLimit } from './listen.ts'
import { openService } from './service.ts'
import { startProblem } from './start-problem.ts'
import { openStores, type Stores } from './stores.ts'
import { openTroubleLog } from './trouble-log.ts'
import { openOurPool } from './worker-pool.ts'

const openOurStores = ({ settings, log, metrics }: AppContext): Promise<Stores> =>
  openStores(settings, {
    watch: (name) => openStoreWatch(name, { log, report: metrics.storeUp }),
    sweepFailed: (error) => {
      metrics.sweepFailed()
      log.warn({ err: error }, 'old results could not be removed from the bucket')
    },
    migrated: (names) => log.info({ migrations: names }, 'the tables of the accounts were brought up to date'),
  }).catch((error: Error) => {
    throw startProblem(error.message, error)
  })

const storeOf = ({ log, directory }: AppContext, { results }: Stores): StoreAnswer =>
  openAnswerStore({
    results,
    directory: directory.work,
    report: (error) => openTroubleLog(log, 'warn')('a result could not be stored', error),
  })

interface Deferring {
  readonly stores: Stores
  readonly service: Service
  readonly store: StoreAnswer
}

const openOurDeferred = ({ log, metrics, directory }: AppContext, { stores, service, store }: Deferring): Deferred => {
  const report = openTroubleLog(log, 'warn')
  const copies = openSourceCopies(stores.results, report)
  return openDeferred({
    results: stores.results,
    store: (key, answer) => store(key, answer, { promised: true }),
    claims: stores.sharing.claims,
    queue: stores.sharing.queue,
    copies,
    resume: (ticket) => {
      metrics.takenOver()
      log.info({ id: ticket.request.id }, 'a job of a node that died is taken over')
      return takeOverJob({ service, copies, spoolDirectory: directory.spool }, ticket)
    },
    report,
  })
}

interface Watched {
  readonly watch: WorkWatch
  readonly workers: number
  readonly restarts: () => number
  readonly journaled: () => number
}

/** Current values for the metrics. */
const readingsOf =
  ({ pool, singleFlight, caps }: Service, deferred: Deferred, { watch, workers, restarts, journaled }: Watched) =>
  (): Readings => ({
    queued: pool.depth(),
    busyWorkers: pool.busy(),
    workers,
    restarts: restarts(),
    jobs: singleFlight.underWay(),
    detachedJobs: deferred.underWay(),
    oldestJobSeconds: singleFlight.oldestMs() / 1000,
    reservations: caps.entered(),
    journaled: journaled(),
    phases: watch.phases(),
  })

export const siteOf = ({ settings, version, directory }: AppContext): Site => ({
  publicUrl: settings.publicUrl,
  pathPrefix: settings.pathPrefix,
  countProxies: trustRule(settings.trustProxy),
  requestIdHeader: settings.requestIdHeader,
  beyondLoopback: !isLoopback(settings.host),
  playground: settings.playground,
  metricsApart: settings.metricsPort !== undefined,
  version,
  redirectAfterMs: settings.redirectAfterMs,
  uploadTimeoutMs: settings.uploadTimeoutMs,
  spoolDirectory: directory.spool,
  maxConnections: connectionLimit(settings),
})

/** Opens everything behind the HTTP server. */
export const compose = async (context: AppContext, demo: boolean) => {
  const { settings, log, metrics, directory } = context
  const stores = await openOurStores(context)
  let restarts = 0
  const pool = await openOurPool(context, () => {
    restarts += 1
  })
  stores.sharing.neighbours.exchange(pool.takeLoad, pool.receiveLoad)
  const store = storeOf(context, stores)
  const watch = openWorkWatch(log, metrics)
  const service = await openService(context, { stores, pool, store, watch }, demo)
  const deferred = openOurDeferred(context, { stores, service, store })
  const journaled = stores.accounts.journaled ?? (() => 0)
  const watched = { watch, workers: settings.workers, restarts: () => restarts, journaled }
  metrics.watch(readingsOf(service, deferred, watched))
  const stopAsking = askStores(stores)
  const close = async (): Promise<void> => {
    stopAsking()
    await service.deliveries.idle()
    await stores.sharing.close()
    await service.backgroundSearches.close()
    await pool.close()
    await service.singleFlight.idle()
    await stores.results.close()
    await stores.accounts.close()
    directory.close()
  }
  return { service, deferred, stores, close }
}
