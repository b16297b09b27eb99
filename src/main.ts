/** Starts the service, and ends it. */
import { resolve } from 'node:path'
import { compose, siteOf } from './composition/compose.ts'
import { openSurroundings, type ServeOptions } from './composition/surroundings.ts'
import { createApp } from './server/app.ts'
import { openReadiness } from './service/readiness.ts'
import { listen } from './start/listen.ts'
import { countExchanges, shutDown } from './start/shut-down.ts'

export interface Running {
  /** Address that it listens on, without a slash at its end. */
  readonly address: string
  /** Ends gracefully: takes no new work, finishes what runs, within the grace of the settings. */
  readonly stop: () => Promise<void>
}

/** Puts the service together and starts it. Fails with a StartProblem. */
export const serve = async (options: ServeOptions): Promise<Running> => {
  const surroundings = await openSurroundings(options)
  const { settings, log, metrics, directory } = surroundings
  const composed = await compose(surroundings, options.demo).catch((error: unknown) => {
    directory.close()
    throw error
  })
  const { service, deferred, stores } = composed
  let accepting = true
  const isOpen = (): boolean => accepting
  const readiness = openReadiness(directory.spool)
  const server = createApp({ site: siteOf(surroundings), service, deferred, log, metrics, isOpen, readiness })
  // Health checks and result addresses are answered until the last of the work is done.
  const exchanges = countExchanges(server)
  const address = await listen(server, settings).catch(async (error: unknown) => {
    await composed.close()
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
    await composed.close()
  }
  return { address, stop }
}
