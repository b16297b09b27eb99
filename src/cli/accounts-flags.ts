import type { AccountLimits, AccountSettings } from '../ports/accounts.ts'
import { readHostList } from '../service/delivery-right.ts'

/** The command was typed wrongly; `message` is one plain sentence, and the exit status is 2. */
export class WrongUsage extends Error {}

/** One flag of `accounts add` and `accounts set`. */
export interface AccountFlag {
  readonly name: string
  /** What stands behind it in the help; absent = it takes no value. */
  readonly value?: string
  readonly help: string
  /** The settings that it stands for; undefined when the value is not one that it takes. */
  readonly read: (value: string) => AccountSettings | undefined
  /** Given only to `accounts set`. */
  readonly onlySet?: boolean
}

const count = (least: number) => (text: string) => {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  return value >= least ? value : undefined
}
const seconds = (text: string) => (/^\d{1,6}(\.\d{1,3})?$/.test(text) && Number(text) > 0 ? Number(text) : undefined)

const limit = (
  name: string,
  row: { of: keyof AccountLimits; unit: string; help: string; read: (text: string) => number | undefined },
): AccountFlag => ({
  name,
  value: `${row.unit}|default`,
  help: row.help,
  read: (text) => {
    const value = text === 'default' ? null : row.read(text)
    return value === undefined ? undefined : { limits: { [row.of]: value } }
  },
})

/** Every flag, in the order of the help. */
export const ACCOUNT_FLAGS: readonly AccountFlag[] = [
  {
    name: 'quota',
    value: 'N|unlimited',
    help: 'images allowed per period (for a trial, unlimited means the usual trial quota)',
    read: (text) => {
      const quota = text === 'unlimited' ? null : count(0)(text)
      return quota === undefined ? undefined : { quota }
    },
  },
  {
    name: 'period',
    value: 'month|total',
    help: 'whether the quota counts anew each calendar month (UTC) or in all',
    read: (text) => (text === 'month' || text === 'total' ? { period: text } : undefined),
  },
  {
    name: 'plan',
    value: 'NAME',
    help: 'any name; "trial" has a quota in all',
    read: (text) => (/^[\w.-]{1,64}$/.test(text) ? { plan: text } : undefined),
  },
  limit('max-bytes', { of: 'maxBytes', unit: 'N', help: 'largest source in bytes', read: count(1) }),
  limit('max-pixels', { of: 'maxPixels', unit: 'N', help: 'largest source in pixels', read: count(1) }),
  limit('max-side', { of: 'maxSide', unit: 'N', help: 'longest side of a source in pixels', read: count(1) }),
  limit('max-timeout', { of: 'maxTimeout', unit: 'SECONDS', help: 'longest timeout= that is honoured', read: seconds }),
  limit('rate', { of: 'rate', unit: 'N', help: 'requests a minute, 0 for no limit', read: count(0) }),
  {
    name: 'deliver',
    value: 'HOSTS|none',
    help: 'hosts whose images are delivered live by GET, as in example.com,*.example.org',
    read: (text) => {
      const deliver = text === 'none' ? null : readHostList(text)
      return deliver === undefined ? undefined : { deliver }
    },
  },
  {
    name: 'forget-keys',
    help: 'forget all signing keys: signed addresses are not delivered any more',
    read: () => ({ signingKey: null }),
    onlySet: true,
  },
  { name: 'suspend', help: 'refuse all requests', read: () => ({ suspended: true }), onlySet: true },
  { name: 'resume', help: 'accept requests again', read: () => ({ suspended: false }), onlySet: true },
]

/** What `parseArgs` read: texts of flags with a value, true for the others. */
export type FlagValues = Readonly<Record<string, string | boolean | undefined>>

const readFlag = (flag: AccountFlag, given: string | boolean): AccountSettings => {
  const settings = flag.read(String(given))
  if (settings !== undefined) return settings
  throw new WrongUsage(`--${flag.name} cannot be "${given}": give it ${flag.value?.replaceAll('|', ' or ')}.`)
}

/** The settings that the flags of a command line ask for, none as an empty object; throws {@link WrongUsage}. */
export const readAccountSettings = (values: FlagValues): AccountSettings => {
  if (values['suspend'] && values['resume']) throw new WrongUsage('Give either --suspend or --resume.')
  const read = ACCOUNT_FLAGS.flatMap((flag) => {
    const given = values[flag.name]
    return given === undefined ? [] : [readFlag(flag, given)]
  })
  const limits = read.flatMap((settings) => settings.limits ?? [])
  return Object.assign({}, ...read, limits.length > 0 ? { limits: Object.assign({}, ...limits) } : {})
}
