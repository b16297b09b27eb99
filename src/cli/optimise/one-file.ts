import { randomUUID } from 'node:crypto'
import { access, constants, lstat, readFile, stat, unlink, writeFile } from 'node:fs/promises'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { Failure, fail } from '../../core/failure.ts'
import { FILE_EXTENSIONS } from '../../core/file-extension.ts'
import type { OutputFormat, RequestableFormat } from '../../core/image.ts'
import type { OptimisedImage, Optimiser } from '../../library/optimiser.ts'
import { LIBRARY_LIMITS } from '../../library/optimiser.ts'
import { identify } from '../../source/identify.ts'
import { keepBackup } from './backup.ts'
import { type CachedOutcome, digestOf, type OutcomeCache } from './cache.ts'
import { staysInside } from './collisions.ts'
import type { FoundFile } from './find-files.ts'
import type { OptimiseFlags } from './flags.ts'
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

/** Source formats that are also result formats, so that a file can be replaced in place. */
const REPLACEABLE: ReadonlySet<string> = new Set(['jpeg', 'png', 'gif', 'webp', 'avif'])

/** A sentence about an error with one file. */
export const sayError = (error: unknown): string => {
  if (error instanceof Failure) return error.message
  const { code } = error as NodeJS.ErrnoException
  const known: Readonly<Record<string, string>> = {
    ENOENT: 'The file has gone.',
    EACCES: 'The file may not be read or written: check its permissions.',
    EPERM: 'The file may not be read or written: check its permissions.',
    EROFS: 'The disk is read-only.',
    ENOSPC: 'The disk is full; nothing was changed.',
    EDQUOT: 'The quota of the disk is used up; nothing was changed.',
    EISDIR: 'There is a folder where the result should go.',
    ENOTDIR: 'There is a file where a folder should be.',
    ENAMETOOLONG: 'The name of the result is too long.',
  }
  return known[code ?? ''] ?? (error instanceof Error ? error.message : String(error))
}

/** A file is not changed. The message is the reason. */
class Refused extends Error {}

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
  const taken = { bytes, mtimeMs: before.mtimeMs, ino: before.ino }
  if (!isUnchanged(taken, await stat(path))) throw new Refused('The file changed while it was read. Run it again.')
  return taken
}

/** Fails for a read-only file. Root may write it, but it stays read-only. */
const assertWritable = async (path: string): Promise<void> => {
  const { mode } = await stat(path)
  if ((mode & 0o222) === 0) throw new Refused('The file is read-only. Make it writable, or use --out.')
  await access(path, constants.W_OK)
}

/** One requested result of a file. */
interface Goal {
  readonly list: string
  /** The only acceptable format. A result in another one is made again in this format. */
  readonly only?: RequestableFormat
  /** Whether only a smaller result is useful. */
  readonly mustGain: boolean
}

/** Source formats whose automatic result (nearly) always has the same format. */
const STABLE_FORMATS: ReadonlySet<string> = new Set(['jpeg', 'svg'])

const withFormat = (list: string, format: string): string => `${list},format=${format}`

/** The goals for a file of a format: each requested format, or in place its own, or the best. */
export const goalsFor = (flags: OptimiseFlags, source: string): readonly Goal[] => {
  const { formats, list, target } = flags
  if (formats.length > 0) return formats.map((format) => ({ list: withFormat(list, format), mustGain: false }))
  const mustGain = /^full(?:,quality=\w+)?$/.test(list)
  if (target.kind !== 'in-place' || source === 'svg') return [{ list, mustGain }]
  if (!REPLACEABLE.has(source))
    throw new Refused(`A ${source.toUpperCase()} file has no smaller form of its own. Use --out, or --format.`)
  const only = source as RequestableFormat
  return [{ list: STABLE_FORMATS.has(source) ? list : withFormat(list, source), only, mustGain }]
}

/** Whether a file of a format may have the extension of a path. */
export const extensionFits = (path: string, format: OutputFormat): boolean => {
  const extension = extname(path).toLowerCase()
  if (extension === `.${FILE_EXTENSIONS[format]}`) return true
  return format === 'jpeg' ? /^\.(?:jpeg|jpe|jfif)$/.test(extension) : format === 'png' && extension === '.apng'
}

/** Path of a result. undefined when nothing is written. */
export const outputFor = (
  file: FoundFile,
  { target }: Pick<OptimiseFlags, 'target'>,
  format: OutputFormat,
): string | undefined => {
  if (target.kind !== 'out' && target.kind !== 'in-place') return undefined
  const path = target.kind === 'out' ? resolve(target.directory, file.relative) : file.path
  if (extensionFits(path, format)) return path
  const stem = file.isAmbiguous ? basename(path) : basename(path, extname(path))
  return join(dirname(path), `${stem}.${FILE_EXTENSIONS[format]}`)
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

/** Path of a result. In place, a file keeps its name even if the extension does not fit its format. */
const resultPathFor = (file: FoundFile, goal: Goal, flags: OptimiseFlags, format: OutputFormat): string | undefined =>
  flags.target.kind === 'in-place' && goal.only === format ? file.path : outputFor(file, flags, format)

const recalled = async (
  file: FoundFile,
  goal: Goal,
  digest: string,
  { flags, cache }: FileContext,
): Promise<CachedOutcome | undefined> => {
  const known = await cache.recall(digest, keyOf(goal))
  if (known === undefined) return undefined
  const output = resultPathFor(file, goal, flags, known.format as OutputFormat)
  if (output === undefined) return known
  if (output === file.path) return known.result === digest ? known : undefined
  return (await holds(output, known.result)) ? known : undefined
}

const keyOf = ({ list, only }: Goal): string => (only === undefined ? list : `${list} only ${only}`)

const work = async (goal: Goal, path: string, { optimiser, signal }: FileContext): Promise<OptimisedImage> => {
  const image = await optimiser.optimiseFile(path, goal.list, { signal })
  if (goal.only === undefined || image.format === goal.only) return image
  return optimiser.optimiseFile(path, withFormat(goal.list, goal.only), { signal })
}

const makeOne = async (file: FoundFile, goal: Goal, taken: Snapshot, context: FileContext): Promise<FileOutcome> => {
  const { flags, cache, scratch } = context
  const { path } = file
  const digest = digestOf(taken.bytes)
  const sourceBytes = taken.bytes.length
  const known = await recalled(file, goal, digest, context)
  if (known !== undefined)
    return {
      kind: 'known',
      path,
      format: known.format,
      sourceBytes,
      bytes: known.bytes,
      ...measured(known),
      warnings: [],
    }
  const copy = join(scratch, randomUUID())
  await writeFile(copy, taken.bytes)
  const image = await work(goal, copy, context).finally(() => unlink(copy).catch(() => undefined))
  const gains = !goal.mustGain || image.bytes.length < sourceBytes
  const result = gains ? image.bytes : taken.bytes
  const done = { result: digestOf(result), bytes: result.length, format: image.format, ...measured(image) }
  const common = {
    path,
    format: image.format,
    sourceBytes,
    bytes: result.length,
    ...measured(image),
    warnings: image.warnings,
  }
  const remember = async (of: string): Promise<void> => {
    if (!image.cutShort) await cache.remember(of, keyOf(goal), done)
  }
  const output = resultPathFor(file, goal, flags, image.format)
  if (output === undefined || (output === path && !gains)) {
    await remember(digest)
    return { kind: gains ? 'smaller' : 'kept', ...common }
  }
  if (output === path && !isUnchanged(taken, await stat(path)))
    throw new Refused('The file changed while it was worked on. Run it again.')
  await assertFree(output, path, context)
  if (flags.target.kind === 'in-place' && output === path && flags.target.backup !== undefined)
    await keepBackup(flags.target.backup, file, taken.bytes)
  await writeAtomically(output, result, path)
  await remember(digest)
  // The file cannot get smaller, so the next run skips it.
  if (output === path) await remember(done.result)
  return { kind: gains ? 'written' : 'kept', ...common, output }
}

/** Fails when a result would replace that of another source, or follow a link out of the output directory. */
const assertFree = async (output: string, path: string, { flags, written }: FileContext): Promise<void> => {
  const other = written.get(output)
  if (other !== undefined && other !== path)
    throw new Refused(
      `The result would replace that of ${showName(other)}, ${showName(output)}. Give it another --out.`,
    )
  if (flags.target.kind === 'out' && !(await staysInside(flags.target.directory, output)))
    throw new Refused('A link leads out of the output directory there. Remove it, or give another --out.')
  written.set(output, path)
}

const assertReplaceable = async (path: string): Promise<void> => {
  if ((await lstat(path)).isSymbolicLink()) throw new Refused('It is a symbolic link: name the file that it leads to.')
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
    const taken = await snapshot(file.path)
    for (const goal of goalsFor(flags, format)) outcomes.push(await makeOne(file, goal, taken, context))
    return outcomes
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return [...outcomes, { kind: 'failed', path: file.path, text: sayError(error) }]
  }
}
