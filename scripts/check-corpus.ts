/** Sends every file of a corpus through the running service and judges every answer by the contract; see lab/corpus-check.md. */
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import sharp from 'sharp'
import { parseOptions } from '../src/options/parse.ts'
import { ask } from './corpus/ask.ts'
import { type Expected, expectedStatus, readExpected, writeExpected } from './corpus/expected.ts'
import { addressPath, type CorpusFile, listFiles } from './corpus/files.ts'
import { type Flags, readFlags, USAGE } from './corpus/flags.ts'
import { openOrigin } from './corpus/origin.ts'
import { repeatBad } from './corpus/passes.ts'
import { faultLines, type Outcome, report, toJson } from './corpus/print.ts'
import { type RunningService, startService } from './corpus/service.ts'
import { judgeReply, readSource, type Source } from './corpus/verdict.ts'

const MAX_TIMEOUT = 30

// The service needs the processor more.
sharp.concurrency(1)

const say = (line: string): void => void process.stdout.write(`${line}\n`)

interface Check {
  readonly flags: Flags
  readonly service: RunningService
  readonly originAddress: string
  readonly expected: Expected
}

const isVideo = (format: string): boolean => format === 'webm' || format === 'h264'
const moves = (source: Source | undefined): boolean => source?.seen.playMs !== undefined || source?.seen.apng === true

const sendOne = async (check: Check, file: CorpusFile, turn: number): Promise<readonly Outcome[]> => {
  const { flags, service, originAddress, expected } = check
  const source = await readSource(file)
  const outcomes: Outcome[] = []
  for (const [at, list] of flags.optionLists.entries()) {
    const parsed = parseOptions(list, { maxTimeout: MAX_TIMEOUT })
    if (parsed.kind === 'wrong') throw parsed.failure
    const reply = await ask({
      service: service.address,
      options: list,
      imageUrl: originAddress + addressPath(file.name),
      encoded: (turn + at) % 2 === 0,
      patience: flags.hangMs * 3,
    })
    const verdict = await judgeReply({ file, source, options: parsed.options, reply, hangMs: flags.hangMs })
    const listed = expectedStatus(expected, file.name, list)
    // The list of statuses is about images: video of what does not move is refused (§4.3), before any damage shows.
    const still = isVideo(parsed.options.format) && !moves(source)
    const wanted = still && (listed === 200 || reply.status === 400) ? 400 : listed
    const other = wanted !== undefined && wanted !== reply.status && !flags.update
    outcomes.push({
      file,
      options: list,
      reply,
      verdict: other
        ? { ...verdict, faults: [...verdict.faults, 'status'], remarks: [`${wanted} was expected`, ...verdict.remarks] }
        : verdict,
    })
  }
  return outcomes
}

/** Seconds between two lines of progress. */
const PROGRESS_S = 15

const sendAll = async (check: Check, files: readonly CorpusFile[]): Promise<readonly Outcome[]> => {
  const outcomes: Outcome[] = []
  let turn = 0
  const since = performance.now()
  const progress = setInterval(() => {
    const seconds = Math.round((performance.now() - since) / 1000)
    process.stderr.write(
      `${outcomes.length} of ${files.length * check.flags.optionLists.length} requests, ${seconds} s\n`,
    )
  }, PROGRESS_S * 1000)
  const client = async (): Promise<void> => {
    for (let file = files[turn++]; file !== undefined; file = files[turn++]) {
      const some = await sendOne(check, file, turn)
      check.service.assertAlive()
      for (const line of faultLines(some)) process.stderr.write(`${line}\n`)
      outcomes.push(...some)
    }
  }
  try {
    await Promise.all(Array.from({ length: check.flags.concurrency }, client))
  } finally {
    clearInterval(progress)
  }
  return outcomes.sort((a, b) => (a.file.name < b.file.name ? -1 : 1))
}

const seenOf = (outcomes: readonly Outcome[]): Expected => {
  const seen: Expected = new Map()
  for (const { file, options, reply } of outcomes)
    seen.set(file.name, (seen.get(file.name) ?? new Map<string, number>()).set(options, reply.status))
  return seen
}

const checkAll = async (check: Check, files: readonly CorpusFile[]): Promise<boolean> => {
  const outcomes = await sendAll(check, files)
  const { flags, service } = check
  if (flags.json !== undefined) await writeFile(flags.json, `${JSON.stringify(outcomes.map(toJson), null, 1)}\n`)
  if (flags.update) await writeExpected(check.expected, seenOf(outcomes))
  const leftovers = await service.leftovers()
  say(report(outcomes))
  if (leftovers.length > 0) say(`Left behind in the data directory: ${leftovers.join(', ')}`)
  return leftovers.length === 0 && outcomes.every(({ verdict }) => verdict.faults.length === 0)
}

const run = async (argv: readonly string[]): Promise<number> => {
  const flags = readFlags(argv)
  if (flags === undefined) {
    say(USAGE)
    return 0
  }
  const directory = resolve(flags.directory)
  const files = (await listFiles(directory)).filter(({ name }) => name.includes(flags.filter))
  if (files.length === 0) throw new Error(`There is no such file in ${directory}.`)
  const origin = await openOrigin(directory)
  const service = await startService(
    { MAX_TIMEOUT: `${MAX_TIMEOUT}s` },
    flags.entry === undefined ? {} : { entry: flags.entry },
  )
  try {
    const check: Check = { flags, service, originAddress: origin.address, expected: await readExpected() }
    const good =
      flags.passes > 0
        ? await repeatBad({ ...check, say, files: files.filter(({ category }) => category === 'bad') })
        : await checkAll(check, files)
    for (const complaint of service.complaints) say(complaint.slice(0, 600))
    return good ? 0 : 1
  } finally {
    await service.stop()
    await origin.close()
  }
}

process.exitCode = await run(process.argv.slice(2)).catch((error: Error) => {
  process.stderr.write(`${error.message}\n\n${USAGE}`)
  return 2
})
