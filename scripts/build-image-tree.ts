/**
 * Builds the file tree of deploy/Dockerfile by its own steps where no daemon runs: COPY and RUN in a directory for each
 * stage, Node taken from this machine. Then starts the service from that tree, has it optimise an image, and weighs it.
 * Needs the npm registry.
 */
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Instruction, readDockerfile, stageOf } from './dockerfile.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** debian:bookworm-slim unpacked, as its publisher weighs it; MB are millions of bytes here, as in lists of images. */
const BASE_MB = 75
const MOST_MB = 250

const place = mkdtempSync(join(tmpdir(), 'whittle-image-'))
const ignored = readFileSync(join(ROOT, 'deploy/Dockerfile.dockerignore'), 'utf8').split('\n').filter(Boolean)

interface Stage {
  readonly root: string
  workdir: string
}

const within = ({ root, workdir }: Stage, path: string): string =>
  join(root, path.startsWith('/') ? path : join(workdir, path))

/** What git knows of, without what the image does without. */
const contextFiles = (): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && !ignored.some((prefix) => file === prefix || file.startsWith(`${prefix}/`)))

const copy = (from: string, to: string): void => {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, to, { recursive: true, verbatimSymlinks: true })
}

const copyFromContext = (stage: Stage, sources: readonly string[], target: string): void => {
  const wanted = sources.includes('.') ? contextFiles() : sources
  for (const file of wanted) copy(join(ROOT, file), join(within(stage, target), file))
}

const copyFromStage = (from: Stage, stage: Stage, { args }: { readonly args: readonly string[] }): void => {
  const [source = '', target = ''] = args
  copy(within(from, source), within(stage, target))
}

const stages = new Map<string, Stage>()

const perform = (stage: Stage, { name, args, from }: Instruction): void => {
  if (name === 'WORKDIR') stage.workdir = args[0] ?? '/'
  if (name === 'WORKDIR') mkdirSync(within(stage, '.'), { recursive: true })
  if (name === 'COPY' && from !== undefined) copyFromStage(stages.get(from)!, stage, { args })
  if (name === 'COPY' && from === undefined) copyFromContext(stage, args.slice(0, -1), args.at(-1) ?? '.')
  if (name === 'RUN') {
    process.stdout.write(`RUN ${args.join(' ')}\n`)
    execFileSync('bash', ['-euc', args.join(' ')], { cwd: within(stage, '.'), stdio: ['ignore', 'ignore', 'inherit'] })
  }
}

const build = (name: string): Stage => {
  const stage: Stage = { root: join(place, name), workdir: '/' }
  stages.set(name, stage)
  mkdirSync(stage.root)
  for (const instruction of stageOf(instructions, name)) perform(stage, instruction)
  return stage
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })

/** Has the service make an image smaller: what was left out of the tree is not missed. */
const optimise = async (base: string): Promise<void> => {
  const body = readFileSync(join(ROOT, 'docs/sample.png'))
  for (const format of ['png', 'jpeg', 'avif']) {
    const address = `${base}/proof/200,format=${format}`
    const answer = await fetch(address, { method: 'POST', body, headers: { 'content-type': 'image/png' } })
    const { byteLength } = await answer.arrayBuffer()
    if (answer.status !== 200 || byteLength === 0) throw new Error(`the image gave ${answer.status} for ${format}`)
  }
}

/** Starts the service as the image does, waits until it is ready, and asks it for images. */
const prove = async (stage: Stage): Promise<void> => {
  const [entry, main, ...rest] = [...argumentsOf('ENTRYPOINT'), ...argumentsOf('CMD')]
  const port = await freePort()
  const env = {
    PATH: '/usr/bin:/bin',
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: String(port),
    DATA_DIR: join(place, 'data'),
  }
  const program = within(stage, `/usr/local/bin/${entry}`)
  const stores = ['pg', '@aws-sdk/client-s3', 'bullmq', 'ioredis'].map((name) => `import '${name}';`).join('')
  execFileSync(program, ['--input-type=module', '-e', stores], { cwd: within(stage, '.'), env, stdio: 'inherit' })
  execFileSync(program, [main ?? '', 'accounts', 'add', 'proof'], { cwd: within(stage, '.'), env, stdio: 'ignore' })
  const child = spawn(program, [main ?? '', ...rest], {
    cwd: within(stage, '.'),
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  try {
    for (let turn = 0; turn < 300; turn += 1) {
      const ready = await fetch(`http://127.0.0.1:${port}/-/ready`).catch(() => undefined)
      if (ready?.status === 200) return await optimise(`http://127.0.0.1:${port}`)
      if (child.exitCode !== null) break
      await sleep(100)
    }
    throw new Error('the service of the image does not start')
  } finally {
    child.kill('SIGTERM')
  }
}

/** What a layer weighs: the bytes of its files. */
const megabytes = (path: string): number => {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0) / 1e6
}

const instructions = readDockerfile(readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8'))
const argumentsOf = (name: string): string[] =>
  JSON.parse(
    stageOf(instructions, 'runtime')
      .find((one) => one.name === name)
      ?.args.join(' ') ?? '[]',
  ) as string[]

try {
  build('build')
  const runtime = build('runtime')
  await prove(runtime)
  const own = megabytes(runtime.root)
  process.stdout.write(
    `the tree of the image: ${own.toFixed(1)} MB over a base of ${BASE_MB} MB; it starts and makes images\n`,
  )
  if (own + BASE_MB >= MOST_MB) throw new Error(`more than ${MOST_MB} MB`)
} finally {
  rmSync(place, { recursive: true, force: true })
}
