import { METADATA, type Metadata } from '../../core/image.ts'
import { because, type OptionRow, type Reading, read } from '../row.ts'

const EXPECTED = 'meta=copyright, or meta=none'

const OTHER_NAMES: ReadonlyMap<string, Metadata> = new Map([
  ['rights', 'copyright'],
  ['iptc', 'copyright'],
  ['strip', 'none'],
  ['off', 'none'],
])

const readMeta = (name: string): Reading => {
  const meta = OTHER_NAMES.get(name) ?? METADATA.find((each) => each === name) ?? 'none'
  return read({ kind: 'meta', meta }, because(meta !== name && `the values are ${METADATA.join(' and ')}`))
}

export const metaRow: OptionRow = {
  name: 'meta=copyright',
  form: '`copyright`, `none`',
  default: '`none`, or the default of the account',
  help: 'Keeps who made an image and who holds its rights: Artist and Copyright of Exif; By-line, Credit and Copyright Notice of IPTC; rights, web statement and licensor of XMP. Image search shows the last as "licensable". They are written again in the fewest bytes, at most 4,000. All other metadata is dropped.',
  key: { name: 'meta', expected: EXPECTED },
  aliases: ['metadata', 'keep-metadata', 'keepmetadata'],
  patterns: [
    { match: /^meta=(copyright|none)$/, read: ([, name = '']) => readMeta(name) },
    {
      match: new RegExp(`^meta=(${[...OTHER_NAMES.keys()].join('|')})$`),
      read: ([, name = '']) => readMeta(name),
    },
  ],
  words: {
    meta: 'meta=copyright',
    copyright: 'meta=copyright',
    'meta=copyright': 'meta=copyright',
    'meta=none': 'meta=none',
  },
  samples: ['full,meta=copyright', '300x200,crop,format=webp,meta=copyright', 'full,meta=none'],
  slightlyWrong: [
    {
      send: 'full,meta=rights',
      read: 'full,meta=copyright',
      warnings: ['meta=rights was read as meta=copyright: the values are none and copyright.'],
    },
    {
      send: 'full,metadata=copyright',
      read: 'full,meta=copyright',
      warnings: ['metadata=copyright was read as meta=copyright: the option is called meta.'],
    },
    {
      send: 'full,meta=strip',
      read: 'full',
      warnings: ['meta=strip was read as meta=none: the values are none and copyright.'],
    },
    {
      send: 'full,meta=none,meta=copyright',
      read: 'full,meta=copyright',
      warnings: ['meta=copyright and meta=none contradict each other: meta=copyright was used.'],
    },
  ],
  wrong: [
    { send: 'full,meta=all', text: '"meta=all" is wrong: expected meta=copyright, or meta=none.' },
    { send: 'full,copyright', text: '"copyright" is not an option. Did you mean "meta=copyright"?' },
  ],
}
