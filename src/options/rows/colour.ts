import type { Rgb } from '../../core/image.ts'
import { because, type OptionRow, type Reading, read, wrong } from '../row.ts'

const EXPECTED = '3 or 6 hex digits, as in bgcolor=FFF, or bgcolor=transparent'

const NAMED: Readonly<Record<string, string>> = {
  black: '000',
  white: 'fff',
  red: 'f00',
  green: '008000',
  blue: '00f',
  yellow: 'ff0',
  gray: '808080',
  grey: '808080',
}

const toRgb = (hex: string): Rgb => {
  const long = hex.length === 3 ? hex.replaceAll(/./g, '$&$&') : hex
  const value = Number.parseInt(long, 16)
  return { r: value >> 16, g: (value >> 8) & 255, b: value & 255 }
}

const readColour = (hex: string, ...whys: readonly (string | false)[]): Reading =>
  read({ kind: 'background', colour: toRgb(hex) }, because(...whys))

/** Reads 4 or 8 hex digits. The alpha must be fully transparent or fully opaque. */
const readWithAlpha = (hex: string): Reading => {
  const length = hex.length / 4
  const alpha = hex.slice(3 * length)
  if (/^0+$/.test(alpha)) return read({ kind: 'background', colour: 'transparent' }, 'a colour has no alpha')
  return /^f+$/.test(alpha) ? readColour(hex.slice(0, 3 * length), 'a colour has no alpha') : wrong(EXPECTED)
}

export const bgcolorRow: OptionRow = {
  name: 'bgcolor=<RGB>',
  form: '3 or 6 hex digits without `#`, or `transparent`',
  default: '`FFF`',
  help: 'Colour of padding, and what transparency is flattened onto when the output has none.',
  key: { name: 'bgcolor', expected: EXPECTED },
  aliases: ['bgcolour', 'bg', 'background', 'background-color', 'backgroundcolor'],
  patterns: [
    {
      match: /^bgcolor=(#|0x)?([\da-f]{3}|[\da-f]{6})$/,
      read: ([, sign, hex = '']) => readColour(hex, sign !== '' && `a colour is written without ${sign}`),
    },
    { match: /^bgcolor=#?([\da-f]{4}|[\da-f]{8})$/, read: ([, hex = '']) => readWithAlpha(hex) },
    { match: /^bgcolor=transparent$/, read: () => read({ kind: 'background', colour: 'transparent' }) },
    {
      match: new RegExp(`^bgcolor=(${Object.keys(NAMED).join('|')})$`),
      read: ([, name = '']) => readColour(NAMED[name] ?? '', 'colours are hex digits'),
    },
    {
      match: /^#([\da-f]{3}|[\da-f]{6})$/,
      read: ([, hex = '']) => readColour(hex, 'a colour is written with bgcolor='),
    },
    // Without a letter, three or six digits are a width.
    {
      match: /^(?=[\d]*[a-f])([\da-f]{3}|[\da-f]{6})$/,
      read: ([, hex = '']) => readColour(hex, 'a colour is written with bgcolor='),
    },
    {
      match: /^transparent$/,
      read: () => read({ kind: 'background', colour: 'transparent' }, 'a colour is written with bgcolor='),
    },
  ],
  words: {
    bgcolor: 'bgcolor=FFF',
    background: 'bgcolor=FFF',
    transparent: 'bgcolor=transparent',
    'bgcolor=transparent': 'bgcolor=transparent',
    'bgcolor=none': 'bgcolor=transparent',
    white: 'bgcolor=FFF',
    black: 'bgcolor=000',
  },
  samples: ['300x200,pad,bgcolor=F0C', 'full,bgcolor=00ff7f', '300x200,pad,bgcolor=transparent'],
  slightlyWrong: [
    {
      send: 'full,bgcolor=%23F00',
      read: 'full,bgcolor=F00',
      warnings: ['bgcolor=%23F00 was read as bgcolor=F00: a colour is written without #.'],
    },
    {
      send: 'full,bgcolor=0xFF0000',
      read: 'full,bgcolor=F00',
      warnings: ['bgcolor=0xFF0000 was read as bgcolor=F00: a colour is written without 0x.'],
    },
    {
      send: 'full,f00',
      read: 'full,bgcolor=F00',
      warnings: ['f00 was read as bgcolor=F00: a colour is written with bgcolor=.'],
    },
    {
      send: 'full,FF8000',
      read: 'full,bgcolor=FF8000',
      warnings: ['FF8000 was read as bgcolor=FF8000: a colour is written with bgcolor=.'],
    },
    {
      send: 'full,%23333',
      read: 'full,bgcolor=333',
      warnings: ['%23333 was read as bgcolor=333: a colour is written with bgcolor=.'],
    },
    {
      send: 'full,BGCOLOR=f00',
      read: 'full,bgcolor=F00',
      warnings: ['BGCOLOR=f00 was read as bgcolor=F00: options are written in lower case.'],
    },
    {
      send: 'full,bg=f00',
      read: 'full,bgcolor=F00',
      warnings: ['bg=f00 was read as bgcolor=F00: the option is called bgcolor.'],
    },
    {
      send: 'full,background=f00',
      read: 'full,bgcolor=F00',
      warnings: ['background=f00 was read as bgcolor=F00: the option is called bgcolor.'],
    },
    {
      send: 'full,bgcolor=black',
      read: 'full,bgcolor=000',
      warnings: ['bgcolor=black was read as bgcolor=000: colours are hex digits.'],
    },
    {
      send: 'full,transparent',
      read: 'full,bgcolor=transparent',
      warnings: ['transparent was read as bgcolor=transparent: a colour is written with bgcolor=.'],
    },
    {
      send: 'full,bgcolor=FF0000FF',
      read: 'full,bgcolor=F00',
      warnings: ['bgcolor=FF0000FF was read as bgcolor=F00: a colour has no alpha.'],
    },
    {
      send: 'full,bgcolor=FF000000',
      read: 'full,bgcolor=transparent',
      warnings: ['bgcolor=FF000000 was read as bgcolor=transparent: a colour has no alpha.'],
    },
    {
      send: 'full,bgcolor=000,bgcolor=F00',
      read: 'full,bgcolor=F00',
      warnings: ['bgcolor=F00 and bgcolor=000 contradict each other: bgcolor=F00 was used.'],
    },
  ],
  wrong: [
    {
      send: 'full,bgcolor=GGG',
      text: '"bgcolor=GGG" is wrong: expected 3 or 6 hex digits, as in bgcolor=FFF, or bgcolor=transparent.',
    },
    {
      send: 'full,bgcolor=12345',
      text: '"bgcolor=12345" is wrong: expected 3 or 6 hex digits, as in bgcolor=FFF, or bgcolor=transparent.',
    },
    {
      send: 'full,bgcolor=F008',
      text: '"bgcolor=F008" is wrong: expected 3 or 6 hex digits, as in bgcolor=FFF, or bgcolor=transparent.',
    },
    {
      send: 'full,bgcolor=none',
      text: '"bgcolor=none" is wrong: expected 3 or 6 hex digits, as in bgcolor=FFF, or bgcolor=transparent. Did you mean "bgcolor=transparent"?',
    },
    { send: 'full,bgcolr=FFF', text: '"bgcolr=FFF" is not an option. Did you mean "bgcolor=fff"?' },
  ],
}
