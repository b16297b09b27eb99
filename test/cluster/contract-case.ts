import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { openPostgresAccounts, type PostgresAccounts } from '../../src/adapters/accounts/postgres.ts'
import type { AccountSettings } from '../../src/ports/accounts.ts'
import type { Log } from '../../src/ports/telemetry.ts'
import { type Environment, readSettings } from '../../src/settings/read.ts'
import { type Running, serve } from '../../src/start/main.ts'
import { startNginx } from './servers/nginx.ts'
import { query } from './servers/postgres.ts'
import { startRedis } from './servers/redis.ts'
import type { SharedStores } from './servers/shared-stores.ts'

const NODES = ['a', 'b', 'c']

export interface ContractSetup {
  readonly env: Environment
  readonly accounts: Readonly<Record<string, AccountSettings>>
  readonly demo: boolean
  readonly dataDir: string
  readonly log: Log
}

/** Several nodes as one service. */
export interface ContractCase {
  /** Base address of nginx. */
  readonly address: string
  /** Base addresses of the nodes. */
  readonly nodes: readonly string[]
  readonly dataDirs: readonly string[]
  readonly openBooks: () => Promise<PostgresAccounts>
  readonly stop: () => Promise<void>
}

/** Starts three nodes in this process behind nginx, for the tests of the HTTP contract. They have a database, a Redis and a prefix of the bucket of their own. */
export const startContractCase = async (stores: SharedStores, setup: ContractSetup): Promise<ContractCase> => {
  const name = `contract_${randomBytes(6).toString('hex')}`
  await query(stores.postgres, `create database ${name}`)
  const databaseUrl = stores.postgres.replace(/[^/]+$/, name)
  const redis = await startRedis()
  const openBooks = () => openPostgresAccounts({ url: databaseUrl, trialQuota: 3 })
  const accounts = await openBooks()
  for (const [username, settings] of Object.entries(setup.accounts)) await accounts.add(username, settings)
  await accounts.close()
  const dataDirs = NODES.map((node) => join(setup.dataDir, node))
  const nodes: Running[] = await Promise.all(
    dataDirs.map((dataDir) => {
      const read = readSettings({
        TRUST_PROXY: '127.0.0.0/8',
        REQUEST_ID_HEADER: 'X-Request-Id',
        SHUTDOWN_DELAY: '0',
        ...setup.env,
        PORT: '0',
        DATA_DIR: dataDir,
        DATABASE_URL: databaseUrl,
        REDIS_URL: redis.url,
        RESULTS_URL: stores.results.replace('/results', `/${name}`),
      })
      if (read.kind === 'wrong') throw new Error(read.problems.join('\n'))
      return serve({ settings: read.settings, demo: setup.demo, version: '0.0.0-test', log: setup.log })
    }),
  )
  const addresses = nodes.map(({ address }) => address)
  const nginx = await startNginx(addresses.map((address) => Number(new URL(address).port)))
  return {
    address: `${nginx.url}${new URL(addresses[0]!).pathname.replace(/\/$/, '')}`,
    nodes: addresses,
    dataDirs,
    openBooks,
    stop: async () => {
      await Promise.all(nodes.map((node) => node.stop()))
      await nginx[Symbol.asyncDispose]()
      await redis[Symbol.asyncDispose]()
    },
  }
}
