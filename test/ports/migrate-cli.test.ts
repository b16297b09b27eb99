import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSqliteAccounts } from '../../src/adapters/accounts/sqlite.ts'
import { runMigrate } from '../../src/cli/migrate.ts'
import { makeDirectory } from './directory.ts'

const migrate = async (path: string) => {
  const printed = { stdout: '', stderr: '' }
  const status = await runMigrate({
    open: (onMigrated) => openSqliteAccounts({ path, trialQuota: 1, onMigrated }),
    stdout: { write: (text: string) => (printed.stdout += text) },
    stderr: { write: (text: string) => (printed.stderr += text) },
  })
  return { status, ...printed }
}

test('whittle migrate lists its migrations, and reports none the second time', async () => {
  const directory = await makeDirectory()
  const first = await migrate(join(directory, 'accounts.sqlite'))
  expect(first).toMatchObject({ status: 0, stderr: '' })
  expect(first.stdout).toMatch(/^Brought up to date: 001-create-tables, /)
  expect(await migrate(join(directory, 'accounts.sqlite'))).toEqual({
    status: 0,
    stdout: 'The tables are up to date.\n',
    stderr: '',
  })
  await rm(directory, { recursive: true })
})

test('whittle migrate reports a failure in one line', async () => {
  const { status, stdout, stderr } = await migrate('/dev/null/accounts.sqlite')
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toMatch(/^whittle: The accounts database .+\n$/)
})
