/** Cost of the service around the engine: `npm run bench:load -- --help`. */
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startService } from '../scripts/corpus/service.ts'
import { quantile } from './corpus/floor.ts'
import { readCommand, readNumber, requirePaths } from './corpus/help.ts'
import { cutImages } from './load/images.ts'
import { openBareLoop, type Run, throughService } from './load/run.ts'

const HELP = `Cost of the service around the engine: requests a second, latency and CPU in ms at 1, 4 and 16 clients, against bare loops of as
many processes as can be busy, and against a loop of sharp's mozjpeg at quality 75.

Usage: npm run bench:load -- [options]

  --images N      images of each run (48)
  --workers N     children of the service (one for each core)
  --options LIST  options of each request, as in an address (full)
  --photo FILE    the photograph that each image is a part of (docs/sample.png)
  --help          says this

Every image differs, so that neither the store nor single-flight answers. One client asks for one image after the other, so
its loop has one process. Runs alternate. CPU time is not distorted by a busy machine.
`

const { values } = readCommand(HELP, {
  options: {
    images: { type: 'string', default: '48' },
    workers: { type: 'string', default: String(availableParallelism()) },
    options: { type: 'string', default: 'full' },
    photo: { type: 'string', default: fileURLToPath(new URL('../docs/sample.png', import.meta.url)) },
  },
})
requirePaths(HELP, [values.photo])
const workers = readNumber(HELP, '--workers', values.workers)
const images = readNumber(HELP, '--images', values.images)
const { options } = values
const CLIENTS = [1, 4, 16]
/** Images that each process works on before anything is measured: the first ones compile and load. */
const WARMTH = 5
/** Shares of the images. After each share the loops and the service take turns. */
const ROUNDS = 4

/** Processes that can be busy with `clients` clients. */
const busyWith = (clients: number): number => Math.min(clients, workers)

const perSecond = ({ times, seconds }: Run): number => times.length / seconds
const cpuEach = ({ times, cpu }: Run): number => (1000 * cpu) / times.length

/** Two runs of the same kind as one. */
const joined = (a: Run, b: Run): Run => ({
  seconds: a.seconds + b.seconds,
  times: [...a.times, ...b.times],
  bytes: a.bytes + b.bytes,
  cpu: a.cpu + b.cpu,
})

const add = (runs: Map<number, Run>, key: number, run: Run): void => {
  const before = runs.get(key)
  runs.set(key, before === undefined ? run : joined(before, run))
}

const counted = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`

const show = (name: string, run: Run, against?: Run): void =>
  console.log(
    [
      name.padEnd(30),
      `${perSecond(run).toFixed(1)} /s`.padStart(10),
      `p50 ${quantile(run.times, 0.5).toFixed(0)} ms`.padStart(12),
      `p99 ${quantile(run.times, 0.99).toFixed(0)} ms`.padStart(12),
      `CPU ${cpuEach(run).toFixed(0)} ms each`.padStart(18),
      `${(run.bytes / run.times.length / 1000).toFixed(1)} kB each`.padStart(13),
      against === undefined
        ? ''
        : `ratio ${(perSecond(run) / perSecond(against)).toFixed(2)}, by CPU ${(cpuEach(against) / cpuEach(run)).toFixed(2)}`,
    ].join('  '),
  )

const scratch = await mkdtemp(join(tmpdir(), 'whittle-load-'))
const service = await startService({ WORKERS: String(workers), RESULTS_MAX_BYTES: '0' })
const bare = openBareLoop(workers)
try {
  const all = await cutImages(values.photo, scratch, images + 2 * WARMTH * workers)
  const paths = all.slice(0, images)
  await bare.run('engine', { options, paths: all.slice(images, images + WARMTH * workers), processes: workers })
  await throughService(service, { clients: workers, options, paths: all.slice(images + WARMTH * workers) })
  const bareRuns = new Map<number, Run>()
  const served = new Map<number, Run>()
  for (let round = 0; round < ROUNDS; round++) {
    const part = paths.filter((_, at) => at % ROUNDS === round)
    for (const processes of new Set(CLIENTS.map(busyWith)))
      add(bareRuns, processes, await bare.run('engine', { options, paths: part, processes }))
    for (const clients of CLIENTS)
      add(served, clients, await throughService(service, { clients, options, paths: part }))
  }
  console.log(`${images} images of 600x400 px, ${options}, ${workers} children\n`)
  for (const [processes, run] of bareRuns) show(`bare loop, ${counted(processes, 'process', 'processes')}`, run)
  for (const [clients, run] of served)
    show(`service, ${counted(clients, 'client', 'clients')}`, run, bareRuns.get(busyWith(clients)))
  const mozjpeg = await bare.run('mozjpeg', { options, paths, processes: workers })
  show(`sharp mozjpeg 75, ${counted(workers, 'process', 'processes')}`, mozjpeg)
} finally {
  bare.close()
  await service.stop()
  await rm(scratch, { recursive: true, force: true })
}
