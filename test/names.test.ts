import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const SRC = join(import.meta.dirname, '../src')

const files = readdirSync(SRC, { recursive: true })
  .map(String)
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))

const DECLARATION =
  /^export (?:declare )?(?:async )?(?:const|let|function\*?|class|interface|type|enum|abstract class) ([A-Za-z_$][\w$]*)/gm

const namesIn = (text: string): string[] => [...text.matchAll(DECLARATION)].map(([, name]) => name!)

it('sees every form of exported declaration', () => {
  const text =
    'export const a = 1\nexport async function* b() {}\nexport interface C {}\nexport type D = 1\nconst e = 2\n'
  expect(namesIn(text.replace('async function*', 'function*'))).toEqual(['a', 'b', 'C', 'D'])
})

it('gives one meaning to each exported name: it is declared in one file alone', () => {
  const places = Map.groupBy(
    files.flatMap((file) => namesIn(readFileSync(join(SRC, file), 'utf8')).map((name) => ({ name, file }))),
    ({ name }) => name,
  )
  const shared = [...places].filter(([, each]) => new Set(each.map(({ file }) => file)).size > 1)
  expect(shared.map(([name, each]) => `${name}: ${each.map(({ file }) => file).join(', ')}`)).toEqual([])
  expect(places.size).toBeGreaterThan(300)
})

it('ships nothing that only tests use: each exported name is used by the program, or by what builds it', () => {
  const scripts = readdirSync(join(SRC, '../scripts'), { recursive: true })
    .map(String)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join('../scripts', file))
  const words = [...files, ...scripts].flatMap((file) => readFileSync(join(SRC, file), 'utf8').match(/[\w$]+/g) ?? [])
  const uses = new Map<string, number>()
  for (const word of words) uses.set(word, (uses.get(word) ?? 0) + 1)
  const entry = join('library', 'whittle.ts')
  const names = files
    .filter((file) => file !== entry)
    .flatMap((file) => namesIn(readFileSync(join(SRC, file), 'utf8')).map((name) => ({ name, file })))
  expect(names.filter(({ name }) => uses.get(name) === 1)).toEqual([])
})
