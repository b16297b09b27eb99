/** Memory of the idle service and its children: `npm run bench:memory -- --help`. */
import { readdirSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RunningService, startService } from '../scripts/corpus/service.ts'
import { readCommand, readNumber, requirePaths } from './corpus/help.ts'
import { inTurns } from './load/run.ts'

const HELP = `Memory of the idle service and its two children, in MB: at the start, after one small image for each child, and after many of
all kinds. Proportional memory (PSS) counts what processes share once; resident memory (RSS) counts it for each of them.

Usage: npm run bench:memory -- [options] <folder> ...

  --images N  images before the last figure (1000)
  --help      says this

Files above 1.5 MB are left out.
`

const WORKERS = 2
/** ms after which nothing is left to do. */
const QUIET_MS = 25_000
/** Larger sources take long and are unusual. */
const MAX_SOURCE_BYTES = 1_500_000
const OPTIONS = [
  '200',
  '120x90,crop',
  '300,format=webp',
  '160,format=avif',
  '240,quality=low',
  '100x100,pad,format=png',
  '320,quality=high',
  '64x64,crop=auto',
]

const { values, positionals } = readCommand(HELP, {
  allowPositionals: true,
  options: { images: { type: 'string', default: '1000' } },
})
const images = readNumber(HELP, '--images', values.images)
const files = requirePaths(HELP, positionals)
  .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  .filter((path) => statSync(path).isFile() && statSync(path).size <= MAX_SOURCE_BYTES)

const send = async (service: RunningService, path: string, options: string): Promise<number> => {
  const body = await readFile(path)
  const headers = { 'content-type': 'application/octet-stream' }
  const answer = await fetch(`${service.address}/demo/${options}`, {
    method: 'POST',
    headers,
    body,
    redirect: 'manual',
  })
  await answer.arrayBuffer()
  return answer.status
}

/** MB of a process by a field of its memory map's summary; 0 when it has ended. */
const megabytes = async (pid: number, field: 'Pss' | 'Rss'): Promise<number> => {
  const summary = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
  return (Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(summary)?.[1] ?? 0) * 1024) / 1e6
}

const tell = async (service: RunningService, when: string): Promise<void> => {
  const processes = await service.processes()
  const [pss, rss] = await Promise.all(
    (['Pss', 'Rss'] as const).map((field) => Promise.all(processes.map((pid) => megabytes(pid, field)))),
  )
  const sum = (list: readonly number[]): number => Math.round(list.reduce((total, one) => total + one, 0))
  // Programs that confine a child hold next to nothing.
  const each = pss!.filter((one) => one >= 5).map(Math.round)
  console.log(`${when}: ${sum(pss!)} MB proportional (${each.join(' + ')}), ${sum(rss!)} MB resident`)
}

/** The same files in the same order at every run. */
const pick = (at: number): string => files[(at * 7919) % files.length]!

const service = await startService({ WORKERS: String(WORKERS) })
try {
  await sleep(QUIET_MS)
  await tell(service, 'started')
  await Promise.all(Array.from({ length: WORKERS }, (_, at) => send(service, pick(at), `${90 + at}`)))
  await sleep(QUIET_MS)
  await tell(service, `${WORKERS} children, an image each`)
  const statuses = new Map<number, number>()
  await inTurns(
    Array.from({ length: images }, (_, at) => at),
    WORKERS,
    async (at) => {
      const status = await send(service, pick(at), OPTIONS[at % OPTIONS.length]!)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    },
  )
  await sleep(QUIET_MS)
  await tell(service, `after ${values.images} images`)
  console.log([...statuses].map(([status, count]) => `${status}: ${count}`).join(', '))
} finally {
  await service.stop()
}
