/**
 * Follows the first steps of a new user and prints the time of each: clone, `npm ci`, `npm start`,
 * open the page, drop an image, copy the command, run it. `npm run check:newcomer`; needs the registry, git, curl and Chromium.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { cpus, loadavg, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { openChromium } from '../test/browser/chromium.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Seconds that the whole way may take. */
const BOUND = 120
const run = promisify(execFile)
const say = (line: string): void => void process.stdout.write(`${line}\n`)

let total = 0
/** Does one step and prints its time. */
const step = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
  const since = performance.now()
  const result = await work()
  const seconds = (performance.now() - since) / 1000
  total += seconds
  say(`| ${name} | ${seconds.toFixed(1)} s |`)
  return result
}

/** Starts the service as the page says, and waits for the address that it prints. */
const startService = (clone: string, env: NodeJS.ProcessEnv): { child: ChildProcess; address: Promise<string> } => {
  const child = spawn('npm', ['start'], { cwd: clone, env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  const address = new Promise<string>((found, failed) => {
    let told = ''
    child.stdout.on('data', (chunk: Buffer) => {
      told += chunk.toString()
      const [, url] = /in a browser:\s+(http:\/\/\S+)\s/.exec(told) ?? []
      if (url !== undefined) found(url)
    })
    child.once('exit', (code) => failed(new Error(`npm start ended with ${code}: ${told}`)))
  })
  return { child, address }
}

/** Drops a file on a page as a hand does: with a drag that carries it. */
const drop = async (page: Page, path: string): Promise<void> => {
  const bytes = readFileSync(path).toString('base64')
  const carried = await page.evaluateHandle((text) => {
    const data = new DataTransfer()
    const content = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
    data.items.add(new File([content], 'photo.png', { type: 'image/png' }))
    return data
  }, bytes)
  for (const type of ['dragenter', 'dragover', 'drop'])
    await page.dispatchEvent('body', type, { dataTransfer: carried, bubbles: true, cancelable: true })
}

const place = mkdtempSync(join(tmpdir(), 'whittle-newcomer-'))
// Nothing that this machine has downloaded or set before helps.
const env = Object.fromEntries(
  Object.entries({ ...process.env, PORT: '0', npm_config_cache: join(place, 'npm') }).filter(
    ([name]) => !['DATA_DIR', 'NODE_COMPILE_CACHE'].includes(name),
  ),
)
const clone = join(place, 'whittle')
const own = join(place, 'own')
let service: ChildProcess | undefined
const browser = await openChromium()
try {
  say(
    `${cpus().length} cores (${cpus()[0]?.model}), ${Math.round(totalmem() / 2 ** 30)} GiB, load ${loadavg()[0]?.toFixed(1)}`,
  )
  await step('`git clone`', () => run('git', ['clone', '--quiet', '--no-local', ROOT, clone]))
  await step('`npm ci`, with an empty cache', () => run('npm', ['ci'], { cwd: clone, env, maxBuffer: 1e8 }))
  const address = await step('`npm start`, until it prints its address', () => {
    const started = startService(clone, env)
    service = started.child
    return started.address
  })
  const context = await browser.newContext()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await context.newPage()
  await step('open the page', () => page.goto(address))
  await step('drop an image (768 x 512 px), until its result is there', async () => {
    await drop(page, join(clone, 'docs/sample.png'))
    await page.locator('.stage-card .saved', { hasText: '%' }).waitFor({ timeout: 60_000 })
  })
  const command = await step('copy the command', async () => {
    await page.getByRole('button', { name: 'Copy' }).click()
    return page.evaluate(() => navigator.clipboard.readText())
  })
  mkdirSync(own)
  copyFileSync(join(clone, 'docs/sample.png'), join(own, 'photo.png'))
  await step('run it', () => run('bash', ['-ec', command], { cwd: own }))
  const result = join(own, 'optimised-photo.jpg')
  say(`| **all of it** | **${total.toFixed(1)} s** |`)
  say(`${command.trim()}\n${statSync(join(own, 'photo.png')).size} -> ${statSync(result).size} bytes`)
  process.exitCode = total < BOUND ? 0 : 1
} finally {
  await browser.close()
  if (service?.pid !== undefined) process.kill(-service.pid, 'SIGTERM')
  rmSync(place, { recursive: true, force: true, maxRetries: 5 })
}
