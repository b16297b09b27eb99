import { type OptionRow, read } from '../row.ts'

export const trimRow: OptionRow = {
  name: 'trim=border',
  form: 'keyword',
  default: 'off',
  help: "Removes a border of solid colour, before any resizing or cropping: outer rows and columns whose every pixel (RGBA, fully transparent ones alike) equals the corner's exactly. A uniform image stays as it is.",
  key: { name: 'trim', expected: 'trim=border' },
  patterns: [
    { match: /^trim=border$/, read: () => read({ kind: 'trim' }) },
    { match: /^trim(?:=(?:true|borders))?$/, read: () => read({ kind: 'trim' }, 'the only value is border') },
  ],
  words: { trim: 'trim=border', 'trim=border': 'trim=border', border: 'trim=border' },
  samples: ['full,trim=border', '300x200,crop,trim=border'],
  slightlyWrong: [
    {
      send: 'full,trim',
      read: 'full,trim=border',
      warnings: ['trim was read as trim=border: the only value is border.'],
    },
    {
      send: 'full,trim=true',
      read: 'full,trim=border',
      warnings: ['trim=true was read as trim=border: the only value is border.'],
    },
    {
      send: 'full,Trim=Border',
      read: 'full,trim=border',
      warnings: ['Trim=Border was read as trim=border: options are written in lower case.'],
    },
  ],
  wrong: [
    { send: 'full,trim=all', text: '"trim=all" is wrong: expected trim=border.' },
    { send: 'full,border', text: '"border" is not an option. Did you mean "trim=border"?' },
  ],
}
