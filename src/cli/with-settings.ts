import { isLoopback } from '../service/accounts/demo.ts'
import { openAccounts } from '../start/stores.ts'
import { runAccounts } from './accounts.ts'
import { settingsOrComplain } from './complain.ts'
import { runMigrate } from './migrate.ts'

type Streams = Pick<Parameters<typeof runMigrate>[0], 'stdout' | 'stderr'>

/** The command `whittle accounts`. Resolves with the exit code. */
export const accountsCommand = async (argv: readonly string[], streams: Streams): Promise<number> => {
  const settings = settingsOrComplain()
  if (settings === undefined) return 1
  const { publicUrl, host, port, pathPrefix, maxTimeoutSeconds: maxTimeout } = settings
  const base = publicUrl ?? `http://${isLoopback(host) ? host : '127.0.0.1'}:${port}${pathPrefix}`
  return runAccounts(argv, { open: () => openAccounts(settings), base, maxTimeout, ...streams })
}

/** The command `whittle migrate`. Resolves with the exit code. */
export const migrateCommand = async (streams: Streams): Promise<number> => {
  const settings = settingsOrComplain()
  if (settings === undefined) return 1
  const open = (migrated: (names: readonly string[]) => void) => openAccounts(settings, { migrated })
  return runMigrate({ open, ...streams })
}
