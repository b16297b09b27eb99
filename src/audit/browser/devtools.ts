/** Controls Chromium through a pipe by the Chrome DevTools Protocol: JSON messages that each end with a zero byte. */
import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { removeDirectory } from '../../support/remove.ts'

type Json = Readonly<Record<string, unknown>>

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: Json
  readonly result?: Json
  readonly error?: { readonly message: string }
  readonly sessionId?: string
}

/** A page of Chromium. */
export interface BrowserTab {
  /** Sends a command and resolves with its result. Fails when Chromium refuses it or has ended. */
  readonly send: (method: string, params?: Json) => Promise<Json>
  /** Calls `listener` for every event of this name. */
  readonly on: (method: string, listener: (params: Json) => void) => void
}

export interface Chromium extends AsyncDisposable {
  readonly tab: BrowserTab
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Path of Chromium or Chrome: CHROMIUM_PATH, or the first one on PATH. undefined without one. */
export const findChromium = (env: NodeJS.ProcessEnv): string | undefined => {
  if (env['CHROMIUM_PATH'] !== undefined) return env['CHROMIUM_PATH']
  const folders = (env['PATH'] ?? '').split(delimiter)
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable)
}

/** Port 9 is "discard", so Chromium's own requests never leave the machine. */
const NO_NETWORK = ['--proxy-server=http://127.0.0.1:9', '--proxy-bypass-list=<-loopback>', '--disable-quic']

const argumentsFor = (profile: string): readonly string[] => [
  '--headless',
  '--remote-debugging-pipe',
  `--user-data-dir=${profile}`,
  '--no-first-run',
  '--disable-gpu',
  '--disable-extensions',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--mute-audio',
  ...NO_NETWORK,
  // Chromium's sandbox does not support root.
  ...(userInfo().uid === 0 ? ['--no-sandbox'] : []),
  'about:blank',
]

interface Waiting {
  readonly resolve: (result: Json) => void
  readonly reject: (error: Error) => void
}

const openConnection = (child: ChildProcess) => {
  const [, , , input, output] = child.stdio as unknown as [null, null, null, Writable, Readable]
  const waiting = new Map<number, Waiting>()
  const listeners = new Map<string, ((params: Json) => void)[]>()
  let count = 0
  let rest = ''
  const take = ({ id, method, params = {}, result = {}, error }: Message): void => {
    if (method !== undefined) for (const listener of listeners.get(method) ?? []) listener(params)
    const command = id === undefined ? undefined : waiting.get(id)
    if (id === undefined || command === undefined) return
    waiting.delete(id)
    if (error === undefined) command.resolve(result)
    else command.reject(new Error(`Chromium: ${error.message}`))
  }
  output.setEncoding('utf8').on('data', (text: string) => {
    const [last = '', ...whole] = `${rest}${text}`.split('\0').reverse()
    rest = last
    for (const message of whole.reverse()) take(JSON.parse(message) as Message)
  })
  const end = (): void => {
    for (const { reject } of waiting.values()) reject(new Error('Chromium ended unexpectedly.'))
    waiting.clear()
  }
  child.once('exit', end)
  child.once('error', end)
  input.on('error', end)
  return {
    listeners,
    send: (method: string, params: Json, sessionId?: string): Promise<Json> =>
      new Promise((resolve, reject) => {
        count += 1
        waiting.set(count, { resolve, reject })
        input.write(
          `${JSON.stringify({ id: count, method, params, ...(sessionId === undefined ? {} : { sessionId }) })}\0`,
        )
        if (child.exitCode !== null || child.signalCode !== null) end()
      }),
  }
}

/** Starts Chromium with an empty profile and one page. The signal ends it. */
export const startChromium = async (program: string, signal: AbortSignal): Promise<Chromium> => {
  const profile = await mkdtemp(join(tmpdir(), 'whittle-chromium-'))
  const child = spawn(program, argumentsFor(profile), {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    detached: true,
    // Chromium's temporary files are removed with the profile.
    env: { ...process.env, TMPDIR: profile },
  })
  const gone = new Promise<void>((done) => child.once('close', () => done()).once('error', () => done()))
  const kill = (): void => {
    try {
      // Kills the process group, since Chromium has children.
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // Chromium has already ended.
    }
  }
  signal.addEventListener('abort', kill, { once: true })
  const dispose = async (): Promise<void> => {
    signal.removeEventListener('abort', kill)
    kill()
    await gone
    await removeDirectory(profile)
  }
  try {
    const { listeners, send } = openConnection(child)
    const { targetId } = await send('Target.createTarget', { url: 'about:blank' })
    const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true })
    const tab: BrowserTab = {
      send: (method, params = {}) => send(method, params, String(sessionId)),
      on: (method, listener) => void listeners.set(method, [...(listeners.get(method) ?? []), listener]),
    }
    return { tab, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}
