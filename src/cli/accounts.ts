import { parseArgs } from 'node:util'
import { type Account, type AccountAdmin, type AccountSettings, type Accounts, TRIAL_PLAN } from '../ports/accounts.ts'
import { ACCOUNT_FLAGS, type FlagValues, readAccountSettings, WrongUsage } from './accounts-flags.ts'
import { type AccountCommand, COMMANDS, helpFor, helpForAll, isAccountCommand } from './accounts-help.ts'
import { accountsTable, alignRows } from './accounts-table.ts'

type Output = { readonly write: (text: string) => unknown }

export interface AccountsSurroundings {
  /** Called once the command line is found right; closed again in any case. */
  readonly open: () => Promise<Accounts & AccountAdmin>
  readonly stdout: Output
  readonly stderr: Output
}

/** A command line that was found right. */
interface Wanted {
  readonly username: string
  readonly settings: AccountSettings
  readonly json: boolean
}

const noAccount = (username: string): Error => new Error(`There is no account "${username}".`)

const toJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** Says what was silently otherwise than asked for. */
const remark = (account: Account, settings: AccountSettings): string =>
  settings.period === 'month' && account.plan === TRIAL_PLAN
    ? 'The quota of a trial counts in all, not by month.\n'
    : ''

type Run = (admin: Accounts & AccountAdmin, wanted: Wanted) => Promise<string>

const RUN: Readonly<Record<AccountCommand, Run>> = {
  add: async (admin, { username, settings }) => {
    const account = await admin.add(username, settings)
    return accountsTable([account]) + remark(account, settings)
  },
  list: async (admin, { json }) => {
    const accounts = await admin.list()
    if (json) return toJson(accounts)
    if (accounts.length > 0) return accountsTable(accounts)
    return 'There are no accounts yet. Open one with: whittle accounts add <username>\n'
  },
  set: async (admin, { username, settings }) => {
    const account = await admin.set(username, settings)
    if (account === undefined) throw noAccount(username)
    return accountsTable([account]) + remark(account, settings)
  },
  remove: async (admin, { username }) => {
    if (!(await admin.remove(username))) throw noAccount(username)
    return `Removed the account "${username}" and its history.\n`
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
  const taken = ACCOUNT_FLAGS.filter((flag) => flags === 'set' || (flags === 'add' && !flag.onlySet))
  return Object.fromEntries([
    ...taken.map((flag) => [flag.name, { type: flag.value === undefined ? 'boolean' : 'string' }] as const),
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
    // "Unknown option '--quoat'. To specify a positional …": the first sentence is the one that helps.
    throw new WrongUsage((error as Error).message.split(/\. |\n/)[0]?.replace(/\.?$/, '.'))
  }
}

const readWanted = (command: AccountCommand, { values, positionals }: Parsed): Wanted => {
  const takesName = COMMANDS[command].usage.includes('<username>')
  const [username = ''] = positionals
  if (takesName && positionals.length === 0) throw new WrongUsage('The username is missing.')
  if (positionals.length > (takesName ? 1 : 0)) {
    throw new WrongUsage(`There is one word too many: "${positionals.at(-1)}".`)
  }
  const settings = readAccountSettings(values)
  if (command === 'set' && Object.keys(settings).length === 0) throw new WrongUsage('Say what is to be changed.')
  return { username, settings, json: values['json'] === true }
}

const runCommand = async (command: AccountCommand, wanted: Wanted, open: AccountsSurroundings['open']) => {
  const admin = await open()
  try {
    return await RUN[command](admin, wanted)
  } finally {
    await admin.close()
  }
}

/** What the command prints; throws {@link WrongUsage}, or an Error with a plain sentence. */
const answer = async (argv: readonly string[], open: AccountsSurroundings['open']): Promise<string> => {
  const [command, ...rest] = argv
  if (command === '--help' || command === '-h' || command === 'help') return helpForAll()
  if (command === undefined) throw new WrongUsage('Say what to do: add, list, set, remove or usage.')
  if (!isAccountCommand(command)) {
    throw new WrongUsage(`There is no command "${command}"; use add, list, set, remove or usage.`)
  }
  const parsed = parse(command, rest)
  if (parsed.values['help']) return helpFor(command)
  return runCommand(command, readWanted(command, parsed), open)
}

/** Runs `whittle accounts …` and resolves to its exit status: 0, 1 when it could not be done, 2 when it was typed wrongly. */
export const runAccounts = async (argv: readonly string[], surroundings: AccountsSurroundings): Promise<number> => {
  try {
    surroundings.stdout.write(await answer(argv, surroundings.open))
    return 0
  } catch (error) {
    const isWrongUsage = error instanceof WrongUsage
    const hint = isWrongUsage ? ` See: whittle accounts ${isAccountCommand(argv[0]) ? `${argv[0]} ` : ''}--help` : ''
    surroundings.stderr.write(`whittle: ${error instanceof Error ? error.message : String(error)}${hint}\n`)
    return isWrongUsage ? 2 : 1
  }
}
