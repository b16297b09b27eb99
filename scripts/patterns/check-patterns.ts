/**
 * Checks every regular expression of the sources with recheck, which models Node's engine. None may take more than linear time on its
 * worst text. `BOUNDED` lists the patterns that only meet short texts.
 *
 *   npm run check:patterns [file …]
 */
import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { resolve } from 'node:path'
import { argv, exit, stdout } from 'node:process'
import ts from 'typescript'

process.env['RECHECK_BACKEND'] ??= 'pure'
const { checkSync } = await import('recheck')

/** Patterns that may be slow on long texts, and why they never meet one. */
const BOUNDED: ReadonlyMap<string, string> = new Map(
  (
    [
      [/[;&|+\s/:_@]+|-(?=[a-z])/, 'the first 200 characters of the options'],
      [/\\+$/, 'the first 197 characters of a warning of ours'],
      [/\/+$/, 'settings'],
      [/<svg\s[^>]*>/, 'the first 16,384 bytes of an image'],
      [
        /(?:^|,) ?([!#$%&'*+.^_`|~\w-]+)(?: ?= ?(?:"((?:[^"\\]|\\.)*)"|([^\s,;"]*)))? ?(?=,|$)/g,
        'the first 4096 characters of Cache-Control',
      ],
    ] as const
  ).map(([pattern, why]) => [String(pattern), why]),
)

interface Found {
  readonly where: string
  readonly source: string
  readonly flags: string
}

interface FilePatterns {
  readonly path: string
  readonly patterns: readonly Found[]
  /** Places where a `RegExp` is made at run time. */
  readonly made: readonly string[]
}

const patternsIn = (path: string): FilePatterns => {
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
  const patterns: Found[] = []
  const made: string[] = []
  const whereOf = (node: ts.Node): string => `${path}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/')
      patterns.push({ where: whereOf(node), source: node.text.slice(1, end), flags: node.text.slice(end + 1) })
    }
    const makes = ts.isNewExpression(node) || ts.isCallExpression(node)
    if (makes && node.expression.getText() === 'RegExp') made.push(whereOf(node))
    node.forEachChild(visit)
  }
  visit(file)
  return { path, patterns, made }
}

/** Imports files and takes down every `RegExp` that is made meanwhile, by the place in the sources that made it. */
const recordMade = async (paths: readonly string[]): Promise<readonly Found[]> => {
  const found: Found[] = []
  const Native = RegExp
  globalThis.RegExp = new Proxy(Native, {
    construct: (target, [pattern, flags], made) => {
      const place = /src\/[^:\s]+\.ts:\d+/.exec(new Error().stack ?? '')?.[0]
      const regexp: RegExp = Reflect.construct(target, [pattern, flags], made === globalThis.RegExp ? target : made)
      if (place !== undefined) found.push({ where: place, source: regexp.source, flags: regexp.flags })
      return regexp
    },
  })
  for (const path of paths) await import(resolve(path))
  globalThis.RegExp = Native
  return found
}

const listSources = async (): Promise<readonly string[]> => {
  const found: string[] = []
  for await (const path of glob(['src/**/*.ts', 'packages/client/src/**/*.ts', 'scripts/action/*.ts'])) found.push(path)
  return found.toSorted()
}

const paths = argv.length > 2 ? argv.slice(2) : await listSources()
const files = paths.filter((path) => !path.endsWith('.test.ts')).map(patternsIn)
const recorded = await recordMade(files.filter(({ made }) => made.length > 0).map(({ path }) => path))
const problems = files
  .flatMap(({ made }) => made.filter((where) => !recorded.some((found) => found.where === where)))
  .map((where) => `${where}: a RegExp that is not made at import cannot be checked`)

const seen = new Map<string, Found>()
for (const found of [...files.flatMap(({ patterns }) => patterns), ...recorded])
  seen.set(`/${found.source}/${found.flags}`, found)
for (const [pattern, { where, source, flags }] of seen) {
  if (BOUNDED.has(pattern)) continue
  const told = checkSync(source, flags, { timeout: 60_000 })
  if (told.status === 'vulnerable')
    problems.push(`${where}: ${pattern} takes ${told.complexity.summary}, as on ${told.attack.pattern.slice(0, 200)}`)
  if (told.status === 'unknown') problems.push(`${where}: ${pattern} could not be looked at (${told.error.kind})`)
}
if (argv.length === 2)
  for (const pattern of BOUNDED.keys())
    if (!seen.has(pattern)) problems.push(`scripts/patterns/check-patterns.ts: nothing holds ${pattern} any more`)

for (const problem of problems) stdout.write(`${problem}\n`)
stdout.write(`${seen.size} patterns in ${files.length} files, ${BOUNDED.size} of them for short texts alone\n`)
exit(problems.length === 0 ? 0 : 1)
