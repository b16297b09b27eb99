import { randomBytes } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { openPostgresAccounts } from '../../src/adapters/accounts/postgres.ts'
import { describeAccounts } from '../ports/accounts-contract.ts'
import { startPgBouncer } from './servers/pgbouncer.ts'
import { startPostgres } from './servers/postgres.ts'
import { until } from './servers/process.ts'

/** Connections that PgBouncer has to PostgreSQL, for each database. */
const SERVER_CONNECTIONS = 5
const NODES = 50

const server = await startPostgres()
const bouncer = await startPgBouncer(server.url, SERVER_CONNECTIONS)
afterAll(async () => {
  await bouncer[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

const newDatabase = async (): Promise<string> =>
  bouncer.through(await server.newDatabase(`bounced_${randomBytes(6).toString('hex')}`))

describeAccounts('postgres behind PgBouncer in transaction mode', async () => {
  const url = await newDatabase()
  return { open: (settings) => openPostgresAccounts({ url, ...settings }), discard: async () => undefined }
})

describe('the connections of many nodes', () => {
  test(`${NODES} nodes behind PgBouncer charge exactly, on ${SERVER_CONNECTIONS} connections of PostgreSQL`, async () => {
    const url = await newDatabase()
    const first = await openPostgresAccounts({ url, trialQuota: 3 })
    for (const name of ['ada', 'bea']) await first.add(name, { quota: 180 })
    const others = Array.from({ length: NODES - 1 }, () => openPostgresAccounts({ url, trialQuota: 3 }))
    const nodes = [first, ...(await Promise.all(others))]
    const charge = async (name: string, at: number): Promise<boolean> => {
      const node = nodes[at % NODES]!
      const id = `${name} ${at}`
      if (!(await node.reserve(name, id))) return false
      await (at % 9 === 0 ? node.release(id) : node.settle(id))
      return at % 9 !== 0
    }
    const charged = await Promise.all(
      ['ada', 'bea'].map((name) => Promise.all(Array.from({ length: 150 }, (_, at) => charge(name, at)))),
    )
    const count = charged.map((each) => each.filter(Boolean).length)
    const used = [(await first.find('ada'))?.used, (await first.find('bea'))?.used]
    expect(count).toEqual([133, 133])
    expect(used).toEqual(count)
    const rows = await server.query(
      server.url,
      `select count(*) from pg_stat_activity where datname = '${new URL(url).pathname.slice(1)}'`,
    )
    expect(Number(rows[0]?.['count'])).toBeLessThanOrEqual(SERVER_CONNECTIONS)
    await Promise.all(nodes.map((node) => node.close()))
  })

  test('a node has no more connections than it is set to', async () => {
    const name = `pooled_${randomBytes(6).toString('hex')}`
    const url = await server.newDatabase(name)
    const accounts = await openPostgresAccounts({ url, trialQuota: 3, connections: 3 })
    await accounts.add('ada', {})
    const asked = Promise.all(Array.from({ length: 200 }, () => accounts.find('ada')))
    await until(async () => {
      const rows = await server.query(server.url, `select count(*) from pg_stat_activity where datname = '${name}'`)
      expect(Number(rows[0]?.['count'])).toBe(3)
    })
    await asked
    await accounts.close()
  })
})
