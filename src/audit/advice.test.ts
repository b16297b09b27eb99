import { expect, it } from 'vitest'
import { bytesText } from './advice.ts'

it('writes bytes in decimal units with at least two digits', () => {
  expect([0, 999, 1000, 9_949, 12_345, 999_600, 1_500_000, 12_957_600_000].map(bytesText)).toEqual([
    '0 B',
    '999 B',
    '1.0 kB',
    '9.9 kB',
    '12 kB',
    '1.0 MB',
    '1.5 MB',
    '13 GB',
  ])
})
