import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const ROOT = resolve(import.meta.dirname, '../..')

/** A fenced block of a page. */
export interface Example {
  /** Path from the project's root. */
  readonly page: string
  /** Line of the fence, from 1. */
  readonly line: number
  readonly language: string
  readonly code: string
}

/** README, the client's, the pages of `docs/` and the guides: all whose examples are run. */
export const PAGES: readonly string[] = [
  'README.md',
  'packages/client/README.md',
  ...readdirSync(join(ROOT, 'docs'), { encoding: 'utf8' }).map((name) => `docs/${name}`),
  ...['docs/design', 'docs/guides'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  ),
].filter((path) => path.endsWith('.md'))

/** The fenced blocks of a page that name a language. */
export const examplesOf = (page: string): readonly Example[] => {
  const text = readFileSync(join(ROOT, page), 'utf8')
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map(({ index, 1: language = '', 2: code = '' }) => ({
    page,
    line: text.slice(0, index).split('\n').length,
    language,
    code,
  }))
}

/** Values of the names that all examples share. */
export interface World {
  /** Address of a service with the accounts `demo` and `shop`. */
  readonly service: string
  /** Address of a photograph on a web server. */
  readonly photo: string
  /** An empty directory to keep data in. */
  readonly data: string
}

/** The convention: what readers put their own in place of, and what a test puts there. */
const substitutions = ({ service, photo, data }: World): readonly (readonly [RegExp | string, string])[] => [
  ['http://127.0.0.1:8080', service],
  ['https://images.example.com', service],
  [/https:\/\/example\.com\/[\w./-]+/g, photo],
  [/(?<![\w.*@/-])example\.com/g, new URL(photo).host],
  ['/var/lib/whittle', data],
  // A service that listens to this machine alone, and ends when it has been seen to start.
  ['./whittle ', 'whittle '],
  [
    /^HOST=0\.0\.0\.0 (.*whittle serve)$/gm,
    'PORT=0 $1 > served & serving=$!; until grep -q listening served; do sleep 0.1; done; kill $serving; wait $serving',
  ],
  // The pages of manuals are read here without the reader's program.
  ['man -l -', 'cat'],
  ["'@whittle-images/whittle'", `'${ROOT}/src/library/whittle.ts'`],
  ["'@whittle-images/client'", `'${ROOT}/packages/client/src/client.ts'`],
  [/'\.\.\/(metric|plan)\//g, `'${ROOT}/src/$1/`],
  // A check finds the images of the test too large, and says so by its exit code.
  [/^(whittle optimise --check .*)$/gm, '{ $1; } && exit 9 || [ $? = 1 ]'],
]

/** An example as it is run. */
export const substituted = (code: string, world: World): string =>
  substitutions(world).reduce((text, [from, to]) => text.replaceAll(from, to), code)

const PHP = join(import.meta.dirname, 'php')

/** How each language is run: the file's name, and the command for it. */
const RUNNERS: Readonly<Record<string, readonly [name: string, ...command: string[]]>> = {
  sh: ['example.sh', 'bash', '-eo', 'pipefail'],
  js: ['example.ts', process.execPath],
  ts: ['example.ts', process.execPath],
  py: ['example.py', 'python3'],
  python: ['example.py', 'python3'],
  ruby: ['example.rb', 'ruby'],
  // With what WordPress would offer, and a use of what was set up.
  php: ['example.php', 'php', `-dauto_prepend_file=${PHP}/before.php`, `-dauto_append_file=${PHP}/after.php`],
}

export const isRunnable = ({ language }: Example): boolean => language in RUNNERS

/** Runs code in a directory; resolves with nothing, or with what went wrong. */
export const runExample = async (
  language: string,
  code: string,
  surroundings: { readonly directory: string; readonly env: NodeJS.ProcessEnv },
): Promise<string | undefined> => {
  const { problem } = await outputOf(language, code, surroundings)
  return problem
}

/** Runs code in a directory; resolves with what it printed, and with what went wrong. */
export const outputOf = (
  language: string,
  code: string,
  { directory, env }: { readonly directory: string; readonly env: NodeJS.ProcessEnv },
): Promise<{ readonly printed: string; readonly problem?: string }> => {
  const [name, program = '', ...args] = RUNNERS[language]!
  writeFileSync(join(directory, name), code)
  return new Promise((done) => {
    execFile(program, [...args, name], { cwd: directory, env, timeout: 110_000 }, (error, stdout, stderr) =>
      done({
        printed: stdout,
        ...(error === null ? {} : { problem: `${error.message}\n${stdout}\n${stderr}` }),
      }),
    )
  })
}
