import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { openSqliteAccounts } from '../../src/adapters/accounts/sqlite.ts'
import { openPinoLog } from '../../src/adapters/telemetry/pino.ts'
import { serve } from '../../src/main.ts'
import type { AccountSettings } from '../../src/ports/accounts.ts'
import { type Environment, readSettings } from '../../src/settings/read.ts'
import { type Origin, startOrigin } from '../origin/origin.ts'

/** Everything under test/fixtures is served by the origin as /file/<folder>/<name>. */
export const FIXTURES = resolve(import.meta.dirname, '../fixtures')

export interface Case extends AsyncDisposable {
  /** Base address of the service. */
  readonly url: string
  readonly port: number
  readonly origin: Origin
  readonly dataDir: string
  /** Raw address of a fixture on the origin. */
  readonly file: (name: string) => string
  /** `POST {base}/<target>`; the target is sent as it is. */
  readonly post: (target: string, init?: RequestInit) => Promise<Response>
  /** Value of a metric without labels, or summed over all label sets that contain `label`. */
  readonly metric: (name: string, label?: string) => Promise<number>
  /** Names of what lies in the spool and work directories: empty when nothing was left behind. */
  readonly leftovers: () => Promise<readonly string[]>
  readonly stop: () => Promise<void>
}

interface Setup {
  readonly env?: Environment
  readonly accounts?: Readonly<Record<string, AccountSettings>>
  readonly demo?: boolean
  /** Takes every line of the log, down to `debug`; without it nothing is written. */
  readonly logTo?: (line: string) => void
  /** An empty directory for its data; a new one unless given. */
  readonly directory?: string
}

const sumOf = (text: string, name: string, label: string): number =>
  text
    .split('\n')
    .filter((line) => line.startsWith(name) && /^[ {]/.test(line.slice(name.length)) && line.includes(label))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)

/** Starts the real service in this process, on a free port of loopback, with the unlimited account `anna` and an origin that it may fetch from. */
export const start = async (setup: Setup = {}): Promise<Case> => {
  const { env = {}, accounts = {}, demo = false, logTo, directory } = setup
  const dataDir = directory ?? (await mkdtemp(join(tmpdir(), 'whittle-http-')))
  const read = readSettings({
    PORT: '0',
    DATA_DIR: dataDir,
    ALLOW_PRIVATE_SOURCES: '127.0.0.0/8',
    LOG_LEVEL: 'silent',
    WORKERS: '2',
    ...env,
  })
  if (read.kind === 'wrong') throw new Error(read.problems.join('\n'))
  const books = await openSqliteAccounts({
    path: join(dataDir, 'accounts.sqlite'),
    trialQuota: read.settings.trialQuota,
  })
  for (const [name, settings] of Object.entries({ anna: {}, ...accounts })) await books.add(name, settings)
  await books.close()
  const origin = await startOrigin({ files: FIXTURES })
  const log =
    logTo === undefined
      ? openPinoLog({ level: read.settings.logLevel })
      : openPinoLog({ level: 'debug', destination: { write: logTo } })
  const running = await serve({ settings: read.settings, demo, version: '0.0.0-test', log })
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> => {
    stopping ??= running.stop()
    return stopping
  }
  const leftovers = async (): Promise<string[]> => {
    const names = await Promise.all(['spool', 'work', 'results/tmp'].map((name) => readdir(join(dataDir, name))))
    return names.flat()
  }
  return {
    url: running.address,
    port: Number(new URL(running.address).port),
    origin,
    dataDir,
    file: (name) => origin.url(`/file/${name}`),
    post: (target, init = {}) => fetch(`${running.address}/${target}`, { method: 'POST', redirect: 'manual', ...init }),
    metric: async (name, label = '') =>
      sumOf(await (await fetch(`${new URL(running.address).origin}/-/metrics`)).text(), name, label),
    leftovers,
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop()
      await origin.close()
      if (directory === undefined) await rm(dataDir, { recursive: true, force: true })
    },
  }
}
