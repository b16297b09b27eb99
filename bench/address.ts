/**
 * `node bench/address.ts --ipx DIR [--formats jpeg,webp,avif] [--rounds N] [--clients N] [--times N] [--width PX] DIRECTORY…`: photographs fetched
 * by address and made `width` px wide (and a little less) in each format, by the service and by IPX (npm) at sharp's defaults, in one run. DIR is where `npm install ipx`
 * was done. Neither stores anything, each is warm, and halves of the run alternate.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import sharp from 'sharp'
import { cpuSecondsOf, startService } from '../scripts/corpus/service.ts'
import { median } from './corpus/floor.ts'
import { inTurns } from './load/run.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ipx: { type: 'string' },
    formats: { type: 'string', default: 'jpeg,webp,avif' },
    times: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '4' },
    clients: { type: 'string', default: '4' },
    width: { type: 'string', default: '800' },
  },
})
if (values.ipx === undefined || positionals.length === 0)
  throw new Error(
    'Usage: node bench/address.ts --ipx DIR [--formats jpeg,webp,avif] [--rounds N] [--clients N] [--times N] [--width PX] DIRECTORY…',
  )
const [rounds, clients, width] = [Number(values.rounds), Number(values.clients), Number(values.width)]
/** How often each photograph is requested in one half, so that the clients are busy nearly to its end. */
const times = Number(values.times)

/** The JPEGs of the directories that are wider than the result. */
const photographs = async (): Promise<readonly string[]> => {
  const paths: string[] = []
  for (const directory of positionals)
    for (const name of (await readdir(directory)).toSorted()) {
      const path = join(directory, name)
      const { format, width: own } = await sharp(path)
        .metadata()
        .catch(() => ({ format: '', width: 0 }))
      if (format === 'jpeg' && own > width) paths.push(path)
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

/** IPX in a process of its own; the program is read where it is installed. */
const startIpx = async (directory: string) => {
  const program = `
    import { createIPX, createIPXNodeServer, ipxHttpStorage } from 'ipx'
    import { createServer } from 'node:http'
    const all = ipxHttpStorage({ allowAllDomains: true })
    const server = createServer(createIPXNodeServer(createIPX({ storage: all, httpStorage: all })))
    server.listen(0, '127.0.0.1', () => console.log(server.address().port))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = once(child, 'exit').then(() => {
    throw new Error(`IPX ended before it listened: is it version 3 that is installed in ${directory}?`)
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

const paths = await photographs()
const files = await serveFiles(paths)
const ipx = await startIpx(values.ipx)
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
]

/** Requests each photograph `times` times, at an address of its own and each time a px narrower, so that no two requests are the same. */
const run = async (peer: Peer, round: string): Promise<void> => {
  const cpu = await peer.cpu()
  const since = performance.now()
  const all = Array.from({ length: times }, (_, time) => [...paths.entries()].map(([at, path]) => ({ at, path, time })))
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

/** Measures one format and prints a row for each peer, and the ratios. */
const measure = async (format: string): Promise<void> => {
  const peers = peersOf(format)
  for (const peer of peers) await run(peer, `${format}-warm`)
  for (const peer of peers) Object.assign(peer, nothing)
  for (let round = 0; round < rounds; round++) for (const peer of peers) await run(peer, `${format}-${round}`)
  const rate = (peer: Peer): number => peer.times.length / peer.seconds
  const cpu = (peer: Peer): number => (1000 * peer.cpuSeconds) / peer.times.length
  console.log(
    `\n${paths.length} photographs ${times} times, ${width} px wide as ${format}, ${clients} clients, ${rounds} rounds\n`,
  )
  for (const peer of peers)
    console.log(
      `${peer.name.padEnd(14)} ${rate(peer).toFixed(1).padStart(6)} /s  CPU ${cpu(peer).toFixed(0).padStart(4)} ms each  median ${median(peer.times).toFixed(0).padStart(5)} ms  ${(peer.bytes / peer.times.length / 1000).toFixed(1).padStart(7)} kB each`,
    )
  const [ours, theirs] = peers as readonly [Peer, Peer]
  console.log(
    `\nthis service / IPX: requests a second ${(rate(ours) / rate(theirs)).toFixed(2)}, CPU ${(cpu(ours) / cpu(theirs)).toFixed(2)}, median latency ${(median(ours.times) / median(theirs.times)).toFixed(2)}, bytes ${(ours.bytes / theirs.bytes).toFixed(2)}`,
  )
}

try {
  for (const format of values.formats.split(',')) await measure(format)
} finally {
  files.close()
  ipx.stop()
  await service.stop()
}
