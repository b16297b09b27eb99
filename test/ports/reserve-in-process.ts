import { openSqliteAccounts } from '../../src/adapters/accounts/sqlite.ts'

// One of several processes with the same accounts file. Prints how many of its reservations were granted.
const [path, name, count] = process.argv.slice(2) as [string, string, string]
const accounts = await openSqliteAccounts({ path, trialQuota: 100 })
await accounts.add('ada', { quota: 90 }).catch(() => undefined)
const granted = await Promise.all(
  Array.from({ length: Number(count) }, (_, n) => accounts.reserve('ada', `${name}-${n}`)),
)
await accounts.close()
process.stdout.write(String(granted.filter(Boolean).length))
