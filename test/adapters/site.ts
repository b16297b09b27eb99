import { spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { freePort } from '../cluster/servers/process.ts'
import { FIXTURES } from '../http/start.ts'

/** Sites lie next to the frameworks, which are found as if they were installed in them. */
const SITES = join(import.meta.dirname, '.sites')
const ADAPTERS = resolve(import.meta.dirname, '../../packages/client/adapters')

/** An address at which nothing listens. */
export const NOWHERE = `http://127.0.0.1:${await freePort()}`

/** Result of a command. */
export interface Ran {
  readonly code: number | null
  /** Standard output and error as they came. */
  readonly output: string
}

/** A web site in a directory of its own. */
export interface Site extends Disposable {
  readonly path: string
  readonly write: (name: string, text: string) => void
  readonly read: (name: string) => Buffer
  /** Files below a folder, sorted. */
  readonly files: (folder: string) => readonly string[]
  /** Runs a framework's command with Node. */
  readonly run: (script: string, args: readonly string[], env?: Record<string, string>) => Promise<Ran>
  /** Starts a command that goes on; resolves when its output has the expected text. */
  readonly serve: (
    script: string,
    args: readonly string[],
    ready: RegExp,
    env?: Record<string, string>,
  ) => Promise<Serving>
}

export interface Serving extends AsyncDisposable {
  /** The match of the pattern. */
  readonly found: RegExpExecArray
  readonly output: () => string
}

/** Turns the frameworks' telemetry off. */
const QUIET = {
  ASTRO_TELEMETRY_DISABLED: '1',
  NEXT_TELEMETRY_DISABLED: '1',
  NUXT_TELEMETRY_DISABLED: '1',
  NO_COLOR: '1',
  CI: '1',
}

/** The files that an adapter's page shows: blocks of code with a title. */
export const filesOf = (page: string): ReadonlyMap<string, string> =>
  new Map(
    [...readFileSync(join(ADAPTERS, page), 'utf8').matchAll(/^```\w+ title="([^"]+)"\n(.*?)^```/gms)].map(
      ([, title, code]) => [title!, code!],
    ),
  )

/** As npm would leave it: Astro bundles what is installed and needs it. */
export const MANIFEST = '{ "private": true, "type": "module", "dependencies": { "@whittle-images/client": "*" } }'

/** Makes a site of an adapter's page, with a photograph of 190x158 at each path of `photos`. `replace` has texts to replace in all files, such as the address of the service. */
export const makeSite = (page: string, photos: readonly string[], replace: Readonly<Record<string, string>>): Site => {
  mkdirSync(SITES, { recursive: true })
  const path = mkdtempSync(join(SITES, `${page.replace('.md', '')}-`))
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    const replaced = Object.entries(replace).reduce((whole, [from, to]) => whole.replaceAll(from, to), text)
    writeFileSync(join(path, name), replaced)
  }
  write('package.json', MANIFEST)
  for (const [name, text] of filesOf(page)) write(name, text)
  for (const name of photos) {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    copyFileSync(join(FIXTURES, 'jpeg/kodim23-190x158.png'), join(path, name))
  }
  const start = (script: string, args: readonly string[], env: Record<string, string> = {}) =>
    spawn(process.execPath, [join(import.meta.dirname, 'node_modules', script), ...args], {
      cwd: path,
      // Vitest's own variables would make frameworks believe that they are tested by it.
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...QUIET, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const listen = (child: ReturnType<typeof start>, onText: (output: string) => void = () => {}): (() => string) => {
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString()
        onText(output)
      })
    return () => output
  }
  return {
    path,
    write,
    read: (name) => readFileSync(join(path, name)),
    files: (folder) =>
      readdirSync(join(path, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(join(path, folder).length + 1))
        .toSorted(),
    run: (script, args, env) =>
      new Promise((done) => {
        const child = start(script, args, env)
        const output = listen(child)
        child.once('close', (code) => done({ code, output: output() }))
      }),
    serve: (script, args, ready, env) =>
      new Promise((started, failed) => {
        const child = start(script, args, env)
        const ended = new Promise<void>((done) => child.once('close', () => done()))
        const output = listen(child, (text) => {
          const found = ready.exec(text)
          if (found === null) return
          const stop = async (): Promise<void> => {
            child.kill('SIGTERM')
            await ended
          }
          started({ found, output, [Symbol.asyncDispose]: stop })
        })
        child.once('close', () => failed(new Error(`${script} ended: ${output()}`)))
      }),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}
