/**
 * Builds the file tree of deploy/Dockerfile by the steps of that file, without a container daemon. Runs the tree as an image would run:
 * with its user, a read-only root, no capabilities, and its volume. The service has to become healthy, optimise, and end on SIGTERM.
 * Needs root, mmdebstrap, bubblewrap, binutils, and the registries of npm and Debian.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openTreeBuilder, treeArguments } from './image-tree.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** debian:bookworm-slim unpacked, by the list of its publisher; MB are millions of bytes here, as in lists of images. */
const BASE_MB = 75
const MAX_MB = 250

const place = mkdtempSync(join(tmpdir(), 'whittle-image-'))
const tree = openTreeBuilder('deploy/Dockerfile', place)

/** Words of an instruction in JSON form. */
const listOf = (name: string): string[] => JSON.parse(tree.wordsOf('runtime', name) || '[]') as string[]

const environment = (port: number): readonly string[] => {
  const set = tree.wordsOf('runtime', 'ENV').split(' ')
  const own = [`PORT=${port}`, 'HOST=127.0.0.1', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin']
  return [...set, ...own].flatMap((pair) => ['--setenv', ...pair.split(/=(.*)/s, 2)])
}

interface Container {
  readonly root: string
  readonly data: string
  readonly port: number
}

/** Arguments of bwrap for a command in the image, as its user without any right, over a volume at /data. */
const containerArguments = ({ root, data, port }: Container, command: readonly string[]): readonly string[] => {
  const [user = '', group = user] = tree.wordsOf('runtime', 'USER').split(':')
  const mounts = ['--bind', data, '/data', '--tmpfs', '/tmp', '--chmod', '1777', '/tmp']
  const toUser = ['--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID', '--cap-add', 'CAP_SETPCAP', 'setpriv']
  const rights = [`--reuid=${user}`, `--regid=${group}`, '--clear-groups', '--bounding-set=-all', '--no-new-privs']
  const set = ['--clearenv', ...environment(port), '--chdir', tree.wordsOf('runtime', 'WORKDIR')]
  // tini has to be the first process: it reaps, and it gets the signals.
  return [...treeArguments(root, '--ro-bind'), '--as-pid-1', ...mounts, ...set, ...toUser, ...rights, '--', ...command]
}

const runInside = (container: Container, command: readonly string[]): string =>
  execFileSync('bwrap', containerArguments(container, command), {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><style>r{fill:red}</style><rect width="9" height="9"/></svg>'

/** Has the service make images: a file that the tree lacks would be missed here. */
const optimise = async (base: string): Promise<void> => {
  const photo = { body: readFileSync(join(ROOT, 'docs/sample.png')), type: 'image/png' }
  const trials = ['png', 'jpeg', 'webp', 'avif'].map((format) => ({ ...photo, options: `200,format=${format}` }))
  for (const { body, type, options } of [...trials, { body: SVG, type: 'image/svg+xml', options: 'full' }]) {
    const headers = { 'content-type': type }
    const answer = await fetch(`${base}/proof/${options}`, { method: 'POST', body, headers })
    const { byteLength } = await answer.arrayBuffer()
    if (answer.status !== 200 || byteLength === 0) throw new Error(`the image gave ${answer.status} for ${options}`)
  }
}

const isHealthy = (container: Container): boolean => {
  const check = JSON.parse(/CMD (\[.*)/.exec(tree.wordsOf('runtime', 'HEALTHCHECK'))?.[1] ?? '[]') as string[]
  try {
    runInside(container, check)
    return true
  } catch {
    return false
  }
}

/** The process that bwrap started, as this machine counts processes. */
const firstProcessOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')[0])

const exitOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => child.once('exit', (code) => resolve(code)))

/** Runs a command of the image with the account of the proof, waits until its own health check passes, and uses it. */
const prove = async (container: Container): Promise<void> => {
  const entry = listOf('ENTRYPOINT')
  const stores = ['pg', '@aws-sdk/client-s3', 'bullmq', 'ioredis'].map((name) => `import '${name}';`).join('')
  runInside(container, ['node', '--input-type=module', '-e', stores])
  runInside(container, [...entry, 'accounts', 'add', 'proof'])
  const inside = containerArguments(container, [...entry, ...listOf('CMD')])
  const child = spawn('bwrap', inside, { stdio: ['ignore', 'pipe', 'inherit'] })
  child.stdout.on('data', (chunk: Buffer) => process.stdout.write(chunk))
  const exit = exitOf(child)
  try {
    for (let trial = 0; trial < 60 && child.exitCode === null && !isHealthy(container); trial += 1) await sleep(500)
    if (child.exitCode !== null) throw new Error('the service of the image does not start')
    await optimise(`http://127.0.0.1:${container.port}`)
  } finally {
    // bwrap passes no signals on, as an engine does to the first process of a container.
    if (child.exitCode === null) process.kill(firstProcessOf(child.pid ?? 0), 'SIGTERM')
    const code = await exit
    if (code !== 0) process.exitCode = 1
    process.stdout.write(`the container ended with ${code} after SIGTERM\n`)
  }
}

/** MB that the files of a directory hold. */
const megabytes = (path: string): number => {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0) / 1e6
}

if (process.getuid?.() !== 0)
  throw new Error('Building the tree of the image needs root: owners of files belong to it.')
try {
  tree.open('build', 'host')
  tree.build('build')
  const { root } = tree.open('runtime', 'debian')
  const before = megabytes(root)
  tree.build('runtime')
  const data = join(place, 'volume')
  mkdirSync(data, { mode: 0o700 })
  const { uid, gid } = statSync(join(root, 'data'))
  chownSync(data, uid, gid)
  await prove({ root, data, port: await freePort() })
  const own = megabytes(root) - before
  process.stdout.write(`the image: ${own.toFixed(1)} MB over a base of ${BASE_MB} MB; it starts and makes images\n`)
  if (own + BASE_MB >= MAX_MB) throw new Error(`more than ${MAX_MB} MB`)
} finally {
  rmSync(place, { recursive: true, force: true })
}
