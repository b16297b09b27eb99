import { randomUUID } from 'node:crypto'
import { access, constants, lstat, readFile, stat, unlink, writeFile } from 'node:fs/promises'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { Failure, fail } from '../../core/failure.ts'
import type { OutputFormat, RequestableFormat } from '../../core/image.ts'
import type { OptimisedImage, Optimiser } from '../../library/optimiser.ts'
import { identify } from '../../source/identify.ts'
import { type DoneCache, digestOf, type Remembered } from './cache.ts'
import type { FoundFile } from './find-files.ts'
import type { OptimiseFlags } from './flags.ts'
import { writeAtomically } from './write-result.ts'

/** What came of one file in one format. */
export type FileOutcome =
  | {
      readonly kind: 'written' | 'smaller' | 'kept' | 'known'
      readonly path: string
      /** Where the result lies; absent where nothing was written. */
      readonly output?: string
      readonly format: string
      readonly sourceBytes: number
      readonly bytes: number
      readonly score?: number
      readonly butteraugli?: number
      readonly warnings: readonly string[]
    }
  | { readonly kind: 'failed'; readonly path: string; readonly text: string }

/** What one file is worked on with. */
export interface FileContext {
  readonly flags: OptimiseFlags
  readonly optimiser: Optimiser
  readonly cache: DoneCache
  /** Directory of copies that nobody changes while they are read. */
  readonly scratch: string
  readonly signal: AbortSignal
}

const EXTENSIONS: Readonly<Record<OutputFormat, string>> = {
  jpeg: '.jpg',
  png: '.png',
  gif: '.gif',
  webp: '.webp',
  avif: '.avif',
  svg: '.svg',
  webm: '.webm',
  h264: '.mp4',
}

/** Formats of sources that results can have too: such a file can be replaced by itself. */
const REPLACEABLE: ReadonlySet<string> = new Set(['jpeg', 'png', 'gif', 'webp', 'avif'])

/** A sentence about what went wrong with one file. */
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

/** Why a file is left alone, in a sentence. */
class Refused extends Error {}

/** Larger files are refused before a byte of them is read. */
const MOST_BYTES = 50e6

interface Snapshot {
  readonly bytes: Buffer
  readonly mtimeMs: number
  readonly ino: number
}

const same = (one: Snapshot, other: { size: number; mtimeMs: number; ino: number }): boolean =>
  one.bytes.length === other.size && one.mtimeMs === other.mtimeMs && one.ino === other.ino

const snapshot = async (path: string): Promise<Snapshot> => {
  const before = await stat(path)
  const bytes = await readFile(path)
  const taken = { bytes, mtimeMs: before.mtimeMs, ino: before.ino }
  if (!same(taken, await stat(path))) throw new Refused('The file changed while it was read. Run it again.')
  return taken
}

/** Root may write everything; a file that was made read-only stays so all the same. */
const assertWritable = async (path: string): Promise<void> => {
  const { mode } = await stat(path)
  if ((mode & 0o222) === 0) throw new Refused('The file is read-only. Make it writable, or use --out.')
  await access(path, constants.W_OK)
}

/** One result that is wanted of a file. */
interface Goal {
  readonly list: string
  /** The only format that will do; another one that comes out is made again in this one. */
  readonly only?: RequestableFormat
  /** Whether a result that is no smaller is worth nothing. */
  readonly mustGain: boolean
}

/** Sources whose automatic result is (nearly) always of the same format. */
const STAYS: ReadonlySet<string> = new Set(['jpeg', 'svg'])

const withFormat = (list: string, format: string): string => `${list},format=${format}`

/** What is wanted of a file of some format: each format that is asked for; in place its own; else the best. */
export const goalsFor = (flags: OptimiseFlags, source: string): readonly Goal[] => {
  const { formats, list, target } = flags
  if (formats.length > 0) return formats.map((format) => ({ list: withFormat(list, format), mustGain: false }))
  const mustGain = /^(?:full|quality=\w+)$/.test(list)
  if (target.kind !== 'in-place' || source === 'svg') return [{ list, mustGain }]
  if (!REPLACEABLE.has(source))
    throw new Refused(`A ${source.toUpperCase()} file has no smaller form of its own. Use --out, or --format.`)
  const only = source as RequestableFormat
  return [{ list: STAYS.has(source) ? list : withFormat(list, source), only, mustGain }]
}

const extensionFits = (path: string, format: OutputFormat): boolean => {
  const extension = extname(path).toLowerCase()
  if (extension === EXTENSIONS[format]) return true
  return format === 'jpeg' ? /^\.(?:jpeg|jpe|jfif)$/.test(extension) : format === 'png' && extension === '.apng'
}

/** Where a result goes; undefined where nothing is written. */
export const outputFor = (
  file: FoundFile,
  { target }: Pick<OptimiseFlags, 'target'>,
  format: OutputFormat,
): string | undefined => {
  if (target.kind !== 'out' && target.kind !== 'in-place') return undefined
  const path = target.kind === 'out' ? resolve(target.directory, file.relative) : file.path
  if (extensionFits(path, format)) return path
  const stem = file.isAmbiguous ? basename(path) : basename(path, extname(path))
  return join(dirname(path), `${stem}${EXTENSIONS[format]}`)
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

/** A file of the format that an in-place run writes keeps its name, whatever its extension says. */
const placeOf = (file: FoundFile, goal: Goal, flags: OptimiseFlags, format: OutputFormat): string | undefined =>
  flags.target.kind === 'in-place' && goal.only === format ? file.path : outputFor(file, flags, format)

const recalled = async (
  file: FoundFile,
  goal: Goal,
  digest: string,
  { flags, cache }: FileContext,
): Promise<Remembered | undefined> => {
  const known = await cache.recall(digest, keyOf(goal))
  if (known === undefined) return undefined
  const output = placeOf(file, goal, flags, known.format as OutputFormat)
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
  const told = {
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
  const output = placeOf(file, goal, flags, image.format)
  if (output === undefined || (output === path && !gains)) {
    await remember(digest)
    return { kind: gains ? 'smaller' : 'kept', ...told }
  }
  if (output === path && !same(taken, await stat(path)))
    throw new Refused('The file changed while it was worked on. Run it again.')
  await writeAtomically(output, result, path)
  await remember(digest)
  // What is there now is as small as it gets: the next run need not look at it again.
  if (output === path) await remember(done.result)
  return { kind: gains ? 'written' : 'kept', ...told, output }
}

const assertReplaceable = async (path: string): Promise<void> => {
  if ((await lstat(path)).isSymbolicLink()) throw new Refused('It is a symbolic link: name the file that it leads to.')
  await assertWritable(path)
}

/** Does all that the flags ask for with one file. Rejects only when it is stopped. */
export const doFile = async (file: FoundFile, context: FileContext): Promise<readonly FileOutcome[]> => {
  const { flags, signal } = context
  const outcomes: FileOutcome[] = []
  try {
    if (flags.target.kind === 'in-place') await assertReplaceable(file.path)
    const { size } = await stat(file.path)
    if (size > MOST_BYTES) throw fail('SOURCE_TOO_HEAVY', MOST_BYTES)
    const { format } = await identify(file.path)
    const taken = await snapshot(file.path)
    for (const goal of goalsFor(flags, format)) outcomes.push(await makeOne(file, goal, taken, context))
    return outcomes
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return [...outcomes, { kind: 'failed', path: file.path, text: sayError(error) }]
  }
}
