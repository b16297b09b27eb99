import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ATTACKS } from './attacks.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/security.md'), 'utf8')

it.each(ATTACKS.map(({ name }) => name))('docs/security.md says what the class %s tries', (name) =>
  expect(PAGE).toContain(`\n| \`${name}\` | `))
