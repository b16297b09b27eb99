import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import { openPostgresAccounts } from '../adapters/accounts/postgres.ts'
import { openSqliteAccounts } from '../adapters/accounts/sqlite.ts'
import { openDiskResults } from '../adapters/results/disk.ts'
import { openS3Results } from '../adapters/results/s3.ts'
import type { StoreName } from '../adapters/telemetry/store-watch.ts'
import type { AccountAdmin, Accounts } from '../ports/accounts.ts'
import type { Results } from '../ports/results.ts'
import type { StoreWatch } from '../ports/store-watch.ts'
import type { Settings } from '../settings/settings.ts'
import { makeSecret, readSecret } from './secret.ts'
import { openSharing, type Sharing } from './sharing.ts'

/** Hears how the stores are. */
export interface StoreObserver {
  /** Absent: whoever opens the store is there for a moment only, and is told by its failures. */
  readonly watch?: (name: StoreName) => StoreWatch
  readonly migrated: (names: readonly string[]) => void
}

type OpenedAccounts = Accounts & AccountAdmin & { readonly share?: (name: string, mine: string) => Promise<string> }

/** What is kept beyond one request, and the secret that names of results are made with. */
export interface Stores {
  readonly accounts: Accounts & Pick<AccountAdmin, 'list'>
  readonly results: Results
  readonly sharing: Sharing
  readonly secret: Uint8Array
}

const MINUTE_MS = 60_000

/** Accounts where the settings say: PostgreSQL, or one SQLite file. Throws one plain sentence. */
export const openAccounts = (settings: Settings, observer?: StoreObserver): Promise<OpenedAccounts> => {
  const dataDir = resolve(settings.dataDir)
  const common = {
    trialQuota: settings.trialQuota,
    // A charge is held for as long as its work takes, and must not be given back before.
    staleAfter: Math.max(15 * MINUTE_MS, 2 * settings.maxTimeoutSeconds * 1000),
    ...(observer === undefined ? {} : { onMigrated: observer.migrated }),
  }
  if (settings.databaseUrl === undefined)
    return openSqliteAccounts({ path: join(dataDir, 'accounts.sqlite'), ...common })
  return openPostgresAccounts({
    url: settings.databaseUrl,
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
  return openS3Results({ ...resultsUrl, maxAgeMs, ...(watch === undefined ? {} : { watch }) })
}

/** The secret that all nodes share: as set, as the database keeps it, or that of this data directory. */
const sharedSecret = async (settings: Settings, accounts: OpenedAccounts): Promise<Uint8Array> => {
  if (settings.secret !== undefined) return createHash('sha256').update(settings.secret).digest()
  if (accounts.share === undefined) return readSecret(resolve(settings.dataDir))
  return Buffer.from(await accounts.share('secret', makeSecret().toString('hex')), 'hex')
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Opens every store; when some cannot be opened, closes the others and throws an Error with a sentence for each, a line apart. */
export const openStores = async (settings: Settings, observer: StoreObserver): Promise<Stores> => {
  const [accounts, results, sharing] = await Promise.allSettled([
    openAccounts(settings, observer),
    openResults(settings, observer),
    openSharing(settings.redisUrl, settings.redisUrl === undefined ? undefined : observer.watch?.('jobs')),
  ])
  if (accounts.status === 'fulfilled' && results.status === 'fulfilled' && sharing.status === 'fulfilled') {
    return {
      accounts: accounts.value,
      results: results.value,
      sharing: sharing.value,
      secret: await sharedSecret(settings, accounts.value),
    }
  }
  const opened = [accounts, results, sharing]
  for (const one of opened) if (one.status === 'fulfilled') await one.value.close()
  const reasons = opened.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  throw new Error(reasons.map(messageOf).join('\n'), { cause: reasons[0] })
}
