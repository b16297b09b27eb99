/**
 * `node bench/load.ts [--images N] [--workers N] [--options LIST] [--photo FILE]`: what the service around the engine costs.
 * The same images go through the service at 1, 4 and 16 clients and through a bare loop of as many processes as the
 * service has children; a plain loop of sharp's mozjpeg at a fixed setting stands beside them. Every image is another
 * part of a photograph, so that neither the store nor single-flight answers. Runs alternate, since machines have moods;
 * CPU time is what a busy machine does not distort.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startService } from '../scripts/corpus/service.ts'
import { quantile } from './corpus/floor.ts'
import { cutImages } from './load/images.ts'
import { openBareLoop, type Run, throughService } from './load/run.ts'

const { values } = parseArgs({
  options: {
    images: { type: 'string', default: '48' },
    workers: { type: 'string', default: String(availableParallelism()) },
    options: { type: 'string', default: 'full' },
    photo: { type: 'string', default: fileURLToPath(new URL('../docs/sample.png', import.meta.url)) },
  },
})
const workers = Number(values.workers)
const images = Number(values.images)
const { options } = values
const CLIENTS = [1, 4, 16]
/** Images that each process works on before anything is measured: the first ones compile and load. */
const WARMTH = 5

const perSecond = ({ times, seconds }: Run): number => times.length / seconds
const cpuEach = ({ times, cpu }: Run): number => (1000 * cpu) / times.length

/** Two runs of the same kind as one. */
const joined = (a: Run, b: Run): Run => ({
  seconds: a.seconds + b.seconds,
  times: [...a.times, ...b.times],
  bytes: a.bytes + b.bytes,
  cpu: a.cpu + b.cpu,
})

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
  await bare.run('engine', options, all.slice(images, images + WARMTH * workers))
  await throughService(service, { clients: workers, options, paths: all.slice(images + WARMTH * workers) })
  const half = Math.ceil(images / 2)
  const halves = [paths.slice(0, half), paths.slice(half)]
  const served: (Run | undefined)[] = CLIENTS.map(() => undefined)
  let engine: Run | undefined
  for (const part of halves) {
    const again = await bare.run('engine', options, part)
    engine = engine === undefined ? again : joined(engine, again)
    for (const [at, clients] of CLIENTS.entries()) {
      const run = await throughService(service, { clients, options, paths: part })
      const before = served[at]
      served[at] = before === undefined ? run : joined(before, run)
    }
  }
  console.log(`${images} images of 600x400 px, ${options}, ${workers} processes\n`)
  show('bare loop of the engine', engine!)
  for (const [at, clients] of CLIENTS.entries())
    show(`service, ${clients} client${clients === 1 ? '' : 's'}`, served[at]!, engine)
  show('bare loop of sharp mozjpeg 75', await bare.run('mozjpeg', options, paths))
} finally {
  bare.close()
  await service.stop()
  await rm(scratch, { recursive: true, force: true })
}
