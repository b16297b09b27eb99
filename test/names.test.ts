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
