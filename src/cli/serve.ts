import { randomUUID } from 'node:crypto'
import { mkdir, readdir, unlink, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPinoLog } from '../adapters/telemetry/pino.ts'
import { openPrometheusMetrics } from '../adapters/telemetry/prometheus.ts'
import { openStoreWatch } from '../adapters/telemetry/store-watch.ts'
import { removeDirectory } from '../core/remove.ts'
import { type Confinement, findConfinement } from '../engine/pool/confinement.ts'
import { openPool } from '../engine/pool/pool.ts'
import { openDeferred } from '../jobs/deferred.ts'
import { openSingleFlight } from '../jobs/single-flight.ts'
import { openSourceCopies } from '../jobs/source-copies.ts'
import { openAnswerStore } from '../jobs/store-answer.ts'
import { canEncodeAnimatedAvif } from '../motion/video/animated-avif.ts'
import type { Log } from '../ports/telemetry.ts'
import { createApp } from '../server/app.ts'
import { trustRule } from '../server/client.ts'
import { isLoopback, withDemo } from '../service/demo.ts'
import { resumeJob } from '../service/resume.ts'
import type { Service } from '../service/service.ts'
import { openWorkWatch } from '../service/work-watch.ts'
import type { Settings } from '../settings/settings.ts'
import { fetchSource } from '../source/fetch.ts'
import { sweepSpool } from '../source/spool.ts'
import { openStores } from './stores.ts'

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

/** Why the service cannot start, in a sentence that says what to do. */
export class StartProblem extends Error {}

const problem = (text: string, cause: unknown): StartProblem => new StartProblem(text, { cause })

const listenProblem = (error: NodeJS.ErrnoException, { host, port }: Settings): StartProblem => {
  if (error.code === 'EADDRINUSE')
    return problem(`Port ${port} on ${host} is in use already. Stop what uses it, or set PORT to another one.`, error)
  if (error.code === 'EACCES')
    return problem(`Port ${port} may not be used without special rights. Set PORT to one above 1023.`, error)
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return problem(
      `This machine has no address ${host}. Set HOST to one that it has, such as 127.0.0.1 or 0.0.0.0.`,
      error,
    )
  return problem(
    `The service cannot listen on ${host}:${port} (${error.code ?? error.message}). Check HOST and PORT.`,
    error,
  )
}

const prepareDirectories = async (
  dataDir: string,
): Promise<{ readonly spool: string; readonly work: string; readonly temporary: string }> => {
  const spool = join(dataDir, 'spool')
  const work = join(dataDir, 'work')
  const temporary = join(dataDir, 'tmp')
  try {
    for (const directory of [dataDir, spool, work, temporary]) await mkdir(directory, { recursive: true, mode: 0o700 })
    const probe = join(dataDir, `probe-${randomUUID()}`)
    await writeFile(probe, '')
    await unlink(probe)
    await readdir(dataDir)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw problem(
      `The data directory ${dataDir} cannot be read and written (${code}). Make it writable for this user, or set DATA_DIR to another one.`,
      error,
    )
  }
  // Whatever an earlier run left behind when it was killed.
  await sweepSpool(spool)
  for (const name of await readdir(work)) await removeDirectory(join(work, name))
  for (const name of await readdir(temporary)) await removeDirectory(join(temporary, name))
  return { spool, work, temporary }
}

const tellConfinement = (log: Log, { withheld }: Confinement): void =>
  withheld.length > 0
    ? log.info({ withheld }, 'child processes, which work on what strangers sent, have none of what is withheld')
    : log.warn({}, 'nothing confines child processes here: see docs/operations.md, "Confinement"')

/** Puts the service together from its settings and starts it. Fails with a {@link StartProblem}. */
export const serve = async ({
  settings,
  demo,
  version,
  log = openPinoLog({ level: settings.logLevel }),
}: ServeOptions): Promise<Running> => {
  const dataDir = resolve(settings.dataDir)
  const { spool, work, temporary } = await prepareDirectories(dataDir)
  const metrics = openPrometheusMetrics()
  const stores = await openStores(settings, {
    watch: (name) => openStoreWatch(name, { log, report: metrics.storeUp }),
    migrated: (names) => log.info({ migrations: names }, 'the tables of the accounts were brought up to date'),
  }).catch((error: Error) => {
    throw problem(error.message, error)
  })
  const { secret, results, sharing, accounts: stored } = stores
  const accounts = demo ? withDemo(stored) : stored
  let restarts = 0
  const noticed = new Set<string>()
  const confinement = await findConfinement()
  tellConfinement(log, confinement)
  const pool = openPool({
    confinement,
    temporary,
    memoryLimit: settings.workerMemoryLimit,
    workers: settings.workers,
    queueLimit: settings.queueLimit,
    maxJobs: settings.workerMaxJobs,
    maxMemory: settings.workerMaxMemory,
    onRestart: (why) => {
      restarts += 1
      if (why === 'crashed') log.warn({ why }, 'a child process was replaced')
    },
    onNotice: (message) => {
      if (!noticed.has(message)) log.warn({}, message)
      noticed.add(message)
    },
  })
  const store = openAnswerStore({
    results,
    directory: work,
    tell: (error) => log.warn({ err: error }, 'a result could not be stored'),
  })
  const singleFlight = openSingleFlight(work)
  const watch = openWorkWatch(log, metrics)
  const service: Service = {
    settings: {
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
    },
    accounts,
    results,
    pool,
    singleFlight,
    claims: sharing.claims,
    allow: sharing.rate.allow,
    fetch: (url, limits) =>
      fetchSource(url, {
        spoolDirectory: spool,
        ...limits,
        allowPrivate: settings.allowPrivateSources,
        userAgent: `Whittle/${version}`,
        timeouts: { totalMs: settings.fetchTimeoutMs },
      }),
    // It can be made again: only what somebody was told to come back for is promised.
    store: (key, answer) => store(key, answer, { promised: false }),
    observe: {
      stage: (name, ms) => metrics.stage(name, ms),
      work: watch.begin,
      made: (sourceBytes, { made }) =>
        metrics.optimised({
          format: made.format,
          sourceBytes,
          resultBytes: made.bytes,
          encodes: made.encodes,
          ...(made.meetsTarget === undefined ? {} : { meetsTarget: made.meetsTarget }),
        }),
      trouble: (what, error) => log.error({ err: error }, what),
    },
  }
  const copies = openSourceCopies(results, (what, error) => log.warn({ err: error }, what))
  const deferred = openDeferred({
    results,
    store: (key, answer) => store(key, answer, { promised: true }),
    claims: sharing.claims,
    queue: sharing.queue,
    copies,
    resume: (ticket) => {
      metrics.takenOver()
      log.info({ id: ticket.request.id }, 'a job of a node that died is taken over')
      return resumeJob({ service, copies, spoolDirectory: spool }, ticket)
    },
    tell: (what, error) => log.warn({ err: error }, what),
  })
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

  let accepting = true
  const server = createApp({
    site: {
      publicUrl: settings.publicUrl,
      pathPrefix: settings.pathPrefix,
      countProxies: trustRule(settings.trustProxy),
      requestIdHeader: settings.requestIdHeader,
      beyondLoopback: !isLoopback(settings.host),
      playground: settings.playground,
      version,
      redirectAfterMs: settings.redirectAfterMs,
      uploadTimeoutMs: settings.uploadTimeoutMs,
      spoolDirectory: spool,
    },
    service,
    deferred,
    log,
    metrics,
    isOpen: () => accepting,
  })
  // Health checks and result addresses are answered until the last of the work is done.
  let exchanges = 0
  const count = (_request: unknown, response: ServerResponse): void => {
    exchanges += 1
    response.once('close', () => {
      exchanges -= 1
    })
  }
  server.on('request', count).on('checkContinue', count)
  const closeAll = async (): Promise<void> => {
    await sharing.close()
    await pool.close()
    await results.close()
    await accounts.close()
  }
  await new Promise<void>((done, refuse) => {
    server.once('error', refuse)
    server.listen(settings.port, settings.host, () => done())
  }).catch(async (error: NodeJS.ErrnoException) => {
    await closeAll()
    throw listenProblem(error, settings)
  })
  const { port } = server.address() as AddressInfo
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host
  log.info({ host: settings.host, port, dataDir, version }, 'listening')
  if (!demo && (await stored.list()).length === 0)
    log.warn(
      { dataDir },
      'there are no accounts in this DATA_DIR, so every request gets 403. Add one: whittle accounts add <username>',
    )

  const stop = async (): Promise<void> => {
    accepting = false
    log.info({ underWay: singleFlight.underWay() }, 'shutting down')
    const graceEnds = performance.now() + settings.shutdownGraceMs
    while ((exchanges > 0 || deferred.underWay() > 0) && performance.now() < graceEnds) await sleep(25)
    const closed = new Promise<void>((done) => server.close(() => done()))
    server.closeAllConnections()
    await closed
    await closeAll()
  }
  return { address: `http://${host}:${port}${settings.pathPrefix}`, stop }
}
