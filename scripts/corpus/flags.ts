import { parseArgs } from 'node:util'

/** Option lists that test most of the contract: untouched size, shrinking, cropping by content, padding after trimming, and no loss. */
const OPTION_LISTS = [
  'full',
  '300x200',
  '150x150,crop=auto,2x',
  '200x200,pad,bgcolor=transparent,trim=border,format=webp',
  'full,quality=lossless',
]

export const USAGE = `Sends every file of a directory through the running service and judges every answer.

Usage: npm run check:corpus -- DIRECTORY [flags]

  --filter TEXT       only files whose path holds TEXT
  --options LIST      option list to send, repeatable; default: ${OPTION_LISTS.join('  ')}
  --concurrency N     requests at once (2)
  --passes N          only bad/: N times over, a normal request after each file, and the memory after each pass
  --timing LIMIT_S    seconds after which an answer that has not begun is a hang (26)
  --entry FILE        file of the command that is started instead of src/cli/main.ts, such as dist/cli/main.js
  --json FILE         write every outcome to FILE
  --update            write the statuses seen into test/corpus-expected.tsv (those of files not sent are kept)
  --help

Exit code: 0 when all is as it must be, 1 otherwise, 2 for wrong usage.
`

/** Settings from the command line. */
export interface Flags {
  readonly directory: string
  readonly filter: string
  readonly optionLists: readonly string[]
  readonly concurrency: number
  readonly passes: number
  readonly hangMs: number
  readonly entry: string | undefined
  readonly json: string | undefined
  readonly update: boolean
}

const number = (name: string, text: string, least: number): number => {
  const value = Number(text)
  if (!Number.isFinite(value) || value < least) throw new Error(`--${name} must be a number of at least ${least}.`)
  return value
}

/** Reads the command line; undefined when help is asked for. Throws an Error with a sentence on wrong usage. */
export const readFlags = (argv: readonly string[]): Flags | undefined => {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      filter: { type: 'string', default: '' },
      options: { type: 'string', multiple: true, default: OPTION_LISTS },
      concurrency: { type: 'string', default: '2' },
      passes: { type: 'string', default: '0' },
      timing: { type: 'string', default: '26' },
      entry: { type: 'string' },
      json: { type: 'string' },
      update: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  const [directory, ...more] = positionals
  if (directory === undefined || more.length > 0) throw new Error('Give exactly one directory.')
  return {
    directory,
    filter: values.filter,
    optionLists: values.options,
    concurrency: number('concurrency', values.concurrency, 1),
    passes: number('passes', values.passes, 0),
    hangMs: number('timing', values.timing, 1) * 1000,
    entry: values.entry,
    json: values.json,
    update: values.update,
  }
}
