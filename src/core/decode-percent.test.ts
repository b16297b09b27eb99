import { expect, it } from 'vitest'
import { decodePercent } from './decode-percent.ts'

it.each([
  ['a%20b%2Fc', 'a b/c'],
  ['%C3%A9', 'é'],
  ['100%', undefined],
  ['%zz', undefined],
  ['%ff', undefined],
])('decodes %s to %s', (text, decoded) => {
  expect(decodePercent(text)).toBe(decoded)
})
