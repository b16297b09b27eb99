/** Checks `whittle optimise` on folders of images: `npm run check:optimise -- --help`. */
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readCommand, readNumber, requirePaths } from '../bench/corpus/help.ts'
import { findFiles } from '../src/cli/optimise/find-files.ts'
import { digestsBelow, judgeInterruption } from './optimise/interruptions.ts'
import { type Run, runTimed } from './optimise/timed.ts'

const HELP = `Runs "whittle optimise" over folders of images (docs/files.md). Prints the bytes before and after, the time of a second run, the
losses of interrupted runs in place, and files per second against the bare engine.

Usage: npm run check:optimise -- [options] <folder> ...

  --files N          maximum number of files, evenly spread over the found ones (500)
  --speed-files N    maximum number of them for the comparison with the engine, which takes four runs (100)
  --interruptions N  interruptions of the run in place (10)
  --help             says this

Exit code 1 when a second run takes 2 s or more, an interruption loses anything, or the bare engine is more than 1 / 0.95 times as fast.
`

const MAIN = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url))
const BARE = fileURLToPath(new URL('optimise/bare.ts', import.meta.url))
/** Bounds: seconds of a second run, and files per second and core against the bare engine's. */
const SECOND_RUN = 2
const AGAINST_ENGINE = 0.95

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const { values, positionals } = readCommand(HELP, {
  allowPositionals: true,
  options: {
    files: { type: 'string', default: '500' },
    'speed-files': { type: 'string', default: '100' },
    interruptions: { type: 'string', default: '10' },
  },
})
const maxFiles = readNumber(HELP, '--files', values.files)
const maxSpeedFiles = readNumber(HELP, '--speed-files', values['speed-files'])
const interruptions = readNumber(HELP, '--interruptions', values.interruptions)
const paths = requirePaths(HELP, positionals)

interface Place {
  readonly directory: string
  readonly sources: string
  readonly env: NodeJS.ProcessEnv
}

/** At most `most` items of a list, evenly spread. */
const spread = <Item>(items: readonly Item[], most: number): readonly Item[] =>
  items.length <= most ? items : Array.from({ length: most }, (_, at) => items[Math.floor((at * items.length) / most)]!)

/** Copies files into a directory, each in the folder that it comes from. */
const copyInto = (directory: string, paths: readonly string[]): void => {
  for (const path of paths) {
    const to = join(directory, basename(dirname(path)), basename(path))
    mkdirSync(dirname(to), { recursive: true })
    copyFileSync(path, to)
    // A corpus may be kept read-only, which a run in place respects.
    chmodSync(to, 0o644)
  }
}

const sizeOf = (paths: Iterable<string>): number => [...paths].reduce((sum, path) => sum + statSync(path).size, 0)
const count = (bytes: number): string => bytes.toLocaleString('en')
const percent = (part: number, whole: number): string => `${((part / whole - 1) * 100).toFixed(1)} %`

interface Failed {
  readonly kind: string
  readonly path: string
  readonly text?: string
}

interface Totals {
  readonly files: number
  readonly failed: number
  readonly sourceBytes: number
  readonly bytes: number
}

const whittle = ({ env }: Place, ...args: readonly string[]): Promise<Run> =>
  runTimed(MAIN, ['optimise', ...args, '--report', 'json'], { env })
const reportOf = ({ stdout }: Run): { readonly results: readonly Failed[]; readonly totals: Totals } =>
  JSON.parse(stdout)

/** The first run over everything, and the second one, which has nothing to do. */
const checkRuns = async (place: Place): Promise<{ readonly isRight: boolean; readonly seconds: number }> => {
  const args = ['--out', join(place.directory, 'out'), place.sources]
  const first = await whittle(place, ...args)
  const { results, totals } = reportOf(first)
  const { files, failed, sourceBytes, bytes } = totals
  say(
    `first run: ${files} results, ${failed} failed; ${count(sourceBytes)} -> ${count(bytes)} bytes (${percent(bytes, sourceBytes)})`,
  )
  say(`  ${first.seconds.toFixed(1)} s, ${first.cpuSeconds.toFixed(1)} s of CPU; exit code ${first.status}`)
  for (const { path, text } of results.filter(({ kind }) => kind === 'failed')) say(`  ${basename(path)}: ${text}`)
  const second = await whittle(place, ...args)
  say(`second run: ${second.seconds.toFixed(2)} s, ${second.cpuSeconds.toFixed(2)} s of CPU (bound ${SECOND_RUN} s)`)
  return { isRight: second.seconds < SECOND_RUN, seconds: first.seconds }
}

/** Speed against the engine alone, in turns, by CPU, which other work on the machine does not distort. */
const checkSpeed = async (place: Place, all: readonly string[]): Promise<boolean> => {
  const sources = join(place.directory, 'sample')
  copyInto(sources, spread(all, maxSpeedFiles))
  const paths = [...digestsBelow(sources).keys()]
  const cpu = { whittle: 0, engine: 0 }
  const clock = { whittle: 0, engine: 0 }
  for (let turn = 0; turn < 2; turn++) {
    const ours = await whittle(place, '--no-cache', '--out', join(place.directory, 'speed'), sources)
    const engine = await runTimed(BARE, paths, { env: place.env })
    cpu.whittle += ours.cpuSeconds
    cpu.engine += engine.cpuSeconds
    clock.whittle += ours.seconds
    clock.engine += engine.seconds
  }
  const rate = (seconds: number): string => ((2 * paths.length) / seconds).toFixed(2)
  const ratio = cpu.engine / cpu.whittle
  say(
    `files per second of CPU: ${rate(cpu.whittle)}, the bare engine ${rate(cpu.engine)}: ${ratio.toFixed(3)} (bound ${AGAINST_ENGINE})`,
  )
  say(
    `files per second and core by the clock: ${rate(clock.whittle * availableParallelism())}, the bare engine ${rate(clock.engine * availableParallelism())}: ${(clock.engine / clock.whittle).toFixed(3)}`,
  )
  return ratio >= AGAINST_ENGINE
}

/** Of a whole run's time, what all interrupted ones together get: the last of them still find something to do. */
const INTERRUPTED_SHARE = 0.8

/** When each of `times` runs is interrupted, ms: each later than the one before. */
const moments = (times: number, wholeSeconds: number): readonly number[] => {
  const step = (2 * INTERRUPTED_SHARE * wholeSeconds * 1000) / (times * (times + 1))
  return Array.from({ length: times }, (_, at) => 400 + step * (at + 1))
}

/** Runs in place that end by Ctrl-C, and one that goes on to its end. */
const checkInterruptions = async (place: Place, paths: readonly string[], wholeSeconds: number): Promise<boolean> => {
  const directory = join(place.directory, 'in-place')
  copyInto(directory, paths)
  const env = { ...place.env, XDG_CACHE_HOME: join(place.directory, 'cache-in-place') }
  const lost: string[] = []
  const args = ['optimise', '--in-place', directory]
  for (const interruptAfter of moments(interruptions, wholeSeconds)) {
    const before = digestsBelow(directory)
    const run = await runTimed(MAIN, args, { env, interruptAfter })
    const result = await judgeInterruption(directory, before, run)
    say(
      `  interrupted after ${result.seconds.toFixed(1)} s: exit code ${result.status}, ${result.replaced} replaced, ${result.lost.length} lost`,
    )
    lost.push(...result.lost)
  }
  const before = digestsBelow(directory)
  const last = await judgeInterruption(directory, before, await runTimed(MAIN, args, { env }))
  lost.push(...last.lost)
  for (const text of lost) say(`  ${text}`)
  const bytes = sizeOf(before.keys())
  say(
    `${interruptions} interruptions, then one run to the end: ${last.replaced} replaced, ${lost.length} lost; ${count(bytes)} bytes`,
  )
  return lost.length === 0
}

const directory = mkdtempSync(join(tmpdir(), 'whittle-check-'))
try {
  const found = (await findFiles(paths)).files.map(({ path }) => path)
  const sources = join(directory, 'in')
  copyInto(sources, spread(found, maxFiles))
  const copies = [...digestsBelow(sources).keys()]
  say(`${copies.length} of ${found.length} files, ${count(sizeOf(copies))} bytes; ${availableParallelism()} cores`)
  const place: Place = { directory, sources, env: { ...process.env, XDG_CACHE_HOME: join(directory, 'cache') } }
  const runs = await checkRuns(place)
  const isRight = [runs.isRight, await checkInterruptions(place, copies, runs.seconds), await checkSpeed(place, copies)]
  process.exitCode = isRight.every(Boolean) ? 0 : 1
} finally {
  rmSync(directory, { recursive: true, force: true })
}
