import { parseArgs } from 'node:util'
import { makeAccessKey } from '../core/access-key.ts'
import { makeSigningKey } from '../core/signing-key.ts'
import { parseOptions } from '../options/parse.ts'
import { type Account, type AccountAdmin, type AccountSettings, type Accounts, TRIAL_PLAN } from '../ports/accounts.ts'
import { optionLimitsOf } from '../service/accounts/option-limits.ts'
import { signedOptions, splitSignature } from '../service/deliver/delivery-right.ts'
import { readImageUrl } from '../source/image-url.ts'
import { ACCOUNT_FLAGS, type FlagValues, readAccountSettings } from './accounts-flags.ts'
import { type AccountCommand, COMMANDS, helpFor, helpForAll, isAccountCommand } from './accounts-help.ts'
import { accountsTable, alignRows } from './accounts-table.ts'
import { WrongUsage } from './wrong-usage.ts'

interface Output {
  readonly write: (text: string) => unknown
}

export interface AccountsContext {
  /** Called once the command line is valid. The store is always closed again. */
  readonly open: () => Promise<Accounts & AccountAdmin>
  /** Base address of the service for clients. */
  readonly base: string
  /** Maximum seconds of timeout=. */
  readonly maxTimeout: number
  readonly stdout: Output
  readonly stderr: Output
}

/** A valid command line. */
interface ParsedCommand {
  readonly username: string
  /** Words after the username. */
  readonly words: readonly string[]
  readonly settings: AccountSettings
  readonly json: boolean
}

const noAccount = (username: string): Error => new Error(`There is no account "${username}".`)

const toJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** A hint about a setting that was changed silently. */
const hint = (account: Account, settings: AccountSettings): string =>
  settings.period === 'month' && account.plan === TRIAL_PLAN
    ? 'The quota of a trial counts in all, not by month.\n'
    : ''

/** The printable part of an account: the number of its keys, not the keys. */
const shown = ({ delivery, access, presets, ...account }: Account) => ({
  ...account,
  ...(access === undefined ? {} : { access: { ...access, keys: access.keys.length } }),
  ...(presets === undefined ? {} : { presets: Object.fromEntries(presets) }),
  ...(delivery === undefined ? {} : { delivery: { hosts: delivery.hosts, keys: delivery.keys.length } }),
})

const found = async (admin: Accounts, username: string): Promise<Account> => {
  const account = await admin.find(username)
  if (account === undefined) throw noAccount(username)
  return account
}

const keysOf = ({ username, delivery }: Account) => {
  const keys = delivery?.keys ?? []
  if (keys.length === 0)
    throw new Error(`The account "${username}" has no signing key. Make one with: whittle accounts rotate ${username}`)
  return keys
}

/** An address for a path: raw if every client sends it unchanged. */
const inPath = (imageUrl: string): string =>
  /^[!-~]+$/.test(imageUrl) && !/[#"<>\\^`{|}]/.test(imageUrl) ? imageUrl : encodeURIComponent(imageUrl)

type Run = (
  admin: Accounts & AccountAdmin,
  wanted: ParsedCommand,
  context: Pick<AccountsContext, 'base' | 'maxTimeout'>,
) => Promise<string>

const RUN: Readonly<Record<AccountCommand, Run>> = {
  add: async (admin, { username, settings }) => {
    const account = await admin.add(username, settings)
    return accountsTable([account]) + hint(account, settings)
  },
  list: async (admin, { json }) => {
    const accounts = await admin.list()
    if (json) return toJson(accounts.map(shown))
    if (accounts.length > 0) return accountsTable(accounts)
    return 'There are no accounts yet. Open one with: whittle accounts add <username>\n'
  },
  set: async (admin, { username, settings }) => {
    const account = await admin.set(username, settings)
    if (account === undefined) throw noAccount(username)
    return accountsTable([account]) + hint(account, settings)
  },
  remove: async (admin, { username }) => {
    if (!(await admin.remove(username))) throw noAccount(username)
    return `Removed the account "${username}" and its history.\n`
  },
  key: async (admin, { username }) => {
    const key = makeAccessKey()
    if ((await admin.set(username, { accessKey: key })) === undefined) throw noAccount(username)
    return `${key}\n`
  },
  rotate: async (admin, { username }) => {
    const key = makeSigningKey()
    if ((await admin.set(username, { signingKey: key })) === undefined) throw noAccount(username)
    return `${key}\n`
  },
  keys: async (admin, { username }) =>
    keysOf(await found(admin, username))
      .map((key) => `${key.reveal()}\n`)
      .join(''),
  sign: async (admin, { username, words: [list = '', imageUrl = ''] }, { base, maxTimeout }) => {
    const account = await found(admin, username)
    const [key] = keysOf(account)
    const limits = optionLimitsOf({ settings: { maxTimeout } }, account)
    const { options, list: unsigned, expires } = splitSignature(list)
    const parsed = options === 'info' ? undefined : parseOptions(options, limits)
    if (parsed?.kind === 'wrong') throw parsed.failure
    if (Number.isNaN(expires)) throw new WrongUsage('exp= takes whole seconds since 1970, as date +%s prints them.')
    readImageUrl(imageUrl)
    return `${base}/${username}/${signedOptions(key!, { username, list: unsigned, imageUrl })}/${inPath(imageUrl)}\n`
  },
  usage: async (admin, { username, json }) => {
    if ((await admin.find(username)) === undefined) throw noAccount(username)
    const months = await admin.usage(username)
    if (json) return toJson(months)
    const all = months.reduce((sum, month) => sum + month.used, 0)
    const rows = months.map(({ period, used }) => [period, String(used)])
    return alignRows([['MONTH', 'IMAGES'], ...rows, ['in all', String(all)]], [1])
  },
}

const optionsOf = (command: AccountCommand) => {
  const { flags } = COMMANDS[command]
  const accepted = ACCOUNT_FLAGS.filter((flag) => flags === 'set' || (flags === 'add' && !flag.onlySet))
  return Object.fromEntries([
    ...accepted.map((flag) => [flag.name, { type: flag.value === undefined ? 'boolean' : 'string' }] as const),
    ...('json' in COMMANDS[command] ? [['json', { type: 'boolean' }] as const] : []),
    ['help', { type: 'boolean', short: 'h' }] as const,
  ])
}

interface Parsed {
  readonly values: FlagValues
  readonly positionals: readonly string[]
}

const parse = (command: AccountCommand, argv: readonly string[]): Parsed => {
  try {
    return parseArgs({ args: [...argv], options: optionsOf(command), allowPositionals: true }) as Parsed
  } catch (error) {
    // "Unknown option '--quoat'. To specify a positional …": only the first sentence helps.
    throw new WrongUsage((error as Error).message.split(/\. |\n/)[0]?.replace(/\.?$/, '.'))
  }
}

const readWanted = (command: AccountCommand, { values, positionals }: Parsed): ParsedCommand => {
  const names = [...COMMANDS[command].usage.matchAll(/<(\w+)>/g)].map(([, name]) => name)
  const [username = '', ...words] = positionals
  const missing = names[positionals.length]
  if (missing !== undefined)
    throw new WrongUsage(missing === 'options' ? 'The options are missing.' : `The ${missing} is missing.`)
  if (positionals.length > names.length) throw new WrongUsage(`There is one word too many: "${positionals.at(-1)}".`)
  const settings = readAccountSettings(values)
  if (command === 'set' && Object.keys(settings).length === 0) throw new WrongUsage('Say what is to be changed.')
  return { username, words, settings, json: values['json'] === true }
}

const runCommand = async (command: AccountCommand, wanted: ParsedCommand, context: AccountsContext) => {
  const admin = await context.open()
  try {
    return await RUN[command](admin, wanted, context)
  } finally {
    await admin.close()
  }
}

/** `add, list, … or usage` */
const CHOICE = Object.keys(COMMANDS)
  .join(', ')
  .replace(/, (?=\w+$)/, ' or ')

/** The output of a command. Throws {@link WrongUsage}, or an Error with a plain sentence. */
const answer = async (argv: readonly string[], context: AccountsContext): Promise<string> => {
  const [command, ...rest] = argv
  if (command === '--help' || command === '-h' || command === 'help') return helpForAll()
  if (command === undefined) throw new WrongUsage(`Say what to do: ${CHOICE}.`)
  if (!isAccountCommand(command)) throw new WrongUsage(`There is no command "${command}"; use ${CHOICE}.`)
  const parsed = parse(command, rest)
  if (parsed.values['help']) return helpFor(command)
  return runCommand(command, readWanted(command, parsed), context)
}

/** Runs `whittle accounts …` and resolves with its exit status: 0, 1 when it failed, 2 for an invalid command line. */
export const runAccounts = async (argv: readonly string[], context: AccountsContext): Promise<number> => {
  try {
    context.stdout.write(await answer(argv, context))
    return 0
  } catch (error) {
    const isWrongUsage = error instanceof WrongUsage
    const hint = isWrongUsage ? ` See: whittle accounts ${isAccountCommand(argv[0]) ? `${argv[0]} ` : ''}--help` : ''
    context.stderr.write(`whittle: ${error instanceof Error ? error.message : String(error)}${hint}\n`)
    return isWrongUsage ? 2 : 1
  }
}
