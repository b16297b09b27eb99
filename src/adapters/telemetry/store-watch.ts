import type { StoreWatch } from '../../ports/store-watch.ts'
import type { Log } from '../../ports/telemetry.ts'

/** Names of the shared stores in metrics and logs. */
export type StoreName = 'accounts' | 'results' | 'jobs'

const CONSEQUENCES: Readonly<Record<StoreName, string>> = {
  accounts: 'new work gets 503 until it answers, charges of running work are kept in the journal',
  results: 'results are computed again and not stored until it answers',
  jobs: 'this node goes on as if it were alone until it answers',
}

/** Logs once when a store stops answering and once when it answers again. Calls `report` (a metric) at every change. */
export const openStoreWatch = (
  name: StoreName,
  {
    log,
    report,
  }: { readonly log: Pick<Log, 'warn' | 'info'>; readonly report: (name: StoreName, up: boolean) => void },
): StoreWatch => {
  let awaySince: number | undefined
  report(name, true)
  return {
    away: (why) => {
      if (awaySince !== undefined) return
      awaySince = performance.now()
      report(name, false)
      log.warn({ err: why, store: name }, `the store of ${name} does not answer: ${CONSEQUENCES[name]}`)
    },
    back: () => {
      if (awaySince === undefined) return
      const seconds = Math.round((performance.now() - awaySince) / 100) / 10
      awaySince = undefined
      report(name, true)
      log.info({ store: name, seconds }, `the store of ${name} answers again`)
    },
  }
}
