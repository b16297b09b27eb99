import { type OptionRow, read } from '../row.ts'
import { keyword } from './method.ts'

export const cropRow: OptionRow = {
  name: 'crop',
  form: 'keyword',
  default: 'off',
  help: 'Scaled and cropped to exactly width x height (x density), towards the centre.',
  key: {
    name: 'crop',
    expected: 'crop, crop=auto, crop=top, left, right or bottom, or a focal point such as crop=0.5x0.25',
  },
  patterns: [
    ...keyword('crop', { kind: 'crop', focus: { kind: 'centre' } }),
    {
      match: /^crop=(?:center|centre|middle)$/,
      read: () =>
        read(
          { kind: 'method', method: { kind: 'crop', focus: { kind: 'centre' } } },
          'crop alone is towards the centre',
        ),
    },
    // Old pages use it (§8.6).
    {
      match: /^stretch$/,
      read: () =>
        read({ kind: 'method', method: { kind: 'crop', focus: { kind: 'centre' } } }, 'images keep their proportions'),
    },
  ],
  words: { crop: 'crop', cover: 'crop', fill: 'crop', thumbnail: 'crop', center: 'crop', centre: 'crop' },
  samples: ['300x200,crop'],
  slightlyWrong: [
    {
      send: '300,crop',
      read: '300',
      warnings: ['crop was read as scale-down: it needs width and height, as in 300x200.'],
    },
    {
      send: 'x200,crop',
      read: 'x200',
      warnings: [
        'crop was read as scale-down: it needs width and height, as in 300x200.',
        'x200 was read as a maximum height of 200: a height alone is better written with a width, as in 300x200.',
      ],
    },
    {
      send: '300x200,crop=center',
      read: '300x200,crop',
      warnings: ['crop=center was read as crop: crop alone is towards the centre.'],
    },
    {
      send: '300x200,crop=centre',
      read: '300x200,crop',
      warnings: ['crop=centre was read as crop: crop alone is towards the centre.'],
    },
    {
      send: '300x200,stretch',
      read: '300x200,crop',
      warnings: ['stretch was read as crop: images keep their proportions.'],
    },
    {
      send: '300x200,crop=true',
      read: '300x200,crop',
      warnings: ['crop=true was read as crop: keywords take no value.'],
    },
    {
      send: '300x200,crop,pad',
      read: '300x200,crop',
      warnings: ['crop and pad contradict each other: crop was used.'],
    },
    { send: 'full,crop', read: 'full', warnings: ['crop had no effect without a size, as in 300x200.'] },
  ],
  wrong: [
    { send: '300x200,corp', text: '"corp" is not an option. Did you mean "crop"?' },
    { send: '300x200,cover', text: '"cover" is not an option. Did you mean "crop"?' },
    {
      send: '300x200,crop=',
      text: '"crop=" is wrong: expected crop, crop=auto, crop=top, left, right or bottom, or a focal point such as crop=0.5x0.25.',
    },
  ],
}

export const cropAutoRow: OptionRow = {
  name: 'crop=auto',
  form: 'keyword',
  default: 'off',
  help: 'Like crop; the most important area is chosen automatically.',
  patterns: [
    { match: /^crop=auto$/, read: () => read({ kind: 'method', method: { kind: 'crop', focus: { kind: 'auto' } } }) },
    {
      match: /^crop=smart$/,
      read: () =>
        read(
          { kind: 'method', method: { kind: 'crop', focus: { kind: 'auto' } } },
          'the automatic choice is called auto',
        ),
    },
  ],
  words: {
    'crop=auto': 'crop=auto',
    smart: 'crop=auto',
    smartcrop: 'crop=auto',
    'crop=face': 'crop=auto',
    'crop=faces': 'crop=auto',
    'crop=entropy': 'crop=auto',
    'crop=attention': 'crop=auto',
  },
  samples: ['300x200,crop=auto'],
  slightlyWrong: [
    {
      send: '300x200,crop=AUTO',
      read: '300x200,crop=auto',
      warnings: ['crop=AUTO was read as crop=auto: options are written in lower case.'],
    },
    {
      send: '300x200,crop=smart',
      read: '300x200,crop=auto',
      warnings: ['crop=smart was read as crop=auto: the automatic choice is called auto.'],
    },
    {
      send: '300x200,crop,crop=auto',
      read: '300x200,crop=auto',
      warnings: ['crop=auto and crop contradict each other: crop=auto was used.'],
    },
    {
      send: '300,crop=auto',
      read: '300',
      warnings: ['crop=auto was read as scale-down: it needs width and height, as in 300x200.'],
    },
  ],
  wrong: [
    {
      send: '300x200,crop=face',
      text: '"crop=face" is wrong: expected crop, crop=auto, crop=top, left, right or bottom, or a focal point such as crop=0.5x0.25. Did you mean "crop=auto"?',
    },
    {
      send: '300x200,crop=atuo',
      text: '"crop=atuo" is wrong: expected crop, crop=auto, crop=top, left, right or bottom, or a focal point such as crop=0.5x0.25. Did you mean "crop=auto"?',
    },
  ],
}
