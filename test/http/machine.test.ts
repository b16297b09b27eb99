import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readSettings } from '../../src/settings/read.ts'
import { connectionLimit } from '../../src/start/listen.ts'
import { serve } from '../../src/start/main.ts'
import { readSecret } from '../../src/start/secret.ts'
import { FIXTURES, start } from './start.ts'

const PICTURE = join(FIXTURES, 'jpeg/kodim23-190x158.png')
const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'whittle-machine-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

/** Whether this process may mount a small disk. Tries it on a directory of its own. */
const makesDisks = (): boolean => {
  const place = mkdtempSync(join(tmpdir(), 'whittle-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', place], { stdio: 'ignore' })
    execFileSync('umount', [place], { stdio: 'ignore' })
    return true
  } catch {
    return false
  } finally {
    rmdirSync(place)
  }
}

describe('a second start on the same data directory', () => {
  const settingsFor = (port: string) => {
    const read = readSettings({ PORT: port, DATA_DIR: directory, LOG_LEVEL: 'silent' })
    if (read.kind !== 'ok') throw new Error(read.problems.join(' '))
    return read.settings
  }
  const begin = (port: string) => serve({ settings: settingsFor(port), demo: false, version: 'test' })

  it('a second start is refused before it changes files, and names the first one', async () => {
    const first = await begin('0')
    await writeFile(join(directory, 'spool', 'running.source'), 'of a running request')
    await mkdir(join(directory, 'work', 'job-running'))
    await expect(begin('0')).rejects.toThrow(`in use by process ${process.pid}`)
    expect(await readdir(join(directory, 'spool'))).toEqual(['running.source'])
    expect(await readdir(join(directory, 'work'))).toEqual(['job-running'])
    await first.stop()
    const next = await begin('0')
    expect([...(await readdir(join(directory, 'spool'))), ...(await readdir(join(directory, 'work')))]).toEqual([])
    await next.stop()
  })

  it('only its user can open a data directory and the files in it', async () => {
    await chmod(directory, 0o755)
    const before = process.umask(0)
    const first = await begin('0')
    process.umask(before)
    await mkdir(join(directory, 'results', 'aa'), { recursive: true })
    const entries = await readdir(directory, { withFileTypes: true })
    const modes = entries.map(async ({ name }) => (await stat(join(directory, name))).mode & 0o077)
    expect([(await stat(directory)).mode & 0o777, ...(await Promise.all(modes))]).toEqual([
      0o700,
      ...entries.map(() => 0),
    ])
    await first.stop()
  })

  it('the refusal names the process with the lock, or none when it cannot be found', async () => {
    await writeFile(join(directory, 'lock'), '')
    const script = `const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
      const database = new DatabaseSync(${JSON.stringify(join(directory, 'lock'))})
      database.exec('pragma locking_mode = exclusive; begin exclusive')
      console.log('locked')
      setInterval(() => 0, 1000)`
    const other = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] })
    await once(other.stdout, 'data')
    await expect(begin('0')).rejects.toThrow(`in use by process ${other.pid}.`)
    other.kill('SIGKILL')
    await once(other, 'exit')
    await (await begin('0')).stop()
  })

  it('a start works again after a failed start or a killed process', async () => {
    const first = await begin('0')
    const { port } = new URL(first.address)
    const other = await mkdtemp(join(tmpdir(), 'whittle-machine-'))
    const failing = { ...settingsFor(port), dataDir: other }
    await expect(serve({ settings: failing, demo: false, version: 'test' })).rejects.toThrow('in use already')
    const retried = await serve({ settings: { ...failing, port: 0 }, demo: false, version: 'test' })
    await retried.stop()
    await first.stop()
    const killed = spawn(process.execPath, [MAIN, 'serve'], { env: { ...process.env, PORT: '0', DATA_DIR: other } })
    await once(killed.stdout, 'data')
    killed.kill('SIGKILL')
    await once(killed, 'exit')
    const after = await serve({ settings: { ...failing, port: 0 }, demo: false, version: 'test' })
    await after.stop()
    await rm(other, { recursive: true })
  })
})

describe('the secret', () => {
  it('concurrent starts create one secret and no other file', async () => {
    const secrets = await Promise.all(Array.from({ length: 8 }, () => readSecret(directory)))
    expect(new Set(secrets.map((secret) => Buffer.from(secret).toString('hex'))).size).toBe(1)
    expect(await readdir(directory)).toEqual(['secret'])
  })
})

describe.runIf(makesDisks())('a full disk', () => {
  it('a full disk leaves no partial secret', async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', directory])
    try {
      const filler = join(directory, 'filler')
      await expect(writeFile(filler, Buffer.alloc(1e6))).rejects.toThrow('ENOSPC')
      await expect(readSecret(directory)).rejects.toThrow('ENOSPC')
      expect(await readdir(directory)).toEqual(['filler'])
      await rm(filler)
      expect(await readSecret(directory)).toHaveLength(32)
    } finally {
      execFileSync('umount', ['-l', directory])
    }
  })

  it('a full disk refuses new work with 503 until space is free again', async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', directory])
    try {
      await using service = await start({ directory, env: { WORKERS: '1' } })
      const body = new Uint8Array(await readFile(PICTURE))
      const post = async () => {
        const answer = await service.post('anna/60', { body, headers: { 'content-type': 'image/png' } })
        return { status: answer.status, retryAfter: answer.headers.get('retry-after'), text: await answer.text() }
      }
      expect((await post()).status).toBe(200)
      const filler = join(directory, 'filler')
      await expect(writeFile(filler, Buffer.alloc(10e6))).rejects.toThrow('ENOSPC')
      expect(await post()).toEqual({ status: 503, retryAfter: '30', text: expect.stringContaining('no room') })
      const ready = await fetch(`${service.url}/-/ready`)
      expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining('no space')])
      expect((await fetch(`${service.url}/-/live`)).status).toBe(200)
      await rm(filler)
      expect((await post()).status).toBe(200)
      await expect.poll(async () => (await fetch(`${service.url}/-/ready`)).status).toBe(200)
      await expect.poll(service.leftovers).toEqual([])
    } finally {
      execFileSync('umount', ['-l', directory])
    }
  })
})

describe('few descriptors', () => {
  it.each([
    [64, 1, 3],
    [64, 8, 2],
    [1024, 2, 321],
    [1_000_000, 2, 10_000],
    [Number.NaN, 2, 10_000],
  ])('%d with %d workers allow %d connections', (descriptors, workers, connections) =>
    expect(connectionLimit({ workers }, descriptors)).toBe(connections))
})
