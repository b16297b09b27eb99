import { MAX_SHOWN_ITEMS } from '../../core/shown-text.ts'
import { type OptionRow, wrong } from '../row.ts'

const NAME = /^[a-z][a-z\d_-]{0,31}$/

/** Whether a text is a valid preset name. */
export const isPresetName = (text: string): boolean => NAME.test(text)

const expectedOf = (names: readonly string[]): string =>
  names.length === 0
    ? 'the name of a preset, and this account has none'
    : `a preset of this account: ${names.slice(0, MAX_SHOWN_ITEMS).join(', ')}`

/** Known presets are expanded before items are read (options/presets), so this row sees unknown ones only. */
export const presetRow: OptionRow = {
  name: 'preset=<name>',
  form: 'a name of the account',
  default: 'none',
  help: 'Stands for a list of options that the account gave a name: `whittle accounts set shop --presets "card=300x200,crop"`. Options next to it override those of the preset.',
  key: { name: 'preset', expected: 'the name of a preset of this account' },
  patterns: [
    { match: /^preset=.*$/, read: (_groups, limits) => wrong(expectedOf([...(limits.presets?.keys() ?? [])])) },
  ],
  words: { preset: 'preset=card' },
  samples: [],
  slightlyWrong: [],
  wrong: [
    {
      send: 'preset=card',
      text: '"preset=card" is wrong: expected the name of a preset, and this account has none.',
    },
  ],
}
