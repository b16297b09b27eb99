import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkoutFiles } from '../../scripts/checkout-files.ts'
import { installLinesOf } from '../../scripts/install-lines.ts'
import { INSTALL_PAGES } from '../../scripts/write-docs.ts'
import { ROOT } from './examples.ts'

const LINES = [...new Set(INSTALL_PAGES.flatMap((path) => installLinesOf(readFileSync(join(ROOT, path), 'utf8'))))]
const isGlobal = (line: string): boolean => line.includes(' -g ')

let place: string
/** A copy of the checkout: packing rewrites package.json and dist/ for a while, and other tests read them. */
let checkout: string
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'whittle-install-'))
  checkout = join(place, 'whittle')
  for (const file of checkoutFiles(ROOT)) cpSync(join(ROOT, file), join(checkout, file), { verbatimSymlinks: true })
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'))
})
afterAll(() => rmSync(place, { recursive: true, force: true }))

/** Packing builds. A folder that is built already is packed as it is. */
const NPM = `npm() {
  if [ "$1" = pack ] && [ -d "\${2:-.}/dist" ]; then command npm "$@" --ignore-scripts; else command npm "$@"; fi
}
`

const run = (line: string, cwd: string): string =>
  execFileSync('bash', ['-ec', NPM + line], {
    cwd,
    encoding: 'utf8',
    env: {
      ...process.env,
      npm_config_prefix: join(place, 'global'),
      npm_config_audit: 'false',
      npm_config_fund: 'false',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }

describe('install lines of README, docs and adapter pages', () => {
  it.each(LINES.filter((line) => !isGlobal(line)))('work in a project next to the checkout: %s', (line) => {
    const project = join(place, line.replaceAll(/\W+/g, '-'))
    mkdirSync(project)
    writeFileSync(join(project, 'package.json'), '{"private":true,"type":"module"}')
    run(line, project)
    const name = `@whittle-images/${line.includes('images-client-') ? 'client' : 'whittle'}`
    expect(run(`node -e "import('${name}').then((it) => console.log(Object.keys(it).length > 0))"`, project)).toBe(
      'true\n',
    )
  }, 900_000)

  // Longest first: the line that packs makes the tarball that the others install.
  it.each(
    LINES.filter(isGlobal).toSorted((one, other) => other.length - one.length),
  )('work in the checkout, for the command: %s', (line) => {
    run(line, checkout)
    expect(run('"$npm_config_prefix/bin/whittle" --version', place)).toBe(`${version}\n`)
  }, 900_000)
})
