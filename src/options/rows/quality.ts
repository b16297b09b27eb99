import { PRESETS, type Preset } from '../options.ts'
import { type OptionRow, type Reading, read, wrong } from '../row.ts'

const QUALITIES = 'quality=low, medium, high or lossless'

/**
 * The preset nearest to a number from 0 to 100 on the scale of JPEG encoders: low is about 50, medium 75, high 90. Only 100 means
 * lossless.
 */
const nearestPreset = (value: number): Preset => {
  if (value === 100) return 'lossless'
  return value < 62.5 ? 'low' : value < 82.5 ? 'medium' : 'high'
}

const readNumericQuality = (digits: string): Reading => {
  // 0.8 is on the scale 0..1 of canvas. A bare 1 is on the scale 0..100.
  const value = Number(digits) * (digits.includes('.') && Number(digits) <= 1 ? 100 : 1)
  return value > 100
    ? wrong(QUALITIES)
    : read({ kind: 'quality', preset: nearestPreset(value) }, 'a quality is a word, not a number')
}

export const qualityRow: OptionRow = {
  name: 'quality=<preset>',
  form: '`low`, `medium`, `high`, `lossless`',
  default: '`medium`',
  help: '`medium` balances size and quality, `low` is the smallest file with noticeable artefacts, `high` avoids visible artefacts. `lossless` changes no pixel; it is honoured only without resizing. Numbers are read as the nearest preset: below 62.5 `low`, below 82.5 `medium`, below 100 `high`, 100 `lossless`.',
  key: { name: 'quality', expected: QUALITIES },
  aliases: ['q'],
  patterns: [
    {
      match: new RegExp(`^quality=(${PRESETS.join('|')})$`),
      read: ([, preset]) => read({ kind: 'quality', preset: preset as Preset }),
    },
    {
      match: new RegExp(`^(${PRESETS.join('|')})$`),
      read: ([, preset]) => read({ kind: 'quality', preset: preset as Preset }, 'a quality is written with quality='),
    },
    { match: /^quality=(\d+(?:\.\d*)?|\.\d+)%?$/, read: ([, digits = '']) => readNumericQuality(digits) },
  ],
  words: {
    quality: 'quality=medium',
    ...Object.fromEntries(
      PRESETS.flatMap((preset) => [
        [preset, `quality=${preset}`],
        [`quality=${preset}`, `quality=${preset}`],
      ]),
    ),
    'quality=best': 'quality=high',
    'quality=max': 'quality=high',
    'quality=maximum': 'quality=high',
    'quality=med': 'quality=medium',
    'quality=normal': 'quality=medium',
    'quality=auto': 'quality=medium',
    'quality=min': 'quality=low',
  },
  samples: PRESETS.map((preset) => `full,quality=${preset}`),
  slightlyWrong: [
    {
      send: 'full,quality=80',
      read: 'full',
      warnings: ['quality=80 was read as quality=medium: a quality is a word, not a number.'],
    },
    {
      send: 'full,quality=85',
      read: 'full,quality=high',
      warnings: ['quality=85 was read as quality=high: a quality is a word, not a number.'],
    },
    {
      send: 'full,quality=100',
      read: 'full,quality=lossless',
      warnings: ['quality=100 was read as quality=lossless: a quality is a word, not a number.'],
    },
    {
      send: 'full,quality=50%25',
      read: 'full,quality=low',
      warnings: ['quality=50%25 was read as quality=low: a quality is a word, not a number.'],
    },
    {
      send: 'full,quality=0.8',
      read: 'full',
      warnings: ['quality=0.8 was read as quality=medium: a quality is a word, not a number.'],
    },
    {
      send: 'full,high',
      read: 'full,quality=high',
      warnings: ['high was read as quality=high: a quality is written with quality=.'],
    },
    {
      send: 'full,low',
      read: 'full,quality=low',
      warnings: ['low was read as quality=low: a quality is written with quality=.'],
    },
    {
      send: 'full,medium',
      read: 'full',
      warnings: ['medium was read as quality=medium: a quality is written with quality=.'],
    },
    {
      send: 'full,lossless',
      read: 'full,quality=lossless',
      warnings: ['lossless was read as quality=lossless: a quality is written with quality=.'],
    },
    {
      send: 'full,Quality=HIGH',
      read: 'full,quality=high',
      warnings: ['Quality=HIGH was read as quality=high: options are written in lower case.'],
    },
    {
      send: 'full,q=80',
      read: 'full',
      warnings: ['q=80 was read as quality=medium: a quality is a word, not a number; the option is called quality.'],
    },
    {
      send: 'full,quality=low,quality=high',
      read: 'full,quality=high',
      warnings: ['quality=high and quality=low contradict each other: quality=high was used.'],
    },
    {
      send: '300x200,quality=lossless',
      read: '300x200,quality=high',
      warnings: ['quality=lossless was read as quality=high: resizing does not keep every pixel.'],
    },
    {
      send: '300x200,crop,lossless',
      read: '300x200,crop,quality=high',
      warnings: [
        'lossless was read as quality=lossless: a quality is written with quality=.',
        'quality=lossless was read as quality=high: resizing does not keep every pixel.',
      ],
    },
    {
      send: '300x200,pad,quality=lossless',
      read: '300x200,pad,quality=high',
      warnings: ['quality=lossless was read as quality=high: resizing does not keep every pixel.'],
    },
    {
      send: 'full,format=jpeg,quality=lossless',
      read: 'full,quality=high,format=jpeg',
      warnings: ['quality=lossless was read as quality=high: format=jpeg does not keep every pixel.'],
    },
    {
      send: 'full,format=avif,quality=lossless',
      read: 'full,quality=high,format=avif',
      warnings: ['quality=lossless was read as quality=high: format=avif does not keep every pixel.'],
    },
  ],
  wrong: [
    {
      send: 'full,quality=best',
      text: '"quality=best" is wrong: expected quality=low, medium, high or lossless. Did you mean "quality=high"?',
    },
    { send: 'full,quality=101', text: '"quality=101" is wrong: expected quality=low, medium, high or lossless.' },
    { send: 'full,quality=-1', text: '"quality=-1" is wrong: expected quality=low, medium, high or lossless.' },
    { send: 'full,quality=', text: '"quality=" is wrong: expected quality=low, medium, high or lossless.' },
    { send: 'full,qualty=hihg', text: '"qualty=hihg" is not an option. Did you mean "quality=high"?' },
    { send: 'full,medum', text: '"medum" is not an option. Did you mean "quality=medium"?' },
    { send: 'full,quality:high', text: '"quality:high" is not an option. Did you mean "quality=high"?' },
  ],
}
