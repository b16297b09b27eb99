/** Puts the service together from its settings: which adapter stands behind which port, and nothing else. */
import { resolve } from 'node:path'
import { openPinoLog } from './adapters/telemetry/pino.ts'
import { openPrometheusMetrics, type PrometheusMetrics } from './adapters/telemetry/prometheus.ts'
import { openStoreWatch } from './adapters/telemetry/store-watch.ts'
import { Failure } from './core/failure.ts'
import { openSharedWork } from './core/shared-work.ts'
import { type Confinement, findConfinement } from './engine/pool/confinement.ts'
import { openPool, type Pool } from './engine/pool/pool.ts'
import { type Deferred, openDeferred } from './jobs/deferred.ts'
import { openRecallOnce } from './jobs/recall-once.ts'
import { openSingleFlight } from './jobs/single-flight.ts'
import { openSourceCopies } from './jobs/source-copies.ts'
import { openSourceRecords } from './jobs/source-records.ts'
import { openAnswerStore, type StoreAnswer } from './jobs/store-answer.ts'
import { canEncodeAnimatedAvif } from './motion/video/animated-avif.ts'
import { findFfmpeg, isFromNpm } from './motion/video/ffmpeg.ts'
import type { Log } from './ports/telemetry.ts'
import { createApp } from './server/app.ts'
import { trustRule } from './server/client.ts'
import type { Site } from './server/exchange.ts'
import { openAccountCaps } from './service/account-caps.ts'
import { isLoopback, withDemo } from './service/demo.ts'
import { openFinisher } from './service/finish-later.ts'
import { openGuessLimit } from './service/guess-limit.ts'
import { openReadiness } from './service/readiness.ts'
import { resumeJob } from './service/resume.ts'
import type { Observer, Service, ServiceSettings } from './service/service.ts'
import { openWorkWatch, type WorkWatch } from './service/work-watch.ts'
import type { Settings } from './settings/settings.ts'
import { fetchSource } from './source/fetch.ts'
import { type DataDirectory, openDataDirectory } from './start/data-directory.ts'
import { connectionLimit, listen } from './start/listen.ts'
import { countExchanges, shutDown } from './start/shut-down.ts'
import { startProblem } from './start/start-problem.ts'
import { openStores, type Stores } from './start/stores.ts'

export interface Running {
  /** Address that it listens on, without a slash at its end. */
  readonly address: string
  /** Ends gracefully: takes no new work, finishes what runs, within the grace of the settings. */
  readonly stop: () => Promise<void>
}

export interface ServeOptions {
  readonly settings: Settings
  /** Opens the account `demo` (see service/demo.ts). */
  readonly demo: boolean
  readonly version: string
  readonly log?: Log
}

/** What most parts are told of. */
interface Surroundings {
  readonly settings: Settings
  readonly version: string
  readonly log: Log
  readonly metrics: PrometheusMetrics
  readonly directory: DataDirectory
}

const tellConfinement = (log: Log, { withheld }: Confinement): void =>
  withheld.length > 0
    ? log.info({ withheld }, 'child processes, which work on what strangers sent, have none of what is withheld')
    : log.warn({}, 'nothing confines child processes here: see docs/operations.md, "Confinement"')

const tellFfmpeg = async ({ log, settings }: Surroundings): Promise<void> => {
  const ffmpeg = await findFfmpeg(() => true, settings.ffmpegPath)
  if (ffmpeg === undefined) return log.warn({}, 'there is no ffmpeg: video and animated AVIF get 501. Install it')
  const { path, version } = ffmpeg
  if (!isFromNpm(ffmpeg)) return log.info({ path, version }, 'video is made by this ffmpeg')
  log.warn(
    { path, version },
    "video is made by the old ffmpeg that npm installed: install the system's, or set FFMPEG_PATH",
  )
}

const openOurStores = ({ settings, log, metrics }: Surroundings): Promise<Stores> =>
  openStores(settings, {
    watch: (name) => openStoreWatch(name, { log, report: metrics.storeUp }),
    migrated: (names) => log.info({ migrations: names }, 'the tables of the accounts were brought up to date'),
  }).catch((error: Error) => {
    throw startProblem(error.message, error)
  })

const openOurPool = async (surroundings: Surroundings, onRestart: () => void): Promise<Pool> => {
  const { settings, log, directory } = surroundings
  const confinement = await findConfinement({
    memoryLimit: settings.workerMemoryLimit,
    hidden: resolve(settings.dataDir),
    writable: [directory.work, directory.temporary],
  })
  tellConfinement(log, confinement)
  await tellFfmpeg(surroundings)
  const noticed = new Set<string>()
  return openPool({
    confinement,
    temporary: directory.temporary,
    workers: settings.workers,
    queueLimit: settings.queueLimit,
    maxJobs: settings.workerMaxJobs,
    maxMemory: settings.workerMaxMemory,
    memoryLimit: settings.workerMemoryLimit,
    onRestart: (why) => {
      onRestart()
      if (why === 'crashed') log.warn({ why }, 'a child process was replaced')
    },
    onNotice: (message) => {
      if (!noticed.has(message)) log.warn({}, message)
      noticed.add(message)
    },
  })
}

const serviceSettings = async (settings: Settings, secret: Uint8Array): Promise<ServiceSettings> => ({
  limits: {
    maxBytes: settings.maxSourceBytes,
    maxPixels: settings.maxPixels,
    maxSide: settings.maxSide,
    maxTotalPixels: settings.maxTotalPixels,
    maxFrames: settings.maxFrames,
    maxDurationMs: settings.maxDurationMs,
  },
  maxTimeout: settings.maxTimeoutSeconds,
  rateLimit: settings.rateLimit,
  canEncodeAnimatedAvif: await canEncodeAnimatedAvif(settings.ffmpegPath),
  ...(settings.ffmpegPath === undefined ? {} : { ffmpegPath: settings.ffmpegPath }),
  secret,
  delivery: { maxAge: settings.deliveryMaxAgeMs / 1000, rate: settings.deliveryRate },
})

const observerOf = ({ log, metrics }: Surroundings, watch: WorkWatch): Observer => ({
  stage: metrics.stage,
  work: watch.begin,
  made: (sourceBytes, { made }) =>
    metrics.optimised({
      format: made.format,
      sourceBytes,
      resultBytes: made.bytes,
      encodes: made.encodes,
      ...(made.meetsTarget === undefined ? {} : { meetsTarget: made.meetsTarget }),
      ...(made.score === undefined ? {} : { score: made.score }),
      ...(made.butteraugli === undefined ? {} : { butteraugli: made.butteraugli }),
    }),
  served: metrics.served,
  trouble: (what, error) => log.error({ err: error }, what),
})

const fetcherOf =
  ({ settings, version, directory, metrics }: Surroundings): Service['fetch'] =>
  (url, limits) =>
    fetchSource(url, {
      spoolDirectory: directory.spool,
      ...limits,
      allowPrivate: settings.allowPrivateSources,
      userAgent: `Whittle/${version}`,
      timeouts: { totalMs: settings.fetchTimeoutMs },
    }).catch((error: unknown) => {
      if (error instanceof Failure) metrics.fetchFailed(error.code)
      throw error
    })

const siteOf = ({ settings, version, directory }: Surroundings): Site => ({
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

/** Everything behind the HTTP server. */
const openHouse = async (surroundings: Surroundings, demo: boolean) => {
  const { settings, log, metrics, directory } = surroundings
  const stores = await openOurStores(surroundings)
  let restarts = 0
  const pool = await openOurPool(surroundings, () => {
    restarts += 1
  })
  stores.sharing.neighbours.exchange(pool.takeLoad, pool.hear)
  const { results } = stores
  const store = storeOf(surroundings, stores)
  const singleFlight = openSingleFlight(directory.work)
  const watch = openWorkWatch(log, metrics)
  const finisher = openFinisher(directory.work)
  const service: Service = {
    settings: await serviceSettings(settings, stores.secret),
    accounts: demo ? withDemo(stores.accounts) : stores.accounts,
    results,
    recall: openRecallOnce(results),
    pool,
    singleFlight,
    claims: stores.sharing.claims,
    allow: stores.sharing.rate.allow,
    guesses: openGuessLimit(),
    caps: openAccountCaps({
      requests: settings.accountRequests,
      receiving: settings.accountReceiving,
      spoolBytes: settings.accountSpoolBytes,
    }),
    fetch: fetcherOf(surroundings),
    // It can be made again: only what somebody was told to come back for is promised.
    store: (key, answer) => store(key, answer, { promised: false }),
    finisher,
    sources: openSourceRecords({
      results,
      claims: stores.sharing.claims,
      directory: directory.work,
      tell: (error) => log.warn({ err: error }, 'the record of a source could not be read or kept'),
    }),
    deliveries: openSharedWork(),
    scratch: directory.work,
    observe: observerOf(surroundings, watch),
  }
  const deferred = openOurDeferred(surroundings, { stores, service, store })
  metrics.watch(() => ({
    queued: pool.depth(),
    busyWorkers: pool.busy(),
    workers: settings.workers,
    restarts,
    jobs: singleFlight.underWay(),
    detachedJobs: deferred.underWay(),
    oldestJobSeconds: singleFlight.oldestMs() / 1000,
    phases: watch.phases(),
  }))
  const close = async (): Promise<void> => {
    await service.deliveries.idle()
    await stores.sharing.close()
    await finisher.close()
    await pool.close()
    await singleFlight.idle()
    await results.close()
    await stores.accounts.close()
    directory.close()
  }
  return { service, deferred, stores, close }
}

const openSurroundings = async ({ settings, version, log }: ServeOptions): Promise<Surroundings> => ({
  settings,
  version,
  log: log ?? openPinoLog({ level: settings.logLevel }),
  metrics: openPrometheusMetrics({ version, namedAccounts: settings.metricsAccounts }),
  directory: await openDataDirectory(resolve(settings.dataDir)),
})

/** Puts the service together and starts it. Fails with a StartProblem. */
export const serve = async (options: ServeOptions): Promise<Running> => {
  const surroundings = await openSurroundings(options)
  const { settings, log, metrics, directory } = surroundings
  const house = await openHouse(surroundings, options.demo).catch((error: unknown) => {
    directory.close()
    throw error
  })
  const { service, deferred, stores } = house
  let accepting = true
  const isOpen = (): boolean => accepting
  const readiness = openReadiness(directory.spool)
  const server = createApp({ site: siteOf(surroundings), service, deferred, log, metrics, isOpen, readiness })
  // Health checks and result addresses are answered until the last of the work is done.
  const exchanges = countExchanges(server)
  const address = await listen(server, settings).catch(async (error: unknown) => {
    await house.close()
    throw error
  })
  log.info({ address, dataDir: resolve(settings.dataDir), version: options.version }, 'listening')
  if (!options.demo && (await stores.accounts.list()).length === 0)
    log.warn(
      settings.databaseUrl === undefined ? { dataDir: resolve(settings.dataDir) } : {},
      `there are no accounts in ${settings.databaseUrl === undefined ? 'this DATA_DIR' : 'the database of DATABASE_URL'}, so every request gets 403. Add one: whittle accounts add <username>`,
    )
  const stop = async (): Promise<void> => {
    accepting = false
    log.info({ underWay: service.singleFlight.underWay() }, 'shutting down')
    await shutDown(server, () => exchanges() + deferred.underWay(), settings.shutdownGraceMs)
    await house.close()
  }
  return { address, stop }
}
