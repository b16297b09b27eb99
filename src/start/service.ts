import { Failure } from '../core/failure.ts'
import type { Pool } from '../engine/pool/pool.ts'
import { openRecallOnce } from '../jobs/recall-once.ts'
import { openSingleFlight } from '../jobs/single-flight.ts'
import { openSourceRecords } from '../jobs/source-records.ts'
import type { StoreAnswer } from '../jobs/store-answer.ts'
import { canEncodeAnimatedAvif } from '../motion/video/animated-avif.ts'
import { openAccountCaps } from '../service/accounts/account-caps.ts'
import { withDemo } from '../service/accounts/demo.ts'
import { openGuessLimit } from '../service/accounts/guess-limit.ts'
import { openAwaySources } from '../service/deliver/away-sources.ts'
import { openBackgroundSearches } from '../service/optimise/background-search.ts'
import type { WorkWatch } from '../service/optimise/work-watch.ts'
import type { Observer, Service, ServiceSettings } from '../service/service.ts'
import type { Settings } from '../settings/settings.ts'
import { fetchSource } from '../source/fetch.ts'
import { openSharedWork } from '../support/shared-work.ts'
import type { AppContext } from './app-context.ts'
import type { Stores } from './stores.ts'
import { openTroubleLog } from './trouble-log.ts'

/** Parts of the service that other parts need too. */
export interface Parts {
  readonly stores: Stores
  readonly pool: Pool
  readonly store: StoreAnswer
  readonly watch: WorkWatch
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
  effort: settings.effort,
  backgroundEffort: settings.backgroundEffort,
  secret,
  delivery: { maxAge: settings.deliveryMaxAgeMs / 1000, rate: settings.deliveryRate },
})

const observerOf = ({ log, metrics }: AppContext, watch: WorkWatch): Observer => ({
  stage: metrics.stage,
  work: watch.begin,
  computed: (sourceBytes, { file }) =>
    metrics.optimised({
      format: file.format,
      sourceBytes,
      resultBytes: file.bytes,
      encodes: file.encodes,
      ...(file.meetsTarget === undefined ? {} : { meetsTarget: file.meetsTarget }),
      ...(file.score === undefined ? {} : { score: file.score }),
      ...(file.butteraugli === undefined ? {} : { butteraugli: file.butteraugli }),
    }),
  served: metrics.served,
  trouble: openTroubleLog(log, 'error'),
})

const fetcherOf =
  ({ settings, version, directory, metrics }: AppContext): Service['fetch'] =>
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

const openSources = ({ log }: AppContext, { results, sharing }: Stores): Service['sources'] =>
  openSourceRecords({
    results,
    claims: sharing.claims,
    report: (error) => openTroubleLog(log, 'warn')('the record of a source could not be read or kept', error),
  })

const openCaps = ({ settings }: AppContext): Service['caps'] =>
  openAccountCaps({
    requests: settings.accountRequests,
    receiving: settings.accountReceiving,
    spoolBytes: settings.accountSpoolBytes,
  })

/** Joins the opened parts to the service that answers requests. `demo` adds the account `demo`. */
export const openService = async (
  context: AppContext,
  { stores, pool, store, watch }: Parts,
  demo: boolean,
): Promise<Service> => {
  const { settings, directory } = context
  const { results, sharing } = stores
  return {
    settings: await serviceSettings(settings, stores.secret),
    accounts: demo ? withDemo(stores.accounts) : stores.accounts,
    results,
    recall: openRecallOnce(results),
    pool,
    singleFlight: openSingleFlight(directory.work),
    claims: sharing.claims,
    allow: sharing.rate.allow,
    guesses: openGuessLimit(),
    awaySources: openAwaySources(),
    caps: openCaps(context),
    fetch: fetcherOf(context),
    // It can be computed again. Only results whose address was given to a client are promised.
    store: (key, answer) => store(key, answer, { promised: false }),
    backgroundSearches: openBackgroundSearches(directory.work),
    sources: openSources(context, stores),
    deliveries: openSharedWork(),
    scratch: directory.work,
    observe: observerOf(context, watch),
  }
}
