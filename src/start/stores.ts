import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import { openPostgresAccounts } from '../adapters/accounts/postgres.ts'
import { openSqliteAccounts } from '../adapters/accounts/sqlite.ts'
import { openDiskResults } from '../adapters/results/disk.ts'
import { openS3Results } from '../adapters/results/s3.ts'
import type { StoreName } from '../adapters/telemetry/store-watch.ts'
import { MINUTE_MS } from '../core/units.ts'
import type { AccountAdmin, Accounts } from '../ports/accounts.ts'
import type { Results } from '../ports/results.ts'
import type { StoreWatch } from '../ports/store-watch.ts'
import type { Settings } from '../settings/settings.ts'
import { makeSecret, readSecret } from './secret.ts'
import { openSharing, type Sharing } from './sharing.ts'

/** Receives events of the stores. */
export interface StoreObserver {
  /** Absent for short-lived users of the stores, which see failures directly. */
  readonly watch?: (name: StoreName) => StoreWatch
  readonly migrated: (names: readonly string[]) => void
  /** Old results could not be removed. */
  readonly sweepFailed?: (error: unknown) => void
}

type OpenedAccounts = Accounts & AccountAdmin & { readonly share?: (name: string, mine: string) => Promise<string> }

/** Persistent state, and the secret for the names of results. */
export interface Stores {
  readonly accounts: Accounts & Pick<AccountAdmin, 'list'>
  readonly results: Results
  readonly sharing: Sharing
  readonly secret: Uint8Array
}

/** Opens the configured accounts: PostgreSQL, or a SQLite file. Throws one plain sentence. */
export const openAccounts = (settings: Settings, observer?: StoreObserver): Promise<OpenedAccounts> => {
  const dataDir = resolve(settings.dataDir)
  const common = {
    trialQuota: settings.trialQuota,
    // A charge is held while its work runs, and must not be released before.
    staleAfter: Math.max(15 * MINUTE_MS, 2 * settings.maxTimeoutSeconds * 1000),
    ...(observer === undefined ? {} : { onMigrated: observer.migrated }),
  }
  if (settings.databaseUrl === undefined)
    return openSqliteAccounts({ path: join(dataDir, 'accounts.sqlite'), ...common })
  return openPostgresAccounts({
    url: settings.databaseUrl,
    connections: settings.databasePool,
    ...common,
    ...(observer?.watch === undefined
      ? {}
      : { journal: join(dataDir, 'charges.journal'), watch: observer.watch('accounts') }),
  })
}

const openResults = (settings: Settings, observer: StoreObserver): Promise<Results> => {
  const { resultsUrl, resultsMaxBytes: maxBytes, resultsMaxAgeMs: maxAgeMs } = settings
  if (resultsUrl === undefined)
    return openDiskResults({ directory: join(resolve(settings.dataDir), 'results'), maxBytes, maxAgeMs })
  const watch = observer.watch?.('results')
  const { sweepFailed } = observer
  return openS3Results({
    ...resultsUrl,
    maxAgeMs,
    ...(watch === undefined ? {} : { watch }),
    ...(sweepFailed === undefined ? {} : { onSweepError: sweepFailed }),
  })
}

/** The secret that all nodes share: from the settings, from the database, or from this data directory. */
const sharedSecret = async (settings: Settings, accounts: OpenedAccounts): Promise<Uint8Array> => {
  if (settings.secret !== undefined) return createHash('sha256').update(settings.secret).digest()
  if (accounts.share === undefined) return readSecret(resolve(settings.dataDir))
  return Buffer.from(await accounts.share('secret', makeSecret().toString('hex')), 'hex')
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Opens every store. If some fail, closes the others and throws an Error with one line for each. */
export const openStores = async (settings: Settings, observer: StoreObserver): Promise<Stores> => {
  const opening = openAccounts(settings, observer)
  const secret = opening.then((accounts) => sharedSecret(settings, accounts))
  const url = settings.redisUrl
  const [accounts, results, sharing, known] = await Promise.allSettled([
    opening,
    openResults(settings, observer),
    openSharing({ url, secret, watch: url === undefined ? undefined : observer.watch?.('jobs') }),
    secret,
  ])
  if (
    accounts.status === 'fulfilled' &&
    results.status === 'fulfilled' &&
    sharing.status === 'fulfilled' &&
    known.status === 'fulfilled'
  )
    return { accounts: accounts.value, results: results.value, sharing: sharing.value, secret: known.value }
  const opened = [accounts, results, sharing]
  for (const one of opened) if (one.status === 'fulfilled') await one.value.close()
  // Without accounts there is no secret either, so both have the same reason.
  const reasons = new Set([...opened, known].flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])))
  throw new Error([...reasons].map(messageOf).join('\n'), { cause: [...reasons][0] })
}
