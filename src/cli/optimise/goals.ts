/** The results that a run makes of a file, with their formats and paths. */
import { basename, dirname, extname, join, resolve } from 'node:path'
import { FILE_EXTENSIONS } from '../../core/file-extension.ts'
import type { OutputFormat, RequestableFormat } from '../../core/image.ts'
import type { FoundFile } from './find-files.ts'
import type { OptimiseFlags } from './flags.ts'

/** Source formats that are also result formats, so that a file can be replaced in place. */
const REPLACEABLE: ReadonlySet<string> = new Set(['jpeg', 'png', 'gif', 'webp', 'avif'])

/** One requested result of a file. */
export interface FileGoal {
  readonly list: string
  /** The only acceptable format. A result in another one is made again in this format. */
  readonly only?: RequestableFormat
  /** Whether only a smaller result is useful. */
  readonly mustGain: boolean
}

/** Source formats whose automatic result (nearly) always has the same format. */
const STABLE_FORMATS: ReadonlySet<string> = new Set(['jpeg', 'svg'])

/** An option list that asks for a format. */
export const withFormat = (list: string, format: string): string => `${list},format=${format}`

/** The goals for a file of a format: each requested format, or in place its own, or the best. */
export const goalsFor = (flags: OptimiseFlags, source: string): readonly FileGoal[] => {
  const { formats, list, target } = flags
  if (formats.length > 0) return formats.map((format) => ({ list: withFormat(list, format), mustGain: false }))
  const mustGain = /^full(?:,quality=\w+)?$/.test(list)
  if (target.kind !== 'in-place' || source === 'svg') return [{ list, mustGain }]
  if (!REPLACEABLE.has(source))
    throw new Error(`A ${source.toUpperCase()} file has no smaller form of its own. Use --out, or --format.`)
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

/** Path of a result. In place, a file keeps its name even if the extension does not fit its format. */
export const resultPathFor = (
  file: FoundFile,
  goal: FileGoal,
  flags: OptimiseFlags,
  format: OutputFormat,
): string | undefined =>
  flags.target.kind === 'in-place' && goal.only === format ? file.path : outputFor(file, flags, format)

/** The key of a goal in the cache. */
export const cacheKeyOf = ({ list, only }: FileGoal): string => (only === undefined ? list : `${list} only ${only}`)
