import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { assertSharp } from '../../src/engine/pool/process/assert-sharp.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SAMPLE = join(ROOT, 'docs/sample.png')

let place: string
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'whittle-start-'))
})
afterEach(() => rmSync(place, { recursive: true, force: true }))

/** Runs `whittle try` on a free port until `use` is done. Resolves with its output. */
const tryIt = async (
  settings: NodeJS.ProcessEnv,
  use: (address: string) => Promise<void> = async () => undefined,
): Promise<string> => {
  const env = { ...process.env, PORT: '0', DATA_DIR: join(place, 'data'), ...settings }
  const child = spawn(process.execPath, [join(ROOT, 'src/cli/main.ts'), 'try'], { env })
  const exit = new Promise((done) => child.once('exit', done))
  let told = ''
  try {
    const address = await new Promise<string>((found, failed) => {
      child.stdout.on('data', (chunk: Buffer) => {
        told += chunk.toString()
        const [, url] = /in a browser:\s+(http:\S+)\n/.exec(told) ?? []
        if (url !== undefined) found(url)
      })
      child.once('exit', (code) => failed(new Error(`it ended with ${code}: ${told}`)))
    })
    const start = told
    await use(address)
    return start
  } finally {
    child.kill('SIGTERM')
    await exit
  }
}

describe('npm start', () => {
  it.each([['text'], ['json']])('prints the address last (LOG_FORMAT=%s)', async (format) => {
    const lines = (await tryIt({ LOG_FORMAT: format })).trimEnd().split('\n')
    expect(lines.at(-1)).toMatch(/^ {2}http:\/\/127\.0\.0\.1:\d+$/)
    expect(lines.some((line) => line.startsWith('{'))).toBe(format === 'json')
  })

  it('names the start of a worker in Server-Timing when an image waits for one', async () => {
    await tryIt({ WORKERS: '2' }, async (address) => {
      const timingOf = async (options: string): Promise<string | null> => {
        const body = new FormData()
        body.append('file', new Blob([readFileSync(SAMPLE)]), 'a.png')
        const answer = await fetch(`${address}/demo/${options}`, { method: 'POST', body })
        await answer.arrayBuffer()
        return answer.headers.get('server-timing')
      }
      // One child starts with the service, the other one when both are needed.
      const atOnce = await Promise.all(['300,format=avif', '301,format=avif'].map(timingOf))
      expect(atOnce.join()).toMatch(/worker;dur=\d/)
      expect(await timingOf('20')).not.toContain('worker')
    })
  })
})

describe('the script of a checkout', () => {
  it('runs the command from any directory, also by a link', () => {
    const { stdout, status } = spawnSync(join(ROOT, 'whittle'), ['--version'], { cwd: place, encoding: 'utf8' })
    expect([status, stdout]).toEqual([0, `${JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version}\n`])
  })

  it.each(['--version', '--help'])('loads only its own module for %s', (flag) => {
    const { stderr } = spawnSync(join(ROOT, 'whittle'), [flag], {
      env: { ...process.env, NODE_DEBUG: 'esm' },
      encoding: 'utf8',
    })
    const loaded = new Set([...stderr.matchAll(/file:\/\/\S*\/(src\/[\w/.-]+\.ts)/g)].map(([, path]) => path))
    expect([...loaded].toSorted()).toEqual(['src/cli/commands.ts', 'src/cli/main.ts'])
  })
})

describe('an installation without sharp', () => {
  it('an installation without sharp names the command that repairs it', () => {
    cpSync(join(ROOT, 'node_modules/sharp'), join(place, 'node_modules/sharp'), { recursive: true })
    mkdirSync(join(place, 'app'))
    expect(() => assertSharp(join(place, 'app/x.js'))).toThrow(
      /no program for this machine.*npm install --include=optional/,
    )
    expect(() => assertSharp()).not.toThrow()
  })
})
