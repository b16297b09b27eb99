import { REQUESTABLE_FORMATS, type RequestableFormat } from '../../core/image.ts'
import { because, type OptionRow, type Reading, read } from '../row.ts'

const OTHER_NAMES: Readonly<Record<string, RequestableFormat>> = {
  jpg: 'jpeg',
  jpe: 'jpeg',
  mp4: 'h264',
  'h.264': 'h264',
  'jpeg-xl': 'jxl',
  jpegxl: 'jxl',
}
const FORMATS = REQUESTABLE_FORMATS.join('|')
const MISNOMERS = Object.keys(OTHER_NAMES).join('|').replaceAll('.', '\\.')

const readFormat = (name: string, why: string | false = false): Reading => {
  const format = OTHER_NAMES[name] ?? (name as RequestableFormat)
  return read({ kind: 'format', format }, because(why, format !== name && `this format is called ${format}`))
}

export const formatRow: OptionRow = {
  name: 'format=<name>',
  form: '`png`, `jpeg`, `webm`, `h264`, `gif`, `webp`, `avif`, `jxl`',
  default: 'best, automatically',
  help: 'Forces the output format. `webm` and `h264` turn an animated GIF into video. `jxl` (JPEG XL) is made of opaque photographs.',
  key: { name: 'format', expected: 'format=png, jpeg, webm, h264, gif, webp, avif or jxl' },
  aliases: ['fm', 'output'],
  patterns: [
    { match: new RegExp(`^format=(${FORMATS})$`), read: ([, name = '']) => readFormat(name) },
    { match: new RegExp(`^format=(${MISNOMERS})$`), read: ([, name = '']) => readFormat(name) },
    {
      match: new RegExp(`^format=(?:\\.|image/|video/)(${FORMATS}|${MISNOMERS})$`),
      read: ([, name = '']) => readFormat(name, 'a format is one word'),
    },
    {
      match: new RegExp(`^(${FORMATS}|${MISNOMERS})$`),
      read: ([, name = '']) => readFormat(name, 'a format is written with format='),
    },
    {
      match: /^format=auto$/,
      read: () => read({ kind: 'format', format: 'auto' }, 'leave the format out to have it chosen'),
    },
  ],
  words: {
    format: 'format=png',
    ...Object.fromEntries(
      REQUESTABLE_FORMATS.flatMap((format) => [
        [format, `format=${format}`],
        [`format=${format}`, `format=${format}`],
      ]),
    ),
    video: 'format=h264',
    'format=video': 'format=h264',
    'format=mpeg4': 'format=h264',
    'format=best': 'full',
  },
  samples: REQUESTABLE_FORMATS.map((format) => `full,format=${format}`),
  slightlyWrong: [
    {
      send: 'full,format=jpg',
      read: 'full,format=jpeg',
      warnings: ['format=jpg was read as format=jpeg: this format is called jpeg.'],
    },
    {
      send: 'full,format=JPG',
      read: 'full,format=jpeg',
      warnings: ['format=JPG was read as format=jpeg: this format is called jpeg.'],
    },
    {
      send: 'full,format=mp4',
      read: 'full,format=h264',
      warnings: ['format=mp4 was read as format=h264: this format is called h264.'],
    },
    {
      send: 'full,format=h.264',
      read: 'full,format=h264',
      warnings: ['format=h.264 was read as format=h264: this format is called h264.'],
    },
    {
      send: 'full,format=jpegxl',
      read: 'full,format=jxl',
      warnings: ['format=jpegxl was read as format=jxl: this format is called jxl.'],
    },
    {
      send: 'full,format=.png',
      read: 'full,format=png',
      warnings: ['format=.png was read as format=png: a format is one word.'],
    },
    {
      send: 'full,format=image%2Fwebp',
      read: 'full,format=webp',
      warnings: ['format=image%2Fwebp was read as format=webp: a format is one word.'],
    },
    {
      send: 'full,png',
      read: 'full,format=png',
      warnings: ['png was read as format=png: a format is written with format=.'],
    },
    {
      send: 'full,mp4',
      read: 'full,format=h264',
      warnings: ['mp4 was read as format=h264: a format is written with format=; this format is called h264.'],
    },
    {
      send: 'full,fm=webp',
      read: 'full,format=webp',
      warnings: ['fm=webp was read as format=webp: the option is called format.'],
    },
    {
      send: 'full,format=auto',
      read: 'full',
      warnings: ['format=auto was read as the automatic format: leave the format out to have it chosen.'],
    },
    {
      send: 'full,format=webp,format=png',
      read: 'full,format=png',
      warnings: ['format=png and format=webp contradict each other: format=png was used.'],
    },
  ],
  wrong: [
    {
      send: 'full,format=tiff',
      text: '"format=tiff" is wrong: expected format=png, jpeg, webm, h264, gif, webp, avif or jxl.',
    },
    {
      send: 'full,format=h265',
      text: '"format=h265" is wrong: expected format=png, jpeg, webm, h264, gif, webp, avif or jxl. Did you mean "format=h264"?',
    },
    { send: 'full,jpge', text: '"jpge" is not an option. Did you mean "format=jpeg"?' },
    { send: 'full,fromat=png', text: '"fromat=png" is not an option. Did you mean "format=png"?' },
  ],
}
