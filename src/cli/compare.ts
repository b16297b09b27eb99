import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { type Comparison, compare } from '../library/compare.ts'
import { identify } from '../source/identify.ts'
import { exists } from '../support/exists.ts'
import { isFolder } from '../support/is-folder.ts'
import type { Terminal } from './optimise/reporter.ts'
import { showName } from './optimise/show-name.ts'
import { writeAtomically } from './optimise/write-result.ts'
import { sayError } from './say-error.ts'

/** Flags of `whittle compare`. */
export const COMPARE_FLAGS = {
  difference: { value: 'FILE', help: 'write the absolute differences, eightfold, into this PNG file' },
  tiles: { help: 'print the score of every tile of about 256 x 256 px' },
  report: { value: 'text|json', help: 'form of the comparison; text unless given' },
  help: { help: 'show this help' },
} as const

const USAGE = `Usage: whittle compare <reference> <candidate> [--difference FILE] [--tiles] [--report json]

Scores how like two images of the same size are, by SSIMULACRA 2.1 (100 is identical) and Butteraugli (0 is identical).
`

const say = ({ width, height, score, worst, butteraugli, butteraugliMax }: Comparison): string =>
  `${width}x${height} px
SSIMULACRA 2.1   ${score.toFixed(2)} (worst tile ${worst.toFixed(2)})
Butteraugli      ${butteraugli.toFixed(3)} (3-norm; largest ${butteraugliMax.toFixed(3)})
`

const sayTiles = ({ tiles }: Comparison): string =>
  tiles
    .toSorted((one, other) => one.score - other.score)
    .map(
      ({ left, top, width, height, score }) =>
        `${score.toFixed(1).padStart(7)}  ${width}x${height} at ${left},${top}\n`,
    )
    .join('')

const read = (argv: readonly string[]) =>
  parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      difference: { type: 'string' },
      tiles: { type: 'boolean' },
      report: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })

/** The reason why a file cannot be compared. undefined for an image. */
const problemWith = async (path: string): Promise<string | undefined> => {
  try {
    await access(path, constants.R_OK)
  } catch {
    return 'There is no such file, or it may not be read.'
  }
  return identify(path).then(() => undefined, sayError)
}

/** The reason why a path cannot become the difference. undefined for a new name or a file. */
const problemWithOutput = async (path: string): Promise<string | undefined> => {
  if (!(await isFolder(dirname(path)))) return 'There is no such folder.'
  const found = await stat(path).catch(() => undefined)
  return found === undefined || found.isFile() ? undefined : 'Only a file can be replaced.'
}

/** Writes the difference, with the permissions of the file that it replaces. Returns the reason where it fails. */
const saveDifference = async (path: string, { difference }: Comparison): Promise<string | undefined> => {
  const like = (await exists(path)) ? path : undefined
  return writeAtomically(path, difference, like).then(() => undefined, sayError)
}

/** The command `whittle compare`. Resolves with the exit code. */
export const compareCommand = async (argv: readonly string[], { stdout, stderr }: Terminal): Promise<number> => {
  let parsed: ReturnType<typeof read>
  try {
    parsed = read(argv)
  } catch (error) {
    stderr.write(`whittle: ${(error as Error).message}\n${USAGE}`)
    return 2
  }
  const { values, positionals } = parsed
  const [reference, candidate] = positionals
  if (values.help === true) {
    stdout.write(USAGE)
    return 0
  }
  if (reference === undefined || candidate === undefined || positionals.length > 2) {
    stderr.write(USAGE)
    return 2
  }
  if (values.report !== undefined && values.report !== 'text' && values.report !== 'json') {
    stderr.write(`whittle: --report ${values.report} is wrong: expected text or json.\n`)
    return 2
  }
  const refuse = (path: string, problem: string): number => {
    stderr.write(`whittle: ${showName(path)}: ${problem}\n`)
    return 1
  }
  const { difference: output } = values
  const refused = output === undefined ? undefined : await problemWithOutput(output)
  if (output !== undefined && refused !== undefined) return refuse(output, refused)
  for (const path of [reference, candidate]) {
    const problem = await problemWith(path)
    if (problem !== undefined) return refuse(path, problem)
  }
  try {
    const comparison = await compare(reference, candidate)
    const { difference: _difference, ...figures } = comparison
    if (values.report === 'json') stdout.write(`${JSON.stringify(figures, undefined, 2)}\n`)
    else stdout.write(say(comparison) + (values.tiles === true ? sayTiles(comparison) : ''))
    const problem = output === undefined ? undefined : await saveDifference(output, comparison)
    return output === undefined || problem === undefined ? 0 : refuse(output, problem)
  } catch (error) {
    stderr.write(`whittle: ${sayError(error)}\n`)
    return 1
  }
}
