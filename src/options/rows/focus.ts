import { EDGES, type Edge } from '../options.ts'
import { because, type OptionRow, type Pattern, type Reading, read, wrong } from '../row.ts'

const EXPECTED = 'a focal point as two fractions from 0 to 1, as in crop=0.5x0.25'
const WRITTEN = 'a focal point is written crop=<x>x<y>'

const NUMBER = String.raw`(?:\d+(?:\.\d*)?|\.\d+)`
const COORDINATE = `(${NUMBER}%?)`
/** A bare fraction from 0 to 1, as clients of the ImageOptim API send it. Larger whole numbers are sides. */
const BARE_FRACTION = String.raw`([01]?\.\d+|[01])`

/** Rounds to 1/10000, which is less than a pixel of the largest image. */
const round = (fraction: number): number => Math.round(fraction * 1e4) / 1e4

/**
 * Fractions from bare numbers, or from percentages when one of them is too large for a fraction. undefined when that is ambiguous: 1.2
 * is neither, and 0.5 next to 25 may be either.
 */
const toFractions = (texts: readonly string[]): readonly number[] | undefined => {
  const bare = texts.filter((text) => text !== '' && !text.endsWith('%')).map(Number)
  const percent = bare.some((value) => value >= 2)
  if (bare.some((value) => value > 1 && value < 2)) return undefined
  if (percent && bare.some((value) => value > 0 && value < 1)) return undefined
  const values = texts.map((text) =>
    text === '' ? 0.5 : text.endsWith('%') ? Number(text.slice(0, -1)) / 100 : Number(text) / (percent ? 100 : 1),
  )
  return values.every((value) => value <= 1) ? values.map(round) : undefined
}

const isPercent = (text: string): boolean => text.endsWith('%') || Number(text) >= 2

const readPoint = ([x, y]: readonly [string, string], why: string | false = false): Reading => {
  const [left, top] = toFractions([x, y]) ?? []
  if (left === undefined || top === undefined || (x === '' && y === '')) return wrong(EXPECTED)
  return read(
    { kind: 'method', method: { kind: 'crop', focus: { kind: 'point', at: { x: left, y: top } } } },
    because(
      why,
      [x, y].some(isPercent) && 'a focal point is given in fractions, not percent',
      (x === '' || y === '') && 'the side that is missing is 0.5',
    ),
  )
}

const coordinate = (axis: 'x' | 'y'): Pattern => ({
  match: new RegExp(`^crop[-_]?${axis}=${COORDINATE}$`),
  read: ([, text = '']) => {
    const [at] = toFractions([text]) ?? []
    return at === undefined ? wrong(EXPECTED) : read({ kind: 'coordinate', axis, at }, WRITTEN)
  },
})

/** Focal points that keep both edges of a corner. */
const CORNERS: Readonly<Record<string, readonly [string, string]>> = {
  topleft: ['0', '0'],
  lefttop: ['0', '0'],
  topright: ['1', '0'],
  righttop: ['1', '0'],
  bottomleft: ['0', '1'],
  leftbottom: ['0', '1'],
  bottomright: ['1', '1'],
  rightbottom: ['1', '1'],
}

export const cropEdgeRow: OptionRow = {
  name: 'crop=<edge>',
  form: '`top`, `left`, `right`, `bottom`',
  default: 'off',
  help: 'Like crop; keeps that side.',
  patterns: [
    {
      match: new RegExp(`^crop=(${EDGES.join('|')})$`),
      read: ([, edge]) =>
        read({ kind: 'method', method: { kind: 'crop', focus: { kind: 'edge', edge: edge as Edge } } }),
    },
    {
      match: /^crop=(top|bottom|left|right)[-_ ]?(top|bottom|left|right)$/,
      read: ([, one = '', other = '']) => {
        const corner = CORNERS[one + other]
        return corner === undefined ? wrong('one edge, as in crop=top') : readPoint(corner, 'a corner is a focal point')
      },
    },
  ],
  words: Object.fromEntries(
    EDGES.flatMap((edge) => [
      [edge, `crop=${edge}`],
      [`crop=${edge}`, `crop=${edge}`],
    ]),
  ),
  samples: EDGES.map((edge) => `300x200,crop=${edge}`),
  slightlyWrong: [
    {
      send: '300x200,Crop=Top',
      read: '300x200,crop=top',
      warnings: ['Crop=Top was read as crop=top: options are written in lower case.'],
    },
    {
      send: '300x200,crop=top-left',
      read: '300x200,crop=0x0',
      warnings: ['crop=top-left was read as crop=0x0: a corner is a focal point.'],
    },
    {
      send: '300x200,crop=bottomright',
      read: '300x200,crop=1x1',
      warnings: ['crop=bottomright was read as crop=1x1: a corner is a focal point.'],
    },
    {
      send: '300x200,crop=left,crop=top',
      read: '300x200,crop=top',
      warnings: ['crop=top and crop=left contradict each other: crop=top was used.'],
    },
    {
      send: '300x200,crop=auto,crop=right',
      read: '300x200,crop=right',
      warnings: ['crop=right and crop=auto contradict each other: crop=right was used.'],
    },
  ],
  wrong: [
    { send: '300x200,top', text: '"top" is not an option. Did you mean "crop=top"?' },
    {
      send: '300x200,crop=botom',
      text: '"crop=botom" is wrong: expected crop, crop=auto, crop=top, left, right or bottom, or a focal point such as crop=0.5x0.25. Did you mean "crop=bottom"?',
    },
    { send: '300x200,crop=top-bottom', text: '"crop=top-bottom" is wrong: expected one edge, as in crop=top.' },
    {
      send: '300x200,crop=north',
      text: '"crop=north" is wrong: expected crop, crop=auto, crop=top, left, right or bottom, or a focal point such as crop=0.5x0.25.',
    },
  ],
}

export const focalPointRow: OptionRow = {
  name: 'crop=<x>x<y>',
  form: 'two decimals 0..1',
  default: 'off',
  help: 'Focal point as a fraction of the uncropped image; the result always contains that point, as near its middle as the image allows.',
  patterns: [
    { match: new RegExp(`^crop=${COORDINATE}x${COORDINATE}$`), read: ([, x = '', y = '']) => readPoint([x, y]) },
    { match: new RegExp(`^crop=${COORDINATE}x?$`), read: ([, x = '']) => readPoint([x, '']) },
    { match: new RegExp(`^crop=x${COORDINATE}$`), read: ([, y = '']) => readPoint(['', y]) },
    {
      match: new RegExp(`^${BARE_FRACTION}x${BARE_FRACTION}$`),
      read: ([, x = '', y = '']) => readPoint([x, y], WRITTEN),
    },
    coordinate('x'),
    coordinate('y'),
  ],
  words: { focus: 'crop=0.5x0.5', gravity: 'crop=top', 'crop-x': 'crop=0.5x0.5', 'crop-y': 'crop=0.5x0.5' },
  samples: ['300x200,crop=0.5x0.25', '300x200,crop=0x1', '300x200,crop=.5x.5', '300x200,crop=1.0x0.333'],
  slightlyWrong: [
    {
      send: '300x200,crop=50x25',
      read: '300x200,crop=0.5x0.25',
      warnings: ['crop=50x25 was read as crop=0.5x0.25: a focal point is given in fractions, not percent.'],
    },
    {
      send: '300x200,crop=50%25x25%25',
      read: '300x200,crop=0.5x0.25',
      warnings: ['crop=50%25x25%25 was read as crop=0.5x0.25: a focal point is given in fractions, not percent.'],
    },
    {
      send: '300x200,crop=50%x25%',
      read: '300x200,crop=0.5x0.25',
      warnings: ['crop=50%x25% was read as crop=0.5x0.25: a focal point is given in fractions, not percent.'],
    },
    {
      send: '300x200,crop=0.3',
      read: '300x200,crop=0.3x0.5',
      warnings: ['crop=0.3 was read as crop=0.3x0.5: the side that is missing is 0.5.'],
    },
    {
      send: '300x200,crop=0.3x',
      read: '300x200,crop=0.3x0.5',
      warnings: ['crop=0.3x was read as crop=0.3x0.5: the side that is missing is 0.5.'],
    },
    {
      send: '300x200,crop=x0.3',
      read: '300x200,crop=0.5x0.3',
      warnings: ['crop=x0.3 was read as crop=0.5x0.3: the side that is missing is 0.5.'],
    },
    {
      send: '300x200,crop=30',
      read: '300x200,crop=0.3x0.5',
      warnings: [
        'crop=30 was read as crop=0.3x0.5: a focal point is given in fractions, not percent; the side that is missing is 0.5.',
      ],
    },
    {
      send: '300x200,cropX=0.25,cropY=0.75',
      read: '300x200,crop=0.25x0.75',
      warnings: [
        'The focal point was read as crop=0.25x0.75.',
        'cropX=0.25 was read as crop=0.25x<y>: a focal point is written crop=<x>x<y>.',
        'cropY=0.75 was read as crop=<x>x0.75: a focal point is written crop=<x>x<y>.',
      ],
    },
    {
      send: '300x200,0.25x0.75',
      read: '300x200,crop=0.25x0.75',
      warnings: ['0.25x0.75 was read as crop=0.25x0.75: a focal point is written crop=<x>x<y>.'],
    },
    {
      send: '300x200,.5x1',
      read: '300x200,crop=0.5x1',
      warnings: ['.5x1 was read as crop=0.5x1: a focal point is written crop=<x>x<y>.'],
    },
    {
      // image-optim-upload sends this for cropX and cropY.
      send: 'quality=medium,timeout=30,cropX=0.2,cropY=0.7,80x60,0.2x0.7',
      read: '80x60,crop=0.2x0.7',
      warnings: [
        '0.2x0.7 was read as crop=0.2x0.7: a focal point is written crop=<x>x<y>.',
        'The focal point was read as crop=0.2x0.7.',
        'cropX=0.2 was read as crop=0.2x<y>: a focal point is written crop=<x>x<y>.',
        'cropY=0.7 was read as crop=<x>x0.7: a focal point is written crop=<x>x<y>.',
      ],
    },
    {
      send: '300x200,cropX=25',
      read: '300x200,crop=0.25x0.5',
      warnings: [
        'The focal point was read as crop=0.25x0.5.',
        'cropX=25 was read as crop=0.25x<y>: a focal point is written crop=<x>x<y>.',
      ],
    },
    {
      send: '300x200,crop=0.5x0.25,crop=top',
      read: '300x200,crop=0.5x0.25',
      warnings: ['crop=0.5x0.25 and crop=top contradict each other: crop=0.5x0.25 was used.'],
    },
    {
      send: '300x200,crop=0.9x0.1,crop=0.1x0.9',
      read: '300x200,crop=0.9x0.1',
      warnings: ['crop=0.9x0.1 and crop=0.1x0.9 contradict each other: crop=0.9x0.1 was used.'],
    },
  ],
  wrong: [
    {
      send: '300x200,1.5x0.5',
      text: '"1.5x0.5" is wrong: expected a focal point as two fractions from 0 to 1, as in crop=0.5x0.25.',
    },
    {
      send: '300x200,crop=1.5x0.5',
      text: '"crop=1.5x0.5" is wrong: expected a focal point as two fractions from 0 to 1, as in crop=0.5x0.25.',
    },
    {
      send: '300x200,crop=0.5x25',
      text: '"crop=0.5x25" is wrong: expected a focal point as two fractions from 0 to 1, as in crop=0.5x0.25.',
    },
    {
      send: '300x200,crop=150x10',
      text: '"crop=150x10" is wrong: expected a focal point as two fractions from 0 to 1, as in crop=0.5x0.25.',
    },
    {
      send: '300x200,crop=-1x0',
      text: '"crop=-1x0" is wrong: expected crop, crop=auto, crop=top, left, right or bottom, or a focal point such as crop=0.5x0.25.',
    },
    {
      send: '300x200,crop=0.5,0.25',
      text: '"0.25" is wrong: expected whole numbers of at least 1, as in 300x200, or 300 for a width alone; a focal point is written crop=0.5x0.25.',
    },
  ],
}
