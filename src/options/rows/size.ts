import { MAX_CSS_PX } from '../options.ts'
import { because, type Claim, type OptionRow, type Reading, read, wrong } from '../row.ts'

const EXPECTED = 'whole numbers of at least 1, as in 300x200, or 300 for a width alone'
const ONE_SIDE = 'a width alone is written as in 300'
const HEIGHT_ALONE = 'a height alone is better written with a width, as in 300x200'

/** Digits, with a fraction of zeros and a unit, both superfluous. */
const SIDE = String.raw`(\d+)(\.0+)?(px)?`

type Sides = { readonly [Side in 'width' | 'height']?: readonly string[] }

const clamp = (digits: string): number => Math.min(Number(digits), MAX_CSS_PX)

const spellings = ([digits = '', fraction = '', unit = '']: readonly string[]): (string | false)[] => [
  unit !== '' && 'sizes take no unit',
  fraction !== '' && 'sides are whole numbers',
  digits.startsWith('0') && 'zeros in front are superfluous',
  Number(digits) > MAX_CSS_PX && `sides are at most ${MAX_CSS_PX}`,
]

/** Reads one or two sides, each as the groups of {@link SIDE}. */
const readSides = ({ width, height }: Sides, why: string | false = false): Reading => {
  const given = [width, height].filter((side) => side !== undefined)
  if (given.some(([digits]) => Number(digits) === 0)) return wrong(EXPECTED)
  const claim: Claim = {
    kind: 'size',
    ...(width && { width: clamp(width[0] ?? '') }),
    ...(height && { height: clamp(height[0] ?? '') }),
  }
  return read(claim, because(...new Set([...given.flatMap(spellings), why])))
}

/** Reads `<n>x` with n above 9 (§2.2), which is a width and no density. */
export const readWidthWithX = (digits: string): Reading => readSides({ width: [digits] }, ONE_SIDE)

export const fullRow: OptionRow = {
  name: 'full',
  form: 'keyword',
  default: 'none',
  help: 'No resizing.',
  key: { name: 'full', expected: 'full alone' },
  patterns: [
    { match: /^full$/, read: () => read({ kind: 'full' }) },
    { match: /^full=true$/, read: () => read({ kind: 'full' }, 'keywords take no value') },
  ],
  words: { full: 'full', original: 'full', 'full-size': 'full' },
  samples: ['full', 'full,quality=low'],
  slightlyWrong: [
    { send: 'FULL', read: 'full', warnings: ['FULL was read as full: options are written in lower case.'] },
    { send: 'full=true', read: 'full', warnings: ['full=true was read as full: keywords take no value.'] },
    { send: 'full,300x200', read: '300x200', warnings: ['full was ignored: 300x200 asks for a size.'] },
    { send: 'full,full', read: 'full', warnings: ['Given more than once: full.'] },
    {
      send: 'quality=low',
      read: 'full,quality=low',
      warnings: ['There is no size and no full: read as full, no resizing.'],
    },
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
    { send: 'ful', text: '"ful" is not an option. Did you mean "full"?' },
    { send: 'full=1', text: '"full=1" is wrong: expected full alone.' },
    { send: 'original', text: '"original" is not an option. Did you mean "full"?' },
  ],
}

export const sizeRow: OptionRow = {
  name: 'size',
  form: '`<width>x<height>`, integers',
  default: 'none',
  help: 'Maximum width and height in CSS pixels. The aspect ratio is always kept.',
  patterns: [
    {
      match: new RegExp(`^${SIDE}x${SIDE}$`),
      read: (groups) => readSides({ width: groups.slice(1, 4), height: groups.slice(4, 7) }),
    },
    {
      match: new RegExp(`^(?:size|resize|dimensions)=${SIDE}x${SIDE}$`),
      read: (groups) =>
        readSides({ width: groups.slice(1, 4), height: groups.slice(4, 7) }, 'a size is written 300x200'),
    },
  ],
  words: { size: '300x200' },
  samples: ['300x200', '1x1', '10000x10000'],
  slightlyWrong: [
    { send: '300X200', read: '300x200', warnings: ['300X200 was read as 300x200: options are written in lower case.'] },
    { send: '300pxx200px', read: '300x200', warnings: ['300pxx200px was read as 300x200: sizes take no unit.'] },
    { send: '300x200px', read: '300x200', warnings: ['300x200px was read as 300x200: sizes take no unit.'] },
    { send: '20000x100', read: '10000x100', warnings: ['20000x100 was read as 10000x100: sides are at most 10000.'] },
    {
      send: '99999999999999999999x1',
      read: '10000x1',
      warnings: ['99999999999999999999x1 was read as 10000x1: sides are at most 10000.'],
    },
    { send: '300.0x200', read: '300x200', warnings: ['300.0x200 was read as 300x200: sides are whole numbers.'] },
    { send: '0300x200', read: '300x200', warnings: ['0300x200 was read as 300x200: zeros in front are superfluous.'] },
    { send: '300*200', read: '300x200', warnings: ['300*200 was read as 300x200: sides are joined by an x.'] },
    {
      send: '300%C3%97200',
      read: '300x200',
      warnings: ['300%C3%97200 was read as 300x200: sides are joined by an x.'],
    },
    {
      send: '300%20x%20200',
      read: '300x200',
      warnings: ['300%20x%20200 was read as 300x200: options hold no spaces.'],
    },
    {
      send: 'size=300x200',
      read: '300x200',
      warnings: ['size=300x200 was read as 300x200: a size is written 300x200.'],
    },
    {
      send: '300x200,400x100',
      read: '300x200',
      warnings: ['300x200 and 400x100 contradict each other: 300x200 was used.'],
    },
    { send: '300x200,100', read: '300x200', warnings: ['300x200 and 100 contradict each other: 300x200 was used.'] },
  ],
  wrong: [
    {
      send: '0x200',
      text: '"0x200" is wrong: expected whole numbers of at least 1, as in 300x200, or 300 for a width alone.',
    },
    {
      send: '300x0',
      text: '"300x0" is wrong: expected whole numbers of at least 1, as in 300x200, or 300 for a width alone.',
    },
    {
      send: '-300x200',
      text: '"-300x200" is wrong: expected whole numbers of at least 1, as in 300x200, or 300 for a width alone.',
    },
    {
      send: '300.5x200',
      text: '"300.5x200" is wrong: expected whole numbers of at least 1, as in 300x200, or 300 for a width alone.',
    },
    {
      send: '300x200x2',
      text: '"300x200x2" is wrong: expected whole numbers of at least 1, as in 300x200, or 300 for a width alone.',
    },
    { send: '300x200@2x', text: '"300x200@2x" is wrong: options are separated by commas. Did you mean "300x200,2x"?' },
  ],
}

export const widthRow: OptionRow = {
  name: 'width only',
  form: '`<width>`, integer',
  default: 'none',
  help: 'Maximum width in CSS pixels; the height follows.',
  patterns: [
    { match: new RegExp(`^${SIDE}$`), read: (groups) => readSides({ width: groups.slice(1, 4) }) },
    {
      match: new RegExp(`^(?:width|w|size)=${SIDE}$`),
      read: (groups) => readSides({ width: groups.slice(1, 4) }, ONE_SIDE),
    },
    {
      match: new RegExp(`^${SIDE}xauto$`),
      read: (groups) => readSides({ width: groups.slice(1, 4) }, ONE_SIDE),
    },
    // A unit rules out a density. The density row reads `<n>x` without a unit.
    { match: /^(\d+)()(px)x$/, read: (groups) => readSides({ width: groups.slice(1, 4) }, ONE_SIDE) },
    {
      match: new RegExp(`^(?:auto)?x${SIDE}$`),
      read: (groups) => readSides({ height: groups.slice(1, 4) }, HEIGHT_ALONE),
    },
    {
      match: new RegExp(`^(?:height|h)=${SIDE}$`),
      read: (groups) => readSides({ height: groups.slice(1, 4) }, HEIGHT_ALONE),
    },
  ],
  words: { width: '300', height: '300x200' },
  samples: ['300', '10000'],
  slightlyWrong: [
    { send: '300px', read: '300', warnings: ['300px was read as 300: sizes take no unit.'] },
    { send: '1000x', read: '1000', warnings: ['1000x was read as 1000: a width alone is written as in 300.'] },
    { send: '10x', read: '10', warnings: ['10x was read as 10: a width alone is written as in 300.'] },
    {
      send: '300pxx',
      read: '300',
      warnings: ['300pxx was read as 300: sizes take no unit; a width alone is written as in 300.'],
    },
    { send: '20000', read: '10000', warnings: ['20000 was read as 10000: sides are at most 10000.'] },
    { send: 'width=300', read: '300', warnings: ['width=300 was read as 300: a width alone is written as in 300.'] },
    { send: 'w=300', read: '300', warnings: ['w=300 was read as 300: a width alone is written as in 300.'] },
    { send: '300xauto', read: '300', warnings: ['300xauto was read as 300: a width alone is written as in 300.'] },
    {
      send: 'x200',
      read: 'x200',
      warnings: [
        'x200 was read as a maximum height of 200: a height alone is better written with a width, as in 300x200.',
      ],
    },
    {
      send: 'autox200',
      read: 'x200',
      warnings: [
        'autox200 was read as a maximum height of 200: a height alone is better written with a width, as in 300x200.',
      ],
    },
    {
      send: 'height=200',
      read: 'x200',
      warnings: [
        'height=200 was read as a maximum height of 200: a height alone is better written with a width, as in 300x200.',
      ],
    },
    {
      send: 'h=200',
      read: 'x200',
      warnings: [
        'h=200 was read as a maximum height of 200: a height alone is better written with a width, as in 300x200.',
      ],
    },
    {
      send: '300,x200',
      read: '300x200',
      warnings: [
        '300 and x200 were read together as 300x200.',
        'x200 was read as a maximum height of 200: a height alone is better written with a width, as in 300x200.',
      ],
    },
    {
      send: 'width=300,height=200',
      read: '300x200',
      warnings: [
        '300 and x200 were read together as 300x200.',
        'height=200 was read as a maximum height of 200: a height alone is better written with a width, as in 300x200.',
        'width=300 was read as 300: a width alone is written as in 300.',
      ],
    },
    { send: '300,200', read: '300', warnings: ['300 and 200 contradict each other: 300 was used.'] },
  ],
  wrong: [
    { send: '0', text: '"0" is wrong: expected whole numbers of at least 1, as in 300x200, or 300 for a width alone.' },
    {
      send: '-300',
      text: '"-300" is wrong: expected whole numbers of at least 1, as in 300x200, or 300 for a width alone.',
    },
    {
      send: '12.5',
      text: '"12.5" is wrong: expected whole numbers of at least 1, as in 300x200, or 300 for a width alone.',
    },
    {
      send: '1e30',
      text: '"1e30" is wrong: expected whole numbers of at least 1, as in 300x200, or 300 for a width alone.',
    },
    {
      send: 'width=abc',
      text: '"width=abc" is wrong: expected whole numbers of at least 1, as in 300x200, or 300 for a width alone.',
    },
    {
      send: '0.25',
      text: '"0.25" is wrong: expected whole numbers of at least 1, as in 300x200, or 300 for a width alone; a focal point is written crop=0.5x0.25.',
    },
  ],
}

/** Looks like a size, though none of the table's forms: zero, negative or fractional sides, superfluous parts (§2.3). */
export const expectedOfSize = (text: string): string | undefined => {
  if (/^(?:width|w|height|h|size)=/.test(text)) return EXPECTED
  if (/^0?\.\d+$/.test(text)) return `${EXPECTED}; a focal point is written crop=0.5x0.25`
  return /^[-+.\d][-+.\depx@*]*$/.test(text) && /\d/.test(text) ? EXPECTED : undefined
}
