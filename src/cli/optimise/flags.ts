import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { METADATA, REQUESTABLE_FORMATS, type RequestableFormat } from '../../core/image.ts'
import { PRESETS } from '../../options/options.ts'
import { nearest } from '../../options/suggest.ts'
import { optionListFrom } from './option-list.ts'

/** Settings of a run. */
export interface OptimiseFlags {
  /** Files, folders and globs. */
  readonly inputs: readonly string[]
  readonly target: OptimiseTarget
  /** Output formats. Empty: the best one, or in place the file's own. */
  readonly formats: readonly RequestableFormat[]
  /** The option list, without format. */
  readonly list: string
  readonly workers: number
  readonly report: 'text' | 'json'
  readonly watch: boolean
  /** Prints only failures and the findings of a check. */
  readonly quiet: boolean
  /** Globs of excluded files and folders. */
  readonly exclude: readonly string[]
  /** Directory of the cache. undefined: no cache. */
  readonly cache: string | undefined
}

/** The destination of results. `check` writes nothing, and fails when a file could be smaller by this percentage. */
export type OptimiseTarget =
  | { readonly kind: 'out'; readonly directory: string }
  | { readonly kind: 'in-place'; readonly backup?: string }
  | { readonly kind: 'check'; readonly percent: number }
  | { readonly kind: 'dry-run' }

export type FlagsRead =
  | { readonly kind: 'ok'; readonly flags: OptimiseFlags }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly problems: readonly string[] }

/** Every flag with its value and its help. Help, completion and manual page are generated from it. */
export const OPTIMISE_FLAGS = {
  out: { value: 'DIR', help: 'write results into this directory, in the folders that they were found in' },
  'in-place': { help: 'replace the files themselves (each stays of its format; atomic, permissions kept)' },
  backup: { value: 'DIR', help: 'keep a copy of every file that --in-place replaces' },
  quality: { value: PRESETS.join('|'), help: 'perceived quality; medium unless given' },
  format: { value: 'LIST', help: `formats to write, with commas: ${REQUESTABLE_FORMATS.join(', ')}` },
  size: { value: 'WxH', help: 'maximum width and height in pixels, as in 800x600, 800 or x600' },
  crop: {
    value: 'HOW',
    help: 'crop to exactly that size: auto, centre, top, left, right, bottom, or a point as in 0.5x0.3',
  },
  meta: { value: METADATA.join('|'), help: 'metadata to keep: creator and rights, or none; none unless given' },
  'max-bytes': { value: 'BYTES', help: 'the best quality that fits, as in 200k; a smaller size where none does' },
  options: { value: 'LIST', help: 'further options of docs/options.md, as in 2x,trim=border' },
  'max-cpu': { value: 'N', help: 'number of processor cores to use, or a share as in 50%; all unless given' },
  check: { value: 'PERCENT', help: 'write nothing; exit with 1 when a file could be at least this much smaller' },
  'dry-run': { help: 'write nothing; report what the results would be' },
  report: { value: 'text|json', help: 'form of the report; text unless given' },
  json: { help: 'the same as --report json' },
  quiet: { help: 'print only failures and the files that --check finds' },
  exclude: {
    value: 'GLOB',
    many: true,
    help: 'leave out files or folders, as in node_modules or *.min.png; may be given again',
  },
  'cache-dir': { value: 'DIR', help: 'where the list of finished files is kept' },
  'no-cache': { help: 'optimise finished files again' },
  watch: { help: 'keep running, and optimise files that are added or changed' },
  help: { help: 'show this help (-h)' },
} as const satisfies Record<string, { readonly value?: string; readonly help: string; readonly many?: true }>

type ParserOption = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>[string]

const PARSER_OPTIONS: Readonly<Record<string, ParserOption>> = Object.fromEntries(
  Object.entries(OPTIMISE_FLAGS).map(([name, flag]) => [
    name,
    {
      type: 'value' in flag ? 'string' : 'boolean',
      ...('many' in flag ? { multiple: true } : {}),
      ...(name === 'help' ? { short: 'h' } : {}),
    },
  ]),
)

type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>

/** Flags of similar tools, with the equivalent here. */
const FOREIGN_FLAGS: ReadonlyMap<string, string> = new Map([
  ['suffix', 'Results with other names: give --out DIR, which keeps the names and leaves the sources alone.'],
  ['output', 'Give --out DIR.'],
  ['ignore', 'Give --exclude GLOB.'],
  ['lossless', 'Give --quality lossless.'],
  ['recursive', 'Folders are always searched with all folders in them.'],
])

/** A sentence about an unknown flag, with the one that was probably meant. */
const unknownFlag = (name: string): string => {
  const near = nearest(name, Object.keys(OPTIMISE_FLAGS))
  const meant = FOREIGN_FLAGS.get(name) ?? (near === undefined ? '' : `Did you mean --${near}?`)
  return `There is no flag --${name}. ${meant}`.trim()
}

const parseProblem = (error: unknown): string => {
  const [said = ''] = (error instanceof Error ? error.message : String(error)).split('. To specify')
  const [, name] = /^Unknown option '--([^']*)'/.exec(said) ?? []
  if (name !== undefined) return unknownFlag(name)
  return said.endsWith('.') ? said : `${said}.`
}

const text = (values: Values, name: keyof typeof OPTIMISE_FLAGS): string | undefined => {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

const texts = (values: Values, name: keyof typeof OPTIMISE_FLAGS): readonly string[] => {
  const value = values[name]
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

/** A sentence about a wrong flag. */
interface Problem {
  readonly problem: string
}

const isProblem = (value: unknown): value is Problem =>
  typeof value === 'object' && value !== null && 'problem' in value

const targetOf = (values: Values): OptimiseTarget | Problem => {
  const out = text(values, 'out')
  const check = text(values, 'check')
  const backup = text(values, 'backup')
  const given = [
    ...(out === undefined ? [] : [{ kind: 'out' as const, directory: out }]),
    ...(values['in-place'] === true
      ? [{ kind: 'in-place' as const, ...(backup === undefined ? {} : { backup }) }]
      : []),
    ...(check === undefined ? [] : [{ kind: 'check' as const, percent: Number(check.replace(/%$/, '')) }]),
    ...(values['dry-run'] === true ? [{ kind: 'dry-run' as const }] : []),
  ]
  const [target] = given
  if (target === undefined)
    return {
      problem:
        'Say where results go: --out DIR, or --in-place to replace the files; or --check PERCENT or --dry-run to write nothing.',
    }
  if (backup !== undefined && target.kind !== 'in-place')
    return { problem: '--backup keeps the files that --in-place replaces: give both.' }
  if (given.length > 1)
    return { problem: '--out, --in-place, --check and --dry-run exclude each other: give one of them.' }
  if (target.kind === 'check' && !(target.percent > 0 && target.percent <= 100))
    return { problem: `--check ${check} is wrong: expected a percentage above 0, as in --check 10.` }
  return target
}

const formatsOf = (values: Values): readonly RequestableFormat[] | Problem => {
  const given = text(values, 'format')
  if (given === undefined) return []
  if (values['in-place'] === true)
    return { problem: 'With --in-place every file keeps its format: give --format together with --out.' }
  const names = given
    .split(',')
    .map((name) => name.trim().toLowerCase().replace(/^jpg$/, 'jpeg').replace(/^mp4$/, 'h264'))
  const known = names.filter((name): name is RequestableFormat =>
    (REQUESTABLE_FORMATS as readonly string[]).includes(name),
  )
  return known.length === names.length
    ? [...new Set(known)]
    : { problem: `--format ${given} is wrong: expected some of ${REQUESTABLE_FORMATS.join(', ')}, with commas.` }
}

const workersOf = (values: Values): number | Problem => {
  const given = text(values, 'max-cpu')
  const cores = availableParallelism()
  if (given === undefined) return cores
  const [, digits, share] = /^(\d+(?:\.\d+)?)(%?)$/.exec(given) ?? []
  const count = share === '%' ? (cores * Number(digits)) / 100 : Number(digits)
  const isRight = share === '%' ? count <= cores : Number.isInteger(count)
  return digits !== undefined && count > 0 && isRight
    ? Math.max(1, Math.min(cores, Math.floor(count)))
    : {
        problem: `--max-cpu ${given} is wrong: expected a number of cores, or a share of them of at most 100%, as in 50%.`,
      }
}

/** The default directory of the cache, by the XDG base directories. */
const defaultCache = (environment: NodeJS.ProcessEnv): string =>
  `${environment['XDG_CACHE_HOME'] || `${environment['HOME'] || '.'}/.cache`}/whittle`

const reportOf = (values: Values): OptimiseFlags['report'] | Problem => {
  const given = text(values, 'report') ?? (values['json'] === true ? 'json' : 'text')
  if (given !== 'text' && given !== 'json') return { problem: `--report ${given} is wrong: expected text or json.` }
  if (given === 'json' && values['watch'] === true)
    return { problem: '--watch reports as text: leave --report and --json out.' }
  return given
}

const listOf = (values: Values): ReturnType<typeof optionListFrom> =>
  optionListFrom({
    size: text(values, 'size'),
    crop: text(values, 'crop'),
    quality: text(values, 'quality'),
    meta: text(values, 'meta'),
    'max-bytes': text(values, 'max-bytes'),
    options: text(values, 'options'),
  })

/** The flags of a command line without a syntax error. */
const flagsFrom = (inputs: readonly string[], values: Values, environment: NodeJS.ProcessEnv): FlagsRead => {
  const target = targetOf(values)
  const formats = formatsOf(values)
  const list = listOf(values)
  const workers = workersOf(values)
  const report = reportOf(values)
  if (
    inputs.length === 0 ||
    isProblem(target) ||
    isProblem(formats) ||
    isProblem(list) ||
    isProblem(workers) ||
    isProblem(report)
  )
    return {
      kind: 'wrong',
      problems: [
        ...(inputs.length === 0 ? ['Name files, folders or globs to optimise.'] : []),
        ...[target, formats, workers, list, report].filter(isProblem).map(({ problem }) => problem),
      ],
    }
  const flags: OptimiseFlags = {
    inputs,
    target,
    formats,
    list,
    workers,
    report,
    watch: values['watch'] === true,
    quiet: values['quiet'] === true,
    exclude: texts(values, 'exclude'),
    cache: values['no-cache'] === true ? undefined : (text(values, 'cache-dir') ?? defaultCache(environment)),
  }
  return { kind: 'ok', flags }
}

/** Reads the arguments of `whittle optimise`. Reports every problem at once. */
export const readFlags = (argv: readonly string[], environment: NodeJS.ProcessEnv = {}): FlagsRead => {
  try {
    const parsed = parseArgs({ args: [...argv], options: PARSER_OPTIONS, allowPositionals: true, strict: true })
    const values = parsed.values as Values
    return values['help'] === true ? { kind: 'help' } : flagsFrom(parsed.positionals, values, environment)
  } catch (error) {
    return { kind: 'wrong', problems: [parseProblem(error)] }
  }
}
