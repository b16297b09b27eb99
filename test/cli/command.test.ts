import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { packedManifest } from '../../scripts/packed-manifest.ts'
import type { Log } from '../../src/ports/telemetry.ts'
import { readSettings } from '../../src/settings/read.ts'
import { serve } from '../../src/start/main.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

describe('the command of a checkout', () => {
  it('the command of a checkout runs without a build', async () => {
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string }
    const { stdout } = await run(process.execPath, [join(ROOT, 'bin/whittle.js'), '--version'])
    expect(stdout).toBe(`${version}\n`)
  })

  it.each(['serve', 'try', 'migrate'])('%s --help prints its own usage', async (command) => {
    const { stdout } = await run(process.execPath, [join(ROOT, 'bin/whittle.js'), command, '--help'])
    expect(stdout).toMatch(new RegExp(`^Usage: whittle ${command}\\n`))
  })
})

describe('the packed manifest', () => {
  it('the packed manifest has no scripts and no development dependencies', async () => {
    const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Record<string, unknown>
    const packed = packedManifest(manifest)
    expect(Object.keys(packed)).not.toEqual(expect.arrayContaining(['scripts']))
    expect(packed).toEqual(expect.objectContaining({ name: manifest['name'], dependencies: manifest['dependencies'] }))
    expect([packed['scripts'], packed['devDependencies'], packed['allowScripts']]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe('warnings at start', () => {
  let directory: string
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'whittle-command-'))
  })
  afterEach(() => rm(directory, { recursive: true }))

  const warningsWith = async (environment: Readonly<Record<string, string>>): Promise<readonly string[]> => {
    const warnings: string[] = []
    const quiet = () => undefined
    const log: Log = {
      debug: quiet,
      info: quiet,
      warn: (_fields, text) => void warnings.push(text),
      error: quiet,
      child: () => log,
    }
    const read = readSettings({ PORT: '0', DATA_DIR: directory, ...environment })
    if (read.kind !== 'ok') throw new Error(read.problems.join(' '))
    const running = await serve({ settings: read.settings, demo: false, version: 'test', log })
    await running.stop()
    return warnings
  }

  it('a service without accounts says how to add one', async () =>
    expect(await warningsWith({})).toContainEqual(expect.stringContaining('whittle accounts add <username>')))

  it('a service whose FFMPEG_PATH names no program says so', async () =>
    expect(await warningsWith({ FFMPEG_PATH: join(directory, 'nothing') })).toContainEqual(
      expect.stringContaining('FFMPEG_PATH names no ffmpeg'),
    ))
})
