import type { Gamut } from '../../core/image.ts'
import { because, type OptionRow, type Reading, read } from '../row.ts'

const EXPECTED = 'gamut=p3, or gamut=srgb'

const OTHER_NAMES: Readonly<Record<string, Gamut>> = {
  'display-p3': 'p3',
  displayp3: 'p3',
  wide: 'p3',
}
const MISNOMERS = Object.keys(OTHER_NAMES).join('|')

const readGamut = (name: string, why: string | false = false): Reading => {
  const gamut = OTHER_NAMES[name] ?? (name as Gamut)
  return read({ kind: 'gamut', gamut }, because(why, gamut !== name && `this gamut is called ${gamut}`))
}

export const gamutRow: OptionRow = {
  name: 'gamut=p3',
  form: '`p3`, `srgb`',
  default: '`srgb`',
  help: 'Keeps colours of a source that are wider than sRGB, as Display P3: in JPEG, PNG, WebP and AVIF that do not move. All other images are sRGB.',
  key: { name: 'gamut', expected: EXPECTED },
  aliases: ['color-gamut', 'colour-gamut', 'colorspace', 'color-space', 'colourspace', 'colour-space'],
  patterns: [
    { match: /^gamut=(p3|srgb)$/, read: ([, name = '']) => readGamut(name) },
    { match: new RegExp(`^gamut=(${MISNOMERS})$`), read: ([, name = '']) => readGamut(name) },
    {
      match: /^(p3|srgb|display-p3|displayp3)$/,
      read: ([, name = '']) => readGamut(name, 'a gamut is written with gamut='),
    },
  ],
  words: { gamut: 'gamut=p3', 'gamut=p3': 'gamut=p3', 'gamut=srgb': 'gamut=srgb', 'gamut=rec2020': 'gamut=p3' },
  samples: ['full,gamut=p3', '300x200,crop,format=avif,gamut=p3', 'full,gamut=srgb'],
  slightlyWrong: [
    {
      send: 'full,gamut=display-p3',
      read: 'full,gamut=p3',
      warnings: ['gamut=display-p3 was read as gamut=p3: this gamut is called p3.'],
    },
    {
      send: 'full,gamut=P3',
      read: 'full,gamut=p3',
      warnings: ['gamut=P3 was read as gamut=p3: options are written in lower case.'],
    },
    {
      send: 'full,p3',
      read: 'full,gamut=p3',
      warnings: ['p3 was read as gamut=p3: a gamut is written with gamut=.'],
    },
    {
      send: 'full,colorspace=srgb',
      read: 'full',
      warnings: ['colorspace=srgb was read as gamut=srgb: the option is called gamut.'],
    },
    {
      send: 'full,gamut=srgb,gamut=p3',
      read: 'full,gamut=p3',
      warnings: ['gamut=p3 and gamut=srgb contradict each other: gamut=p3 was used.'],
    },
  ],
  wrong: [
    {
      send: 'full,gamut=adobe',
      text: '"gamut=adobe" is wrong: expected gamut=p3, or gamut=srgb.',
    },
    { send: 'full,gamt=p3', text: '"gamt=p3" is not an option. Did you mean "gamut=p3"?' },
  ],
}
