import { randomBytes } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openPostgresAccounts, type PostgresAccounts } from '../../src/adapters/accounts/postgres.ts'
import { describeAccounts } from '../ports/accounts-contract.ts'
import { makeDirectory } from '../ports/directory.ts'
import { startPostgres } from './servers/postgres.ts'
import { until } from './servers/process.ts'

const server = await startPostgres()
afterAll(() => server[Symbol.asyncDispose]())

const newDatabase = (): Promise<string> => server.newDatabase(`whittle_${randomBytes(6).toString('hex')}`)

describeAccounts('postgres', async () => {
  const url = await newDatabase()
  return { open: (settings) => openPostgresAccounts({ url, ...settings }), discard: async () => undefined }
})

const sentence = (reason: unknown): string => (reason instanceof Error ? reason.message : String(reason))
const failing = (opening: Promise<unknown>): Promise<string> => opening.then(() => 'it opened', sentence)

const query = async (url: string, text: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(text)
  await client.end()
}

describe('accounts in PostgreSQL', () => {
  const ends: (() => Promise<unknown>)[] = []
  let url: string
  let directory: string
  beforeEach(async () => {
    url = await newDatabase()
    directory = await makeDirectory()
    ends.push(() => rm(directory, { recursive: true }))
  })
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end()
  })

  const open = async (more: Partial<Parameters<typeof openPostgresAccounts>[0]> = {}): Promise<PostgresAccounts> => {
    const opened = await openPostgresAccounts({ url, trialQuota: 3, ...more })
    let closed = false
    const close = async () => {
      if (!closed) await opened.close()
      closed = true
    }
    ends.push(close)
    return { ...opened, close }
  }

  const states = async (): Promise<Record<string, unknown>> => {
    const rows = await server.query(url, 'select request_id, state from reservations')
    return Object.fromEntries(rows.map((row) => [row['request_id'], row['state']]))
  }

  test.each([-7_200_000, 7_200_000])('a clock change of %i ms releases no held charge', async (step) => {
    const accounts = await open({ sweepEveryMs: 50 })
    await accounts.add('ada', {})
    expect(await accounts.reserve('ada', 'before')).toBe(true)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + step })
    try {
      expect(await accounts.reserve('ada', 'after')).toBe(true)
      await new Promise((passed) => setTimeout(passed, 500))
      expect([await states(), (await accounts.find('ada'))?.used]).toEqual([{ before: 'held', after: 'held' }, 2])
    } finally {
      vi.useRealTimers()
    }
    const rows = await server.query(
      url,
      'select max(abs(reserved_at - extract(epoch from now()) * 1000)) as off from reservations',
    )
    expect(Number(rows[0]?.['off'])).toBeLessThan(1_800_000)
  })

  test('old reservations are removed in batches, and those that a later request may need stay', async () => {
    const accounts = await open()
    await accounts.add('ada', {})
    await accounts.reserve('ada', 'counted')
    await accounts.settle('counted')
    await accounts.close()
    const add = (id: string, state: string, ageMs: number, rows = 1) =>
      query(
        url,
        `insert into reservations (request_id, username, month, state, reserved_at) select '${id}' || n, 'ada', '2030-01', '${state}',
         extract(epoch from now())::bigint * 1000 - ${ageMs} from generate_series(1, ${rows}) n`,
      )
    const hour = 3_600_000
    await add('plain', 'settled', 2 * hour, 25_000)
    await add('deliver-old', 'settled', 25 * hour, 5_000)
    await add('held', 'held', hour, 3_500)
    await add('deliver-new', 'settled', 2 * hour)
    await add('new', 'settled', hour / 2)
    await add('working', 'held', 60_000)
    await open()
    expect(await states()).toEqual({
      counted: 'settled',
      'deliver-new1': 'settled',
      new1: 'settled',
      working1: 'held',
    })
  })

  test('many nodes that open an empty database at once migrate it once', async () => {
    const migrated: (readonly string[])[] = []
    await Promise.all(Array.from({ length: 6 }, () => open({ onMigrated: (names) => migrated.push(names) })))
    expect(migrated).toHaveLength(1)
    expect(migrated[0]).toContain('001-create-tables')
  })

  test('a user without the right to create tables can serve after another user has migrated', async () => {
    await (await open()).add('ada', { quota: 2 })
    const { username, password } = { username: `limited_${randomBytes(3).toString('hex')}`, password: 'x' }
    await query(url, `create role ${username} login password '${password}'`)
    await query(url, `grant select, insert, update, delete on all tables in schema public to ${username}`)
    const limited = await open({ url: url.replace(/\/\/.*@/, `//${username}:${password}@`) })
    expect(await limited.reserve('ada', 'one')).toBe(true)
  })

  test('nodes share the value that the first of them stored under a name', async () => {
    const [one, two] = [await open(), await open()]
    expect(await one.share('secret', 'first')).toBe('first')
    expect(await two.share('secret', 'second')).toBe('first')
  })

  test.each([
    ['a wrong password', (good: string) => good.replace(/:[^:@/]+@/, ':wrong@'), '28P01'],
    ['an unknown database', (good: string) => good.replace(/\/[^/]+$/, '/nowhere'), '3D000'],
    [
      'a host that does not exist',
      (good: string) => good.replace(/@[^:]+:/, '@no-such-host.invalid:'),
      'ENOTFOUND|EAI_AGAIN',
    ],
    ['a port without a listener', (good: string) => good.replace(/:\d+\//, ':1/'), 'ECONNREFUSED'],
  ])('%s is reported at opening in one sentence without the password', async (_, spoil, code) => {
    const told = await failing(open({ url: spoil(url), timeoutMs: 300 }))
    expect(told).toMatch(
      new RegExp(`^The accounts database at [^ ]+ cannot be used \\(.*(${code}).*\\)\\. Check DATABASE_URL`),
    )
    expect(told).not.toContain('wrong')
    expect(told).not.toContain('p@ss')
    expect(told).not.toContain('p%40ss')
  })

  const migratedAs = (name: string) =>
    query(url, `insert into kysely_migration (name, timestamp) values ('${name}', now()::text)`)

  test('tables with additions of a newer version work: a rollback is a start of the previous version', async () => {
    await (await open()).close()
    await query(url, 'alter table accounts add column colour text; alter table reservations add column weight integer')
    await migratedAs('998-add-colour')
    await migratedAs('999-drop-shade-since-001')
    const accounts = await open()
    await accounts.add('ada', { quota: 1 })
    expect([await accounts.reserve('ada', 'one'), await accounts.reserve('ada', 'two')]).toEqual([true, false])
    await accounts.settle('one')
    expect((await accounts.find('ada'))?.used).toBe(1)
  })

  test('a database without columns that this version needs is refused', async () => {
    await (await open()).close()
    await migratedAs('999-drop-plan-since-998')
    expect(await failing(open())).toMatch(
      /written by a newer version of Whittle, which has the migration "999-drop-plan-since-998"/,
    )
  })

  describe('that becomes unreachable', () => {
    let accounts: PostgresAccounts
    let told: string[]
    beforeAll(() => server.start())
    beforeEach(async () => {
      told = []
      accounts = await open({
        journal: join(directory, 'charges.journal'),
        watch: { away: () => told.push('away'), back: () => told.push('back') },
      })
      await accounts.add('ada', { quota: 5 })
    })
    afterEach(() => server.start())

    test('rejects new work with 503 and accepts it again after recovery', async () => {
      await server.stop()
      await expect(accounts.find('ada')).rejects.toMatchObject({ code: 'STORE_AWAY', status: 503 })
      await expect(accounts.reserve('ada', 'one')).rejects.toMatchObject({ code: 'STORE_AWAY' })
      expect(told).toContain('away')
      await server.start()
      expect(await accounts.reserve('ada', 'one')).toBe(true)
      expect(told.at(-1)).toBe('back')
      expect((await accounts.find('ada'))?.used).toBe(1)
    })

    test('loses no charge of running work, and releases charges of failed work', async () => {
      for (const id of ['settled', 'released', 'both']) await accounts.reserve('ada', id)
      await server.stop()
      await accounts.settle('settled')
      await accounts.release('released')
      await accounts.settle('both')
      await server.start()
      await until(async () => expect((await accounts.find('ada'))?.used).toBe(2))
      await accounts.release('settled')
      expect((await accounts.find('ada'))?.used).toBe(2)
    })

    test('receives from the next process the notes of the last one, even for charges that were released meanwhile', async () => {
      const reservedAt = Date.now()
      await accounts.reserve('ada', 'late')
      await accounts.release('late')
      const entry = { act: 'settle', requestId: 'late', username: 'ada', reservedAt }
      const path = join(directory, 'left.journal')
      await writeFile(path, `${JSON.stringify(entry)}\n${JSON.stringify(entry)}\n{"torn`)
      const next = await open({ journal: path })
      expect((await next.find('ada'))?.used).toBe(1)
      expect(await readFile(path, 'utf8')).toBe('')
    })
  })
})
