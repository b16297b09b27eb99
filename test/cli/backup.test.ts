import { cp, mkdtemp, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openSqliteAccounts } from '../../src/adapters/accounts/sqlite.ts'
import { openPinoLog } from '../../src/adapters/telemetry/pino.ts'
import { backupCommand } from '../../src/cli/backup.ts'
import { makeSigningKey } from '../../src/core/signing-key.ts'
import { readSettings } from '../../src/settings/read.ts'
import { serve } from '../../src/start/main.ts'
import { removeFile } from '../../src/support/remove.ts'
import { start } from '../http/start.ts'

vi.mock(import('../../src/support/remove.ts'), async (original) => {
  const real = await original()
  return { ...real, removeFile: vi.fn(real.removeFile) }
})

const PHOTO = 'jpeg/kodim23-190x158.png'

let place: string
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'whittle-backup-'))
})
afterAll(() => rm(place, { recursive: true, force: true }))

const backup = async (dataDir: string, ...argv: string[]) => {
  const printed = { stdout: '', stderr: '' }
  const before = process.env['DATA_DIR']
  process.env['DATA_DIR'] = dataDir
  try {
    const code = await backupCommand(argv, {
      stdout: { write: (text: string) => (printed.stdout += text) },
      stderr: { write: (text: string) => (printed.stderr += text) },
    })
    return { code, ...printed }
  } finally {
    if (before === undefined) delete process.env['DATA_DIR']
    else process.env['DATA_DIR'] = before
  }
}

const accountsOf = async (dataDir: string) => {
  const books = await openSqliteAccounts({ path: join(dataDir, 'accounts.sqlite'), trialQuota: 1 })
  try {
    const accounts = await books.list()
    return accounts.map(({ delivery, ...account }) => ({
      ...account,
      keys: delivery?.keys.map((key) => key.reveal()),
    }))
  } finally {
    await books.close()
  }
}

/** Starts a service on an existing data directory. */
const serveFrom = async (dataDir: string) => {
  const env = { PORT: '0', DATA_DIR: dataDir, ALLOW_PRIVATE_SOURCES: '127.0.0.0/8', WORKERS: '1' }
  const read = readSettings(env)
  if (read.kind === 'wrong') throw new Error(read.problems.join('\n'))
  return serve({ settings: read.settings, demo: false, version: '0.0.0-test', log: openPinoLog({ level: 'silent' }) })
}

describe('whittle backup', () => {
  it('a backup of a running service restores it elsewhere', async () => {
    const key = makeSigningKey()
    await using service = await start({ alone: true, accounts: { shop: { quota: 5, signingKey: key } } })
    const target = `shop/60/${service.file(PHOTO)}`
    const made = await service.post(target)
    const bytes = Buffer.from(await made.arrayBuffer())
    await expect.poll(async () => (await accountsOf(service.dataDir))[1]?.used).toBe(1)
    const copy = join(place, 'copy')
    expect(await backup(service.dataDir, copy)).toEqual({
      code: 0,
      stdout: `${copy}: accounts.sqlite, secret\n`,
      stderr: '',
    })
    const atBackup = await accountsOf(service.dataDir)
    expect((await service.post(`shop/61/${service.file(PHOTO)}`)).status).toBe(200)

    const restored = join(place, 'restored')
    await cp(copy, restored, { recursive: true })
    await cp(join(service.dataDir, 'results'), join(restored, 'results'), { recursive: true })
    expect(await accountsOf(restored)).toEqual(atBackup)
    const running = await serveFrom(restored)
    try {
      const again = await fetch(`${running.address}/${target}`, { method: 'POST' })
      expect(Buffer.from(await again.arrayBuffer()).equals(bytes)).toBe(true)
      const metrics = await (await fetch(`${running.address}/-/metrics`)).text()
      // Names of results depend on the secret. With another one no stored result would be found.
      expect(metrics).toMatch(/^whittle_result_cache_total\{.*outcome="hit".*\} 1$/m)
      expect((await accountsOf(restored))[1]?.used).toBe(2)
    } finally {
      await running.stop()
    }
  })

  it('writes files that only their owner can read, and refuses a folder with files', async () => {
    await using service = await start({ alone: true })
    const copy = join(place, 'private')
    expect((await backup(service.dataDir, copy)).code).toBe(0)
    const paths = [copy, ...(await readdir(copy)).map((name) => join(copy, name))]
    for (const path of paths) expect((await stat(path)).mode & 0o077).toBe(0)
    const again = await backup(service.dataDir, copy)
    expect([again.code, again.stderr]).toEqual([1, `whittle: The folder ${copy} is not empty. Name a new one.\n`])
  })

  it('leaves no part of a backup that fails, so that the same folder can be named again', async () => {
    const [dataDir, copy] = [join(place, 'broken'), join(place, 'part')]
    const books = await openSqliteAccounts({ path: join(dataDir, 'accounts.sqlite'), trialQuota: 1 })
    const settings = { signingKey: null, presets: new Map([['a', 'x'.repeat(200_000)]]) }
    await books.add('shop', settings)
    await books.close()
    await writeFile(join(dataDir, 'secret'), 'x')
    const { size } = await stat(join(dataDir, 'accounts.sqlite'))
    await cp(dataDir, join(place, 'whole'), { recursive: true })
    await truncate(join(dataDir, 'accounts.sqlite'), size / 2)
    vi.mocked(removeFile).mockRejectedValueOnce(new Error('busy'))
    const held = join(place, 'held')
    expect(await backup(dataDir, held)).toMatchObject({ code: 1, stderr: expect.stringMatching(/^whittle: database/) })
    expect(await readdir(held)).toEqual(['secret'])
    expect(await backup(dataDir, copy)).toMatchObject({ code: 1, stderr: expect.stringMatching(/^whittle: database/) })
    expect(await readdir(copy)).toEqual([])
    expect((await backup(join(place, 'whole'), copy)).code).toBe(0)
  })

  it('names what is missing without accounts or without a folder', async () => {
    const empty = join(place, 'empty')
    expect((await backup(empty, join(place, 'nothing'))).stderr).toBe(
      `whittle: There are no accounts in ${empty}. Set DATA_DIR as for the service.\n`,
    )
    expect((await backup(empty)).code).toBe(2)
  })
})
