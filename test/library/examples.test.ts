import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')
const PHOTO = join(ROOT, 'test/fixtures/jpeg/kodim23-190x158.png')
const LIBRARY = pathToFileURL(join(ROOT, 'src/library/whittle.ts')).href

/** Blocks of code in a page, by language. */
const blocks = (page: string, language: string): string[] =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(
    ([, code]) => code!,
  )

let place: string
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'whittle-examples-'))
  for (const name of ['photo.png', 'a.png', 'b.png', 'source.png']) copyFileSync(PHOTO, join(place, name))
  for (const folder of ['photos', 'public/deep']) mkdirSync(join(place, folder), { recursive: true })
  for (const name of ['photos/a.png', 'public/deep/b.png']) copyFileSync(PHOTO, join(place, name))
  mkdirSync(join(place, 'bin'))
  writeFileSync(
    join(place, 'bin/whittle'),
    `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, 'src/cli/main.ts')}' "$@"\n`,
    { mode: 0o755 },
  )
})
afterAll(() => rmSync(place, { recursive: true }))

describe('examples of the documents run', () => {
  it.each(blocks('docs/library.md', 'js').map((code, at) => [at, code] as const))('library.md, %i', (at, code) => {
    const file = join(place, `example-${at}.ts`)
    writeFileSync(file, code.replaceAll("'@whittle-images/whittle'", `'${LIBRARY}'`))
    expect(execFileSync(process.execPath, [file], { cwd: place, encoding: 'utf8' })).toMatch(/\d/)
  })

  it('files.md', () => {
    const [optimise, tools] = blocks('docs/files.md', 'sh').map((block) => block.trim().split('\n'))
    const lines = [
      ...optimise!,
      'cp web/a.jpg full.jpg',
      'whittle optimise --out . --no-cache source.png',
      'mv source.jpg result.jpg',
      ...tools!.filter((line) => !line.includes('man -l')),
    ]
    const run = (line: string): number => {
      try {
        execFileSync('bash', ['-c', line], {
          cwd: place,
          env: {
            ...process.env,
            PATH: `${join(place, 'bin')}:${process.env['PATH']}`,
            XDG_CACHE_HOME: join(place, 'cache'),
          },
        })
        return 0
      } catch (error) {
        return (error as { status: number }).status
      }
    }
    // What was made smaller in place two lines before could not be 10 % smaller again.
    expect(lines.map((line) => [line, run(line)])).toEqual(
      lines.map((line) => [line, line.includes('--check') ? 1 : 0]),
    )
  }, 120_000)
})
