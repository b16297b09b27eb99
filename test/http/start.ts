import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { openSqliteAccounts } from '../../src/adapters/accounts/sqlite.ts'
import { openPinoLog } from '../../src/adapters/telemetry/pino.ts'
import type { AccountAdmin, AccountSettings, Accounts } from '../../src/ports/accounts.ts'
import { type Environment, readSettings } from '../../src/settings/read.ts'
import { serve } from '../../src/start/main.ts'
import type { ContractSetup } from '../cluster/contract-case.ts'
import { type Origin, startOrigin } from '../origin/origin.ts'

/** The origin serves test/fixtures as /file/<folder>/<name>. */
export const FIXTURES = resolve(import.meta.dirname, '../fixtures')

export interface Case extends AsyncDisposable {
  /** Base address of the service. */
  readonly url: string
  readonly port: number
  readonly origin: Origin
  readonly dataDir: string
  /** Address of a fixture on the origin. */
  readonly file: (name: string) => string
  /** `POST {base}/<target>` with the target unchanged. Follows a 303 to a result unless the test sets REDIRECT_AFTER. */
  readonly post: (target: string, init?: RequestInit) => Promise<Response>
  /** Value of a metric, or its sum over all label sets that contain `label`. */
  readonly metric: (name: string, label?: string) => Promise<number>
  /** Names of the files in the spool and work directories. */
  readonly leftovers: () => Promise<readonly string[]>
  /** Reads or changes accounts like the command line does. */
  readonly withBooks: <T>(work: (books: Accounts & AccountAdmin) => Promise<T>) => Promise<T>
  readonly stop: () => Promise<void>
}

interface Setup {
  readonly env?: Environment
  readonly accounts?: Readonly<Record<string, AccountSettings>>
  readonly demo?: boolean
  /** Receives every line of the log down to `debug`. Without it there is no log. */
  readonly logTo?: (line: string) => void
  /** One service with embedded stores, even when the contract tests run against three nodes. */
  readonly alone?: boolean
  /** An empty data directory. Default: a new one. */
  readonly directory?: string
}

const sumOf = (text: string, name: string, label: string): number =>
  text
    .split('\n')
    .filter((line) => line.startsWith(name) && /^[ {]/.test(line.slice(name.length)) && line.includes(label))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)

/** Addresses of stores when tests run against three nodes behind nginx (npm run test:cluster). */
export const PAST_ONE_MACHINE = process.env['WHITTLE_TEST_STORES']

const QUIET = openPinoLog({ level: 'silent' })

/** The service under test. */
interface Answering {
  readonly address: string
  readonly nodes: readonly string[]
  /** Directories that must be empty at the end. */
  readonly scratch: readonly string[]
  readonly openBooks: () => Promise<Accounts & AccountAdmin>
  readonly stop: () => Promise<void>
}

const startAlone = async ({ env, accounts, demo, dataDir, log }: ContractSetup): Promise<Answering> => {
  const read = readSettings({ PORT: '0', DATA_DIR: dataDir, ...env })
  if (read.kind === 'wrong') throw new Error(read.problems.join('\n'))
  const { trialQuota } = read.settings
  const openBooks = () => openSqliteAccounts({ path: join(dataDir, 'accounts.sqlite'), trialQuota })
  const books = await openBooks()
  for (const [name, settings] of Object.entries(accounts)) await books.add(name, settings)
  await books.close()
  const { address, stop } = await serve({ settings: read.settings, demo, version: '0.0.0-test', log })
  const scratch = ['spool', 'work', 'results/tmp'].map((name) => join(dataDir, name))
  return { address, nodes: [address], scratch, openBooks, stop }
}

const startTogether = async (given: ContractSetup): Promise<Answering> => {
  const { startContractCase } = await import('../cluster/contract-case.ts')
  const { dataDirs, ...running } = await startContractCase(JSON.parse(PAST_ONE_MACHINE ?? ''), given)
  return { ...running, scratch: dataDirs.flatMap((path) => [join(path, 'spool'), join(path, 'work')]) }
}

/** The same answer where a busy machine takes longer than REDIRECT_AFTER. */
const atResultAddress = async (answer: Response, { headers, signal }: RequestInit): Promise<Response> => {
  const location = answer.headers.get('location')
  if (answer.status !== 303 || location === null || !new URL(location).pathname.startsWith('/-/')) return answer
  await answer.arrayBuffer()
  const accept = new Headers(headers).get('accept')
  return fetch(location, { signal: signal ?? null, headers: accept === null ? {} : { accept } })
}

/** Starts the service in this process on a free loopback port, with the unlimited account `anna` and an origin that it may fetch from. */
export const start = async (setup: Setup = {}): Promise<Case> => {
  const { env = {}, accounts = {}, demo = false, alone = false, logTo, directory } = setup
  const dataDir = directory ?? (await mkdtemp(join(tmpdir(), 'whittle-http-')))
  const origin = await startOrigin({ files: FIXTURES })
  const log = logTo === undefined ? QUIET : openPinoLog({ level: 'debug', destination: { write: logTo } })
  const common = { ALLOW_PRIVATE_SOURCES: '127.0.0.0/8', LOG_LEVEL: 'silent', WORKERS: '2', ...env }
  const given = { env: common, accounts: { anna: {}, ...accounts }, demo, dataDir, log }
  const running = alone || PAST_ONE_MACHINE === undefined ? await startAlone(given) : await startTogether(given)
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> => {
    stopping ??= running.stop()
    return stopping
  }
  const leftovers = async (): Promise<string[]> =>
    (await Promise.all(running.scratch.map((path) => readdir(path)))).flat()
  return {
    url: running.address,
    port: Number(new URL(running.address).port),
    origin,
    dataDir,
    file: (name) => origin.url(`/file/${name}`),
    post: async (target, init = {}) => {
      const answer = await fetch(`${running.address}/${target}`, { method: 'POST', redirect: 'manual', ...init })
      return 'REDIRECT_AFTER' in env ? answer : atResultAddress(answer, init)
    },
    metric: async (name, label = '') => {
      const texts = running.nodes.map(async (node) => (await fetch(`${new URL(node).origin}/-/metrics`)).text())
      return (await Promise.all(texts)).reduce((sum, text) => sum + sumOf(text, name, label), 0)
    },
    leftovers,
    withBooks: async (work) => {
      const books = await running.openBooks()
      try {
        return await work(books)
      } finally {
        await books.close()
      }
    },
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop()
      await origin.close()
      if (directory === undefined) await rm(dataDir, { recursive: true, force: true })
    },
  }
}
