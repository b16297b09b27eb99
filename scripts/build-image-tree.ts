/**
 * Builds the file tree of deploy/Dockerfile by its own steps where no daemon runs: COPY and RUN in a directory for each
 * stage, the program of the base image taken from this machine. Then starts the service from that tree and weighs it.
 * Needs the npm registry.
 */
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Instruction, readDockerfile, stageOf } from './dockerfile.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** debian:bookworm-slim unpacked, as its publisher weighs it. */
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
  // The base image's own program is not in our tree: this machine's stands for it.
  copy(source === '/usr/local/bin/node' ? process.execPath : within(from, source), within(stage, target))
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

/** Starts the service as the image does, and waits until it is ready. */
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
  const child = spawn(program, [main ?? '', ...rest], {
    cwd: within(stage, '.'),
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  try {
    for (let turn = 0; turn < 300; turn += 1) {
      const ready = await fetch(`http://127.0.0.1:${port}/-/ready`).catch(() => undefined)
      if (ready?.status === 200) return
      if (child.exitCode !== null) break
      await sleep(100)
    }
    throw new Error('the service of the image does not start')
  } finally {
    child.kill('SIGTERM')
  }
}

const megabytes = (path: string): number =>
  Number(execFileSync('du', ['-sm', path], { encoding: 'utf8' }).split('\t')[0])

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
  process.stdout.write(`the tree of the image: ${own} MB over a base of ${BASE_MB} MB; it starts and is ready\n`)
  if (own + BASE_MB > MOST_MB) throw new Error(`more than ${MOST_MB} MB`)
} finally {
  rmSync(place, { recursive: true, force: true })
}
