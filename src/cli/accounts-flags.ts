import { METADATA, REQUESTABLE_FORMATS } from '../core/image.ts'
import { DEFAULT_TIMEOUT } from '../options/options.ts'
import { parseOptions } from '../options/parse.ts'
import { isPresetName } from '../options/rows/preset.ts'
import type { AccountLimits, AccountSettings } from '../ports/accounts.ts'
import { readAddressList } from '../service/accounts/access-right.ts'
import { readHostList } from '../service/deliver/delivery-right.ts'
import { WrongUsage } from './wrong-usage.ts'

/** One flag of `accounts add` and `accounts set`. */
export interface AccountFlag {
  readonly name: string
  /** Its value in the help. Absent: it takes none. */
  readonly value?: string
  readonly help: string
  /** The settings for a value. undefined for an invalid one. */
  readonly read: (value: string) => AccountSettings | undefined
  /** Only for `accounts set`. */
  readonly onlySet?: boolean
}

const count = (min: number) => (text: string) => {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  return value >= min ? value : undefined
}
const seconds = (text: string) => (/^\d{1,6}(\.\d{1,3})?$/.test(text) && Number(text) > 0 ? Number(text) : undefined)

const readFallback = (text: string): string | undefined =>
  /^https?:\/\//i.test(text) && URL.canParse(text) ? text : undefined

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

const isFormat = (text: string): boolean => (REQUESTABLE_FORMATS as readonly string[]).includes(text)

/** The items of a comma-separated list in lower case. undefined when one of them is invalid. */
const listIn = (text: string, isValid: (item: string) => boolean): readonly string[] | undefined => {
  const items = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
  return items.length > 0 && items.every(isValid) ? [...new Set(items)] : undefined
}

/** The presets in a text such as `card=300x200,crop;hero=1200`. undefined for an invalid name or list. A long timeout= is valid: it is lowered on use. */
const presetsIn = (text: string): ReadonlyMap<string, string> | undefined => {
  const pairs = text
    .split(';')
    .map((pair) => pair.trim())
    .filter(Boolean)
    .map((pair) => [pair.slice(0, Math.max(0, pair.indexOf('='))), pair.slice(pair.indexOf('=') + 1)] as const)
  const isValid = pairs.every(
    ([name, list]) => isPresetName(name) && parseOptions(list, { maxTimeout: DEFAULT_TIMEOUT }).kind === 'ok',
  )
  return pairs.length > 0 && isValid ? new Map(pairs) : undefined
}

/** Every flag in the order of the help. */
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
    help: 'whether the quota restarts each calendar month (UTC) or counts in all',
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
    name: 'fallback',
    value: 'ADDRESS|none',
    help: 'image that live delivery answers where there is none at an address',
    read: (text) => {
      const fallback = text === 'none' ? null : readFallback(text)
      return fallback === undefined ? undefined : { fallback }
    },
  },
  {
    name: 'fallback-max-age',
    value: 'SECONDS|default',
    help: 'how long caches keep the fallback image; 60 unless given',
    read: (text) => {
      const fallbackMaxAge = text === 'default' ? null : count(0)(text)
      return fallbackMaxAge === undefined ? undefined : { fallbackMaxAge }
    },
  },
  {
    name: 'allow-addresses',
    value: 'LIST|any',
    help: 'client addresses that may use it, as in 192.0.2.7,10.0.0.0/8',
    read: (text) => {
      const addresses = text === 'any' ? null : readAddressList(text)
      return addresses === undefined ? undefined : { addresses }
    },
  },
  {
    name: 'allow-formats',
    value: 'LIST|any',
    help: `formats that may be asked for, as in jpeg,webp: ${REQUESTABLE_FORMATS.join(', ')}`,
    read: (text) => {
      const formats = text === 'any' ? null : listIn(text, (item) => isFormat(item))
      return formats === undefined ? undefined : { formats }
    },
  },
  {
    name: 'allow-sizes',
    value: 'LIST|any',
    help: 'sizes that may be asked for, as in full,300x200,800,x600',
    read: (text) => {
      const sizes =
        text === 'any' ? null : listIn(text, (item) => /^(full|[1-9]\d{0,4}(x[1-9]\d{0,4})?|x[1-9]\d{0,4})$/.test(item))
      return sizes === undefined ? undefined : { sizes }
    },
  },
  {
    name: 'presets',
    value: 'LIST|none',
    help: 'option lists by name, with semicolons, as in "card=300x200,crop;hero=1200,quality=high"',
    read: (text) => {
      const presets = text === 'none' ? null : presetsIn(text)
      return presets === undefined ? undefined : { presets }
    },
  },
  {
    name: 'meta',
    value: 'copyright|none|default',
    help: 'metadata that results keep where a request does not say it',
    read: (text) => {
      const meta = METADATA.find((each) => each === text) ?? (text === 'default' ? null : undefined)
      return meta === undefined ? undefined : { meta }
    },
  },
  {
    name: 'forget-access-keys',
    help: 'forget all access keys: the username is enough again',
    read: () => ({ accessKey: null }),
    onlySet: true,
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

/** Output of `parseArgs`: texts for flags with a value, true for others. */
export type FlagValues = Readonly<Record<string, string | boolean | undefined>>

const readFlag = (flag: AccountFlag, given: string | boolean): AccountSettings => {
  const settings = flag.read(String(given))
  if (settings !== undefined) return settings
  const values = flag.value?.replaceAll('|', ' or ')
  throw new WrongUsage(`--${flag.name} cannot be "${given}". It takes ${values}: ${flag.help}.`)
}

/** The settings for the flags of a command line. Throws {@link WrongUsage}. */
export const readAccountSettings = (values: FlagValues): AccountSettings => {
  if (values['suspend'] && values['resume']) throw new WrongUsage('Give either --suspend or --resume.')
  const read = ACCOUNT_FLAGS.flatMap((flag) => {
    const given = values[flag.name]
    return given === undefined ? [] : [readFlag(flag, given)]
  })
  const limits = read.flatMap((settings) => settings.limits ?? [])
  return Object.assign({}, ...read, limits.length > 0 ? { limits: Object.assign({}, ...limits) } : {})
}
