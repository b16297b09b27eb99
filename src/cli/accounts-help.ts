import { ACCOUNT_FLAGS } from './accounts-flags.ts'
import { alignRows } from './accounts-table.ts'

interface CommandHelp {
  readonly usage: string
  readonly about: string
  readonly flags: 'add' | 'set' | 'none'
  readonly json?: boolean
}

/** The purpose of each command of `whittle accounts`. */
export const COMMANDS = {
  add: { usage: 'add <username>', about: 'open an account; without --quota it is unlimited', flags: 'add' },
  list: { usage: 'list', about: 'show all accounts', flags: 'none', json: true },
  set: { usage: 'set <username>', about: 'change an account; what is not given stays as it is', flags: 'set' },
  remove: { usage: 'remove <username>', about: 'remove an account and its history', flags: 'none' },
  key: {
    usage: 'key <username>',
    about:
      'make and print a new access key, which requests then need; the one before it stays valid, older ones do not',
    flags: 'none',
  },
  rotate: {
    usage: 'rotate <username>',
    about: 'make and print a new signing key; the one before it stays valid, older ones do not',
    flags: 'none',
  },
  keys: { usage: 'keys <username>', about: 'print the valid signing keys, the newest first', flags: 'none' },
  sign: {
    usage: 'sign <username> <options> <image_url>',
    about: 'print the signed address that an image is delivered at',
    flags: 'none',
  },
  usage: { usage: 'usage <username>', about: 'show the images charged each month', flags: 'none', json: true },
} as const satisfies Record<string, CommandHelp>

export type AccountCommand = keyof typeof COMMANDS

export const isAccountCommand = (text: string | undefined): text is AccountCommand =>
  text !== undefined && Object.hasOwn(COMMANDS, text)

const flagRows = (help: CommandHelp): string[][] => [
  ...ACCOUNT_FLAGS.filter((flag) => help.flags === 'set' || (help.flags === 'add' && !flag.onlySet)).map((flag) => [
    `  --${flag.name}${flag.value === undefined ? '' : ` ${flag.value}`}`,
    flag.help,
  ]),
  ...(help.json ? [['  --json', 'as JSON, for scripts']] : []),
  ['  --help', 'show this'],
]

/** The help of one command. */
export const helpFor = (command: AccountCommand): string => {
  const help: CommandHelp = COMMANDS[command]
  return `whittle accounts ${help.usage} [flags]: ${help.about}\n\n${alignRows(flagRows(help))}`
}

/** The help of `whittle accounts`. */
export const helpForAll = (): string =>
  `whittle accounts <command>: who may use the service, and how much\n\n${alignRows(
    Object.values(COMMANDS).map(({ usage, about }) => [`  ${usage}`, about]),
  )}\nEach command takes --help.\n`
