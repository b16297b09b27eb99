import type { Method } from '../options.ts'
import { type OptionRow, type Pattern, read } from '../row.ts'

const NO_VALUE = 'keywords take no value'

/** Patterns of a keyword: alone, as `<keyword>=true` and as `fit=<keyword>`. */
export const keyword = (word: string, method: Method): readonly Pattern[] => [
  { match: new RegExp(`^${word}$`), read: () => read({ kind: 'method', method }) },
  { match: new RegExp(`^${word}=true$`), read: () => read({ kind: 'method', method }, NO_VALUE) },
  { match: new RegExp(`^fit=${word}$`), read: () => read({ kind: 'method', method }, `it is written ${word} alone`) },
]

export const fitRow: OptionRow = {
  name: 'fit',
  form: 'keyword',
  default: 'off',
  help: 'Fits entirely inside the dimensions, no cropping; one side may be smaller. Small images are enlarged.',
  key: { name: 'fit', expected: 'fit, crop, pad or scale-down alone' },
  patterns: keyword('fit', { kind: 'fit' }),
  words: {
    fit: 'fit',
    contain: 'fit',
    enlarge: 'fit',
    'fit=contain': 'fit',
    'fit=cover': 'crop',
    'fit=fill': 'crop',
    'fit=inside': 'scale-down',
    'fit=max': 'scale-down',
  },
  samples: ['300x200,fit', 'fit,300'],
  slightlyWrong: [
    { send: '300x200,fit=fit', read: '300x200,fit', warnings: ['fit=fit was read as fit: it is written fit alone.'] },
    {
      send: '300x200,fit=crop',
      read: '300x200,crop',
      warnings: ['fit=crop was read as crop: it is written crop alone.'],
    },
    { send: '300x200,fit=true', read: '300x200,fit', warnings: ['fit=true was read as fit: keywords take no value.'] },
    {
      send: '300x200,fit,crop',
      read: '300x200,crop',
      warnings: ['crop and fit contradict each other: crop was used.'],
    },
    { send: 'full,fit', read: 'full', warnings: ['fit had no effect without a size, as in 300x200.'] },
  ],
  wrong: [
    { send: '300x200,contain', text: '"contain" is not an option. Did you mean "fit"?' },
    {
      send: '300x200,fit=cover',
      text: '"fit=cover" is wrong: expected fit, crop, pad or scale-down alone. Did you mean "crop"?',
    },
  ],
}

export const scaleDownRow: OptionRow = {
  name: 'scale-down',
  form: 'keyword',
  default: 'the default method',
  help: 'Like fit, never enlarges.',
  key: { name: 'scale-down', expected: 'scale-down alone' },
  patterns: [
    ...keyword('scale-down', { kind: 'scale-down' }),
    {
      match: /^(?:fit=)?scale[ _]?down$/,
      read: () => read({ kind: 'method', method: { kind: 'scale-down' } }, 'it is written with a hyphen'),
    },
  ],
  words: { 'scale-down': 'scale-down', downscale: 'scale-down', shrink: 'scale-down', inside: 'scale-down' },
  samples: ['300x200,scale-down'],
  slightlyWrong: [
    {
      send: '300x200,scaleDown',
      read: '300x200',
      warnings: ['scaleDown was read as scale-down: it is written with a hyphen.'],
    },
    {
      send: '300x200,scale_down',
      read: '300x200',
      warnings: ['scale_down was read as scale-down: it is written with a hyphen.'],
    },
    {
      send: '300x200,scaledown',
      read: '300x200',
      warnings: ['scaledown was read as scale-down: it is written with a hyphen.'],
    },
    {
      send: '300x200,scale%20down',
      read: '300x200',
      warnings: ['scale%20down was read as scale-down: it is written with a hyphen.'],
    },
    {
      send: '300x200,fit=scale-down',
      read: '300x200',
      warnings: ['fit=scale-down was read as scale-down: it is written scale-down alone.'],
    },
    {
      send: '300x200,fit,scale-down',
      read: '300x200,fit',
      warnings: ['fit and scale-down contradict each other: fit was used.'],
    },
  ],
  wrong: [
    { send: '300x200,scale-dwon', text: '"scale-dwon" is not an option. Did you mean "scale-down"?' },
    {
      send: '300x200,scale-up',
      text: '"scale-up" is not an option. Options are a size such as 300x200 or full, 2x, 3x, fit, scale-down, crop, pad, trim=border, bgcolor=, quality=, format=, gamut=, meta=, max-bytes=, preset= and timeout=.',
    },
  ],
}

export const padRow: OptionRow = {
  name: 'pad',
  form: 'keyword',
  default: 'off',
  help: 'Like fit, then padded to exactly width x height (x density) with `bgcolor`, `FFF` unless given; `bgcolor=transparent` pads with transparency. Needs both sides.',
  key: { name: 'pad', expected: 'pad alone; its colour is bgcolor=FFF' },
  patterns: keyword('pad', { kind: 'pad' }),
  words: { pad: 'pad', padding: 'pad', letterbox: 'pad' },
  samples: ['300x200,pad', '300x200,pad,bgcolor=F00'],
  slightlyWrong: [
    {
      send: '300,pad',
      read: '300',
      warnings: ['pad was read as scale-down: it needs width and height, as in 300x200.'],
    },
    { send: '300x200,pad=true', read: '300x200,pad', warnings: ['pad=true was read as pad: keywords take no value.'] },
    { send: '300x200,fit=pad', read: '300x200,pad', warnings: ['fit=pad was read as pad: it is written pad alone.'] },
    { send: '300x200,pad,fit', read: '300x200,pad', warnings: ['pad and fit contradict each other: pad was used.'] },
    { send: 'full,pad', read: 'full', warnings: ['pad had no effect without a size, as in 300x200.'] },
  ],
  wrong: [
    { send: '300x200,padd', text: '"padd" is not an option. Did you mean "pad"?' },
    { send: '300x200,pad=F00', text: '"pad=F00" is wrong: expected pad alone; its colour is bgcolor=FFF.' },
  ],
}
