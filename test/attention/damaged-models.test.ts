import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PORTRAIT = join(ROOT, 'test/fixtures/jpeg/pillow__hopper_orientation_5.jpg')

const ADDRESS = /in a browser:\s+(http:\/\/\S+)\s/

/** A copy of the package to which something is done before it runs as a service of its own. */
const startCopy = async (spoil: (directory: string) => Promise<void>) => {
  const copy = await mkdtemp(join(tmpdir(), 'package-'))
  for (const name of ['src', 'models', 'kernels', 'assets', 'package.json'])
    await cp(join(ROOT, name), join(copy, name), { recursive: true })
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  await spoil(copy)
  const env = { ...process.env, PORT: '0', DATA_DIR: join(copy, 'data'), WORKERS: '2', LOG_LEVEL: 'info' }
  const child = spawn(process.execPath, [join(copy, 'src/cli/main.ts'), 'try'], { env })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text))
  const address = await until(() => {
    if (child.exitCode !== null) throw new Error(`The service ended: ${said}`)
    return ADDRESS.exec(said)?.[1]
  })
  return {
    /** Status and focus of the portrait's answer; none may be kept back by the store, so each needs its own options. */
    crop: async (options: string) => {
      const body = new FormData()
      body.append('file', new Blob([await readFile(PORTRAIT)]), 'portrait.jpg')
      const answer = await fetch(`${address}/demo/${options}`, { method: 'POST', body })
      await answer.arrayBuffer()
      return [answer.status, answer.headers.get('x-focus') ?? 'no focus'] as const
    },
    /** Messages of its log about crop=auto. */
    notices: () => readMessages(said).filter((message) => message.includes('crop=auto')),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
      await rm(copy, { recursive: true })
    },
  }
}

const until = async <T>(read: () => T | undefined): Promise<T> => {
  for (let tries = 0; tries < 600; tries++) {
    const value = read()
    if (value !== undefined) return value
    await setTimeout(100)
  }
  throw new Error('It did not happen within a minute.')
}

const readMessages = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => String((JSON.parse(line) as { msg?: string }).msg))

const FOCUS = /^[01](\.\d+)?x[01](\.\d+)?$/

describe('a service with broken models', () => {
  it.each<[string, RegExp, (directory: string) => Promise<void>]>([
    ['one is missing', /models\/faces\.network cannot be read \(ENOENT/, (at) => rm(join(at, 'models/faces.network'))],
    [
      'one has a damaged header',
      /models\/objects\.network cannot be read \(its checksum does not match/,
      async (at) => {
        const bytes = await readFile(join(at, 'models/objects.network'))
        bytes[200]! ^= 1
        await writeFile(join(at, 'models/objects.network'), bytes)
      },
    ],
    ['their kernel is missing', /network\.wasm/, (at) => rm(join(at, 'kernels/network/network.wasm'))],
  ])(
    'answers when %s, and logs it once',
    async (_, notice, spoil) => {
      await using service = await startCopy(spoil)
      // Nothing is looked for before crop=auto is: a service that never sees it pays nothing.
      for (const options of ['40x20', '40x20,crop=top']) expect(await service.crop(options)).toEqual([200, 'no focus'])
      expect(service.notices()).toEqual([])
      // More images than child processes: each child finds the damage, and the log has one line.
      const sizes = ['40x20', '41x20', '42x20', '43x20']
      const answers = await Promise.all(sizes.map((size) => service.crop(`${size},crop=auto`)))
      expect(answers).toEqual(sizes.map(() => [200, expect.stringMatching(FOCUS)]))
      await until(() => (service.notices().length > 0 ? true : undefined))
      expect(service.notices()).toEqual([expect.stringMatching(notice)])
    },
    180_000,
  )
})
