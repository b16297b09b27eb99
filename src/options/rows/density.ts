import type { Density } from '../../core/units.ts'
import { because, type OptionRow, type Reading, read, wrong } from '../row.ts'
import { readWidthWithX } from './size.ts'

const EXPECTED = '1x, 2x or 3x'

/** The nearest allowed density. Of two equally near ones, the larger (§2.1). */
const nearest = (value: number): Density => (value < 1.5 ? 1 : value < 2.5 ? 2 : 3)

const readDensity = (digits: string, why: string | false = false): Reading => {
  const value = Number(digits)
  if (!(value > 0)) return wrong(EXPECTED)
  const density = nearest(value)
  return read(
    { kind: 'density', density },
    because(why, value !== density && `densities are ${EXPECTED}`, digits !== `${value}` && 'a density is one digit'),
  )
}

const NUMBER = String.raw`(\d+(?:\.\d*)?|\.\d+)`

export const densityRow: OptionRow = {
  name: 'density',
  form: '`1x`, `2x`, `3x`',
  default: '`1x`',
  help: 'The output is up to width x factor by height x factor device pixels. For 2x and 3x the quality target is lower and sharpness is adjusted: a dense screen hides artefacts.',
  key: { name: 'density', expected: EXPECTED },
  patterns: [
    {
      match: new RegExp(`^${NUMBER}x$`),
      read: ([, digits = '']) => {
        if (Number(digits) <= 9) return readDensity(digits)
        return /^\d+$/.test(digits) ? readWidthWithX(digits) : wrong(`${EXPECTED}, or a width such as 300`)
      },
    },
    { match: new RegExp(`^@${NUMBER}x$`), read: ([, digits = '']) => readDensity(digits, 'a density has no @') },
    {
      match: new RegExp(`^(?:multiply|density|dpr|dppx)=${NUMBER}x?$`),
      read: ([, digits = '']) => readDensity(digits, 'a density is written 2x'),
    },
    { match: /^(?:multiply|density|dpr|dppx)=/, read: () => wrong(EXPECTED) },
  ],
  words: { '1x': '1x', '2x': '2x', '3x': '3x', retina: '2x', hidpi: '2x', dpr: '2x', multiply: '2x', density: '2x' },
  samples: ['300x200,1x', '300x200,2x', '3x,300'],
  slightlyWrong: [
    { send: '300x200,2X', read: '300x200,2x', warnings: ['2X was read as 2x: options are written in lower case.'] },
    { send: '300x200,2.0x', read: '300x200,2x', warnings: ['2.0x was read as 2x: a density is one digit.'] },
    { send: '300x200,1.5x', read: '300x200,2x', warnings: ['1.5x was read as 2x: densities are 1x, 2x or 3x.'] },
    { send: '300x200,2.5x', read: '300x200,3x', warnings: ['2.5x was read as 3x: densities are 1x, 2x or 3x.'] },
    { send: '300x200,0.5x', read: '300x200', warnings: ['0.5x was read as 1x: densities are 1x, 2x or 3x.'] },
    { send: '300x200,4x', read: '300x200,3x', warnings: ['4x was read as 3x: densities are 1x, 2x or 3x.'] },
    { send: '300x200,9x', read: '300x200,3x', warnings: ['9x was read as 3x: densities are 1x, 2x or 3x.'] },
    { send: '300x200,@2x', read: '300x200,2x', warnings: ['@2x was read as 2x: a density has no @.'] },
    {
      send: '300x200,multiply=2x',
      read: '300x200,2x',
      warnings: ['multiply=2x was read as 2x: a density is written 2x.'],
    },
    { send: '300x200,dpr=2', read: '300x200,2x', warnings: ['dpr=2 was read as 2x: a density is written 2x.'] },
    {
      send: '300x200,density=3x',
      read: '300x200,3x',
      warnings: ['density=3x was read as 3x: a density is written 2x.'],
    },
    { send: '300x200,1x,2x', read: '300x200,2x', warnings: ['2x and 1x contradict each other: 2x was used.'] },
    { send: 'full,2x', read: 'full', warnings: ['2x had no effect without a size, as in 300x200.'] },
    {
      send: '2x',
      read: 'full',
      warnings: [
        '2x had no effect without a size, as in 300x200.',
        'There is no size and no full: read as full, no resizing.',
      ],
    },
  ],
  wrong: [
    { send: '300x200,0x', text: '"0x" is wrong: expected 1x, 2x or 3x.' },
    { send: '300x200,10.5x', text: '"10.5x" is wrong: expected 1x, 2x or 3x, or a width such as 300.' },
    { send: '300x200,dpr=x', text: '"dpr=x" is wrong: expected 1x, 2x or 3x.' },
    { send: '300x200,retina', text: '"retina" is not an option. Did you mean "2x"?' },
  ],
}
