/** Photographs fetched by address and made smaller, by the service and by two peers: `npm run bench:address -- --help`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { cpuSecondsOf, startService } from '../scripts/corpus/service.ts'
import { median } from './corpus/floor.ts'
import { endWithHelp, readCommand, readNumber, readNumbers, requirePaths } from './corpus/help.ts'
import { inTurns } from './load/run.ts'

const HELP = `Photographs fetched by address and made smaller in each format: by the service, by IPX (npm) and by bare sharp behind node:http,
in one run. Both peers have sharp's defaults. None stores anything, each is warm, and they take turns.

Usage: npm run bench:address -- --ipx DIR [options] <folder> ...

  --ipx DIR       where npm install ipx was done
  --formats LIST  jpeg, webp, avif (all of them)
  --rounds N      turns that are measured (4)
  --clients LIST  clients at the same time (4)
  --times N       requests of each photograph in a turn (8)
  --width PX      of the results, and a little less (800)
  --narrow        takes sources that are narrower than the results too, which keep their size
  --help          says this
`

const { values, positionals } = readCommand(HELP, {
  allowPositionals: true,
  options: {
    ipx: { type: 'string' },
    formats: { type: 'string', default: 'jpeg,webp,avif' },
    times: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '4' },
    clients: { type: 'string', default: '4' },
    width: { type: 'string', default: '800' },
    narrow: { type: 'boolean', default: false },
  },
})
if (values.ipx === undefined) endWithHelp(HELP, false)
requirePaths(HELP, positionals)
requirePaths(HELP, [values.ipx])
const [rounds, width] = [readNumber(HELP, '--rounds', values.rounds), readNumber(HELP, '--width', values.width)]
const clientCounts = readNumbers(HELP, '--clients', values.clients)
/** How often each photograph is requested in one half, so that the clients are busy nearly to its end. */
const times = readNumber(HELP, '--times', values.times)

/** The JPEGs of the directories that are wider than the result; with `--narrow` all that are larger than 2 x 2 px. */
const photographs = async (): Promise<readonly string[]> => {
  const paths: string[] = []
  for (const directory of positionals)
    for (const name of (await readdir(directory)).toSorted()) {
      const path = join(directory, name)
      const { format, width: own } = await sharp(path)
        .metadata()
        .catch(() => ({ format: '', width: 0 }))
      if (format === 'jpeg' && own > (values.narrow ? 2 : width)) paths.push(path)
    }
  return paths
}

/** A web server of files: `/<n>/<name>` is the n-th of them, whatever stands behind it. */
const serveFiles = async (paths: readonly string[]) => {
  const bodies = await Promise.all(paths.map((path) => readFile(path)))
  const server = createServer(({ url = '' }, response) => {
    response.setHeader('Content-Type', 'image/jpeg').end(bodies[Number(url.split('/')[1])])
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() }
}

const IPX = `
  import { createIPX, createIPXNodeServer, ipxHttpStorage } from 'ipx'
  import { createServer } from 'node:http'
  const all = ipxHttpStorage({ allowAllDomains: true })
  const server = createServer(createIPXNodeServer(createIPX({ storage: all, httpStorage: all })))
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))`

const BARE_SHARP = `
  import { createServer } from 'node:http'
  import sharp from 'sharp'
  const make = async (url) => {
    const [, width, format, source] = /^\\/(\\d+)\\/(\\w+)\\/(.*)$/.exec(url)
    const image = sharp(Buffer.from(await (await fetch(source)).arrayBuffer()))
    return image.autoOrient().resize({ width: Number(width), withoutEnlargement: true }).toFormat(format).toBuffer()
  }
  const server = createServer(({ url }, response) => {
    make(url).then((body) => response.end(body), () => response.writeHead(500).end())
  })
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))`

/** A peer in a process of its own; its packages are those of `directory`. */
const startPeer = async (name: string, program: string, directory: string) => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = once(child, 'exit').then(() => {
    throw new Error(`${name} ended before it listened: is version 3 of IPX installed in ${directory}?`)
  })
  const [port] = (await Promise.race([once(createInterface(child.stdout), 'line'), exit])) as [string]
  exit.catch(() => undefined)
  return { address: `http://127.0.0.1:${port}`, pid: child.pid!, stop: () => child.kill() }
}

interface Peer {
  readonly name: string
  readonly ask: (source: string, wide: number) => Promise<Response>
  readonly cpu: () => Promise<number>
  seconds: number
  cpuSeconds: number
  bytes: number
  /** ms of each request. */
  times: readonly number[]
}

const found = await photographs()
/** Those that no peer refuses, with their number on the server of files. */
let sources = found.map((path, at) => ({ path, at }))
const files = await serveFiles(found)
const ipx = await startPeer('IPX', IPX, values.ipx)
const bare = await startPeer('bare sharp', BARE_SHARP, fileURLToPath(new URL('..', import.meta.url)))
const service = await startService({ RESULTS_MAX_BYTES: '0' })
const nothing = { seconds: 0, cpuSeconds: 0, bytes: 0, times: [] }
const peersOf = (format: string): readonly Peer[] => [
  {
    ...nothing,
    name: 'this service',
    ask: (source, wide) => fetch(`${service.address}/demo/${wide},format=${format}/${source}`, { method: 'POST' }),
    cpu: service.cpuSeconds,
  },
  {
    ...nothing,
    name: 'IPX',
    ask: (source, wide) => fetch(`${ipx.address}/w_${wide},f_${format}/${source}`),
    cpu: () => cpuSecondsOf(ipx.pid),
  },
  {
    ...nothing,
    name: 'bare sharp',
    ask: (source, wide) => fetch(`${bare.address}/${wide}/${format}/${source}`),
    cpu: () => cpuSecondsOf(bare.pid),
  },
]

/** Requests each photograph `times` times, at an address of its own and each time a px narrower, so that no two requests are the same. */
const run = async (peer: Peer, round: string, clients: number): Promise<void> => {
  const cpu = await peer.cpu()
  const since = performance.now()
  const all = Array.from({ length: times }, (_, time) => sources.map((source) => ({ ...source, time })))
  const taken: number[] = []
  let bytes = 0
  await inTurns(all.flat(), clients, async ({ at, path, time }) => {
    const address = `${files.base}/${at}/${round}-${time}-${encodeURIComponent(basename(path))}`
    const asked = performance.now()
    const answer = await peer.ask(address, width - time)
    const body = await answer.arrayBuffer()
    taken.push(performance.now() - asked)
    if (answer.status !== 200) throw new Error(`${peer.name}: ${answer.status} for ${path}`)
    bytes += body.byteLength
  })
  peer.seconds += (performance.now() - since) / 1000
  peer.cpuSeconds += (await peer.cpu()) - cpu
  peer.bytes += bytes
  peer.times = [...peer.times, ...taken]
}

/** Measures one format with this many clients, and prints a row for each peer, and the ratios. */
const measure = async (format: string, clients: number): Promise<void> => {
  const peers = peersOf(format)
  for (const peer of peers) await run(peer, `${format}-${clients}-warm`, clients)
  for (const peer of peers) Object.assign(peer, nothing)
  for (let round = 0; round < rounds; round++)
    for (const peer of peers) await run(peer, `${format}-${clients}-${round}`, clients)
  const rate = (peer: Peer): number => peer.times.length / peer.seconds
  const cpu = (peer: Peer): number => (1000 * peer.cpuSeconds) / peer.times.length
  console.log(
    `\n${sources.length} photographs ${times} times, ${width} px wide as ${format}, ${clients} clients, ${rounds} rounds\n`,
  )
  for (const peer of peers)
    console.log(
      `${peer.name.padEnd(14)} ${rate(peer).toFixed(1).padStart(6)} /s  CPU ${cpu(peer).toFixed(0).padStart(4)} ms each  median ${median(peer.times).toFixed(0).padStart(5)} ms  ${(peer.bytes / peer.times.length / 1000).toFixed(1).padStart(7)} kB each`,
    )
  const [ours, ...others] = peers as readonly [Peer, ...Peer[]]
  console.log()
  for (const peer of others)
    console.log(
      `this service / ${peer.name}: requests a second ${(rate(ours) / rate(peer)).toFixed(2)}, CPU ${(cpu(ours) / cpu(peer)).toFixed(2)}, median latency ${(median(ours.times) / median(peer.times)).toFixed(2)}, bytes ${(ours.bytes / peer.bytes).toFixed(2)}`,
    )
}

/** Whether every peer makes this source smaller: one may refuse what another decodes. */
const isTaken = async (format: string, at: number): Promise<boolean> => {
  const answers = await Promise.all(peersOf(format).map(({ ask }) => ask(`${files.base}/${at}/asked.jpg`, width)))
  await Promise.all(answers.map((answer) => answer.arrayBuffer()))
  return answers.every(({ status }) => status === 200)
}

try {
  const [first = 'jpeg'] = values.formats.split(',')
  const taken = await Promise.all(found.map((_, at) => isTaken(first, at)))
  sources = sources.filter(({ at }) => taken[at])
  if (sources.length < found.length)
    console.log(`${found.length - sources.length} sources that a peer refuses are left out`)
  for (const format of values.formats.split(',')) for (const clients of clientCounts) await measure(format, clients)
} finally {
  files.close()
  ipx.stop()
  bare.stop()
  await service.stop()
}
