/**
 * Counts what a reader has to read twice in comments, test titles and documents: idioms, fragments, long sentences.
 * Each figure has a limit in `scripts/prose/limits.json`. A limit is lowered when the prose gets better, and never raised.
 *
 *   npm run check:prose [-- --list] [PATH …]
 *
 * `--list` prints every hit. A path prints the hits below it. Exit status 1: a figure is above its limit.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv, stdout } from 'node:process'
import { checkoutFiles } from './checkout-files.ts'
import { countProse, type FigureName } from './prose/count.ts'

const root = join(import.meta.dirname, '..')
const limits: Record<FigureName, number> = JSON.parse(readFileSync(join(root, 'scripts/prose/limits.json'), 'utf8'))

/** Texts of others, records of commands, and the list of patterns itself. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  ['scripts/prose/rules.ts', 'holds the patterns'],
  ['test/prose.test.ts', 'holds examples of the patterns'],
])

const isExcepted = (path: string): boolean => EXCEPTIONS.has(path) || path.startsWith('lab/')

const files = checkoutFiles(root, '*.ts', '*.md')
  .filter((path) => !isExcepted(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

const { figures, hits } = countProse(files)
const paths = argv.slice(2).filter((word) => !word.startsWith('-'))
if (argv.includes('--list') || paths.length > 0)
  for (const { path, line, rule, text } of hits)
    if (paths.length === 0 || paths.some((start) => path.startsWith(start)))
      stdout.write(`${path}${line > 0 ? `:${line}` : ''}  [${rule}] ${text}\n`)

const names = Object.keys(limits) as FigureName[]
const above = names.filter((name) => figures[name] > limits[name])
for (const name of names)
  stdout.write(
    `${figures[name].toFixed(2).padStart(8)}  limit ${limits[name].toFixed(2).padStart(7)}  ${name}${above.includes(name) ? '  ABOVE' : ''}\n`,
  )
if (above.length > 0) {
  stdout.write(
    '\nnpm run check:prose -- --list prints every hit. docs/glossary.md and CONTRIBUTING.md say how to write.\n',
  )
  process.exitCode = 1
}
