import { randomUUID } from 'node:crypto'
import { access, constants, lstat, readFile, stat, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '../../core/failure.ts'
import type { OutputFormat } from '../../core/image.ts'
import type { OptimisedImage, Optimiser } from '../../library/optimiser.ts'
import { LIBRARY_LIMITS } from '../../library/optimiser.ts'
import { identify } from '../../source/identify.ts'
import { sayError } from '../say-error.ts'
import { keepBackup } from './backup.ts'
import { type CachedOutcome, digestOf, type OutcomeCache } from './cache.ts'
import { staysInside } from './collisions.ts'
import type { FoundFile } from './find-files.ts'
import type { OptimiseFlags } from './flags.ts'
import { cacheKeyOf, type FileGoal, goalsFor, resultPathFor, withFormat } from './goals.ts'
import { showName } from './show-name.ts'
import { writeAtomically } from './write-result.ts'

/** The outcome for one file in one format. */
export type FileOutcome =
  | {
      readonly kind: 'written' | 'smaller' | 'kept' | 'known'
      readonly path: string
      /** Path of the result. Absent when nothing was written. */
      readonly output?: string
      readonly format: string
      readonly sourceBytes: number
      readonly bytes: number
      readonly score?: number
      readonly butteraugli?: number
      readonly warnings: readonly string[]
    }
  | { readonly kind: 'failed'; readonly path: string; readonly text: string }

/** Dependencies for one file. */
export interface FileContext {
  readonly flags: OptimiseFlags
  readonly optimiser: Optimiser
  readonly cache: OutcomeCache
  /** Directory of private copies of sources, which no other program changes. */
  readonly scratch: string
  readonly signal: AbortSignal
  /** Sources by the paths of the results that this run has written. */
  readonly written: Map<string, string>
}

interface Snapshot {
  readonly bytes: Buffer
  readonly mtimeMs: number
  readonly ino: number
}

const isUnchanged = (one: Snapshot, other: { size: number; mtimeMs: number; ino: number }): boolean =>
  one.bytes.length === other.size && one.mtimeMs === other.mtimeMs && one.ino === other.ino

const snapshot = async (path: string): Promise<Snapshot> => {
  const before = await stat(path)
  const bytes = await readFile(path)
  const original = { bytes, mtimeMs: before.mtimeMs, ino: before.ino }
  if (!isUnchanged(original, await stat(path))) throw new Error('The file changed while it was read. Run it again.')
  return original
}

/** Fails for a read-only file. Root may write it, but it stays read-only. */
const assertWritable = async (path: string): Promise<void> => {
  const { mode } = await stat(path)
  if ((mode & 0o222) === 0) throw new Error('The file is read-only. Make it writable, or use --out.')
  await access(path, constants.W_OK)
}

const measured = ({ score, butteraugli }: { readonly score?: number; readonly butteraugli?: number }) => ({
  ...(score === undefined ? {} : { score }),
  ...(butteraugli === undefined ? {} : { butteraugli }),
})

const holds = (path: string, digest: string): Promise<boolean> =>
  readFile(path).then(
    (bytes) => digestOf(bytes) === digest,
    () => false,
  )

/** One result to make: a file as it was read, and the goal for it. */
interface Task {
  readonly file: FoundFile
  readonly goal: FileGoal
  readonly original: Snapshot
  /** SHA-256 of `original`, hex. */
  readonly digest: string
}

/** The outcome of an earlier run, if its result is still there. */
const recalled = async (
  { file, goal, digest }: Task,
  { flags, cache }: FileContext,
): Promise<CachedOutcome | undefined> => {
  const known = await cache.recall(digest, cacheKeyOf(goal))
  if (known === undefined) return undefined
  const output = resultPathFor(file, goal, flags, known.format as OutputFormat)
  if (output === undefined) return known
  if (output === file.path) return known.result === digest ? known : undefined
  return (await holds(output, known.result)) ? known : undefined
}

const work = async (goal: FileGoal, path: string, { optimiser, signal }: FileContext): Promise<OptimisedImage> => {
  const image = await optimiser.optimiseFile(path, goal.list, { signal })
  if (goal.only === undefined || image.format === goal.only) return image
  return optimiser.optimiseFile(path, withFormat(goal.list, goal.only), { signal })
}

/** Optimises a private copy of the file, which no other program changes. */
const optimiseCopy = async ({ goal, original }: Task, context: FileContext): Promise<OptimisedImage> => {
  const copy = join(context.scratch, randomUUID())
  await writeFile(copy, original.bytes)
  return work(goal, copy, context).finally(() => unlink(copy).catch(() => undefined))
}

/** Writes a result atomically, and before it the backup of a file that it replaces. */
const writeOutput = async (output: string, result: Uint8Array, { file, original }: Task, context: FileContext) => {
  const { path } = file
  const { target } = context.flags
  if (output === path && !isUnchanged(original, await stat(path)))
    throw new Error('The file changed while it was worked on. Run it again.')
  await assertFree(output, path, context)
  if (target.kind === 'in-place' && output === path && target.backup !== undefined)
    await keepBackup(target.backup, file, original.bytes)
  await writeAtomically(output, result, path)
}

const makeResult = async (task: Task, context: FileContext): Promise<FileOutcome> => {
  const { file, goal, original, digest } = task
  const { path } = file
  const sourceBytes = original.bytes.length
  const image = await optimiseCopy(task, context)
  const gains = !goal.mustGain || image.bytes.length < sourceBytes
  const result = gains ? image.bytes : original.bytes
  const facts = { format: image.format, bytes: result.length, ...measured(image) }
  const done = { ...facts, result: digestOf(result) }
  const common = { path, sourceBytes, ...facts, warnings: image.warnings }
  const remember = async (of: string): Promise<void> => {
    if (!image.cutShort) await context.cache.remember(of, cacheKeyOf(goal), done)
  }
  const output = resultPathFor(file, goal, context.flags, image.format)
  if (output === undefined || (output === path && !gains)) {
    await remember(digest)
    return { kind: gains ? 'smaller' : 'kept', ...common }
  }
  await writeOutput(output, result, task, context)
  await remember(digest)
  // The file cannot get smaller, so the next run skips it.
  if (output === path) await remember(done.result)
  return { kind: gains ? 'written' : 'kept', ...common, output }
}

/** Makes one result, unless an earlier run has made it and the file has not changed. */
const makeOne = async (task: Task, context: FileContext): Promise<FileOutcome> => {
  const known = await recalled(task, context)
  if (known === undefined) return makeResult(task, context)
  const { format, bytes } = known
  const { file, original } = task
  return {
    kind: 'known',
    path: file.path,
    format,
    sourceBytes: original.bytes.length,
    bytes,
    ...measured(known),
    warnings: [],
  }
}

/** Fails when a result would replace that of another source, or follow a link out of the output directory. */
const assertFree = async (output: string, path: string, { flags, written }: FileContext): Promise<void> => {
  const other = written.get(output)
  if (other !== undefined && other !== path)
    throw new Error(`The result would replace that of ${showName(other)}, ${showName(output)}. Give it another --out.`)
  if (flags.target.kind === 'out' && !(await staysInside(flags.target.directory, output)))
    throw new Error('A link leads out of the output directory there. Remove it, or give another --out.')
  written.set(output, path)
}

const assertReplaceable = async (path: string): Promise<void> => {
  if ((await lstat(path)).isSymbolicLink()) throw new Error('It is a symbolic link: name the file that it leads to.')
  await assertWritable(path)
}

/** Produces all results of one file. Rejects only when it is stopped. */
export const doFile = async (file: FoundFile, context: FileContext): Promise<readonly FileOutcome[]> => {
  const { flags, signal } = context
  const outcomes: FileOutcome[] = []
  try {
    if (flags.target.kind === 'in-place') await assertReplaceable(file.path)
    const { size } = await stat(file.path)
    if (size > LIBRARY_LIMITS.maxBytes) throw fail('SOURCE_TOO_HEAVY', LIBRARY_LIMITS.maxBytes)
    const { format } = await identify(file.path)
    const original = await snapshot(file.path)
    const digest = digestOf(original.bytes)
    for (const goal of goalsFor(flags, format)) outcomes.push(await makeOne({ file, goal, original, digest }, context))
    return outcomes
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return [...outcomes, { kind: 'failed', path: file.path, text: sayError(error) }]
  }
}
