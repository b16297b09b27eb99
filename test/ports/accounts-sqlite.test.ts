import { execFile } from 'node:child_process'
import { rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSqliteAccounts } from '../../src/adapters/accounts/sqlite.ts'
import { describeAccounts } from './accounts-contract.ts'
import { makeDirectory } from './directory.ts'

const run = promisify(execFile)

describeAccounts('sqlite', async () => {
  const directory = await makeDirectory()
  return {
    open: (settings) => openSqliteAccounts({ path: join(directory, 'accounts.db'), ...settings }),
    discard: () => rm(directory, { recursive: true }),
  }
})

describe('accounts in a SQLite file', () => {
  let directory: string
  beforeAll(async () => {
    directory = await makeDirectory()
  })
  afterAll(() => rm(directory, { recursive: true }))

  test('processes that create the file concurrently migrate it once, never exceed the quota, and print no warning', async () => {
    const path = join(directory, 'new', 'accounts.db')
    const script = join(import.meta.dirname, 'reserve-in-process.ts')
    const ran = await Promise.all(['a', 'b', 'c', 'd'].map((name) => run(process.execPath, [script, path, name, '60'])))
    expect(ran.map((one) => one.stderr)).toEqual(['', '', '', ''])
    expect(ran.reduce((sum, one) => sum + Number(one.stdout), 0)).toBe(90)
    const accounts = await openSqliteAccounts({ path, trialQuota: 1 })
    expect(await accounts.find('ada')).toMatchObject({ used: 90, quota: 90 })
    await accounts.close()
  })

  test('settled charges survive closing and opening', async () => {
    const path = join(directory, 'again.db')
    const before = await openSqliteAccounts({ path, trialQuota: 1 })
    await before.add('ada', { quota: 5 })
    await before.reserve('ada', 'one')
    await before.settle('one')
    await before.close()
    const after = await openSqliteAccounts({ path, trialQuota: 1 })
    expect(await after.find('ada')).toMatchObject({ used: 1, quota: 5 })
    await after.close()
  })

  test('an older version runs after a migration that only adds columns', async () => {
    const path = join(directory, 'newer.db')
    const before = await openSqliteAccounts({ path, trialQuota: 1 })
    await before.add('ada', { quota: 5 })
    await before.close()
    const database = new DatabaseSync(path)
    database.exec(`insert into kysely_migration (name, timestamp) values ('998-from-the-future', '2030')`)
    database.exec('alter table accounts add column from_the_future text')
    database.close()
    const after = await openSqliteAccounts({ path, trialQuota: 1 })
    await after.add('bob', {})
    expect(await after.find('ada')).toMatchObject({ quota: 5 })
    await after.close()
  })

  test('a database with an incompatible newer migration is refused', async () => {
    const path = join(directory, 'broken.db')
    await (await openSqliteAccounts({ path, trialQuota: 1 })).close()
    const database = new DatabaseSync(path)
    database.exec(`insert into kysely_migration (name, timestamp) values ('999-from-the-future-since-998', '2030')`)
    database.close()
    await expect(openSqliteAccounts({ path, trialQuota: 1 })).rejects.toThrow('999-from-the-future-since-998')
  })

  test('only its owner can read the file', async () => {
    const path = join(directory, 'private.db')
    const accounts = await openSqliteAccounts({ path, trialQuota: 1 })
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    await accounts.close()
  })

  test.each([
    ['a directory that cannot be made', () => '/dev/null/data/accounts.db'],
    ['a file that is no database', () => join(directory, 'text.db')],
    ['a directory in place of the file', () => directory],
  ])('%s is reported in one line', async (_, path) => {
    await writeFile(join(directory, 'text.db'), 'This is no database, but it is longer than a header of one would be.')
    const error = await openSqliteAccounts({ path: path(), trialQuota: 1 }).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(Error)
    expect((error as Error).message).toMatch(/^The accounts database ".+" cannot be opened \(.+\)\. Make .+\.$/)
  })
})
