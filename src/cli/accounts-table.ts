import type { Account, AccountLimits } from '../ports/accounts.ts'

/** Rows as lines of aligned columns, two spaces apart; columns named in `right` are aligned to the right. */
export const alignRows = (rows: readonly (readonly string[])[], right: readonly number[] = []): string => {
  const width = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0))
  const cell = (text: string, column: number): string =>
    right.includes(column) ? text.padStart(width(column)) : text.padEnd(width(column))
  return rows.map((row) => `${row.map(cell).join('  ').trimEnd()}\n`).join('')
}

const LIMIT_NAMES: Readonly<Record<keyof AccountLimits, (value: number) => string>> = {
  maxBytes: (value) => `${value} bytes`,
  maxPixels: (value) => `${value} px`,
  maxSide: (value) => `${value} px a side`,
  maxTimeout: (value) => `${value} s`,
  rate: (value) => (value === 0 ? 'any rate' : `${value} a minute`),
}

const sayLimits = (limits: AccountLimits): string =>
  (Object.keys(LIMIT_NAMES) as (keyof AccountLimits)[])
    .flatMap((name) => (limits[name] === undefined ? [] : [LIMIT_NAMES[name](limits[name])]))
    .join(', ')

const sayAccess = ({ access, presets, meta }: Account): readonly string[] => {
  if (access === undefined && presets === undefined && meta === undefined) return []
  const { keys, addresses, formats, sizes } = access ?? { keys: [], addresses: [], formats: [], sizes: [] }
  return [
    ...(keys.length === 0 ? [] : [keys.length === 1 ? 'needs its key' : `needs one of ${keys.length} keys`]),
    ...(addresses.length === 0 ? [] : [`open to ${addresses.join(', ')}`]),
    ...(formats.length === 0 ? [] : [`formats ${formats.join(', ')}`]),
    ...(sizes.length === 0 ? [] : [`sizes ${sizes.join(', ')}`]),
    ...(presets === undefined ? [] : [`presets ${[...presets.keys()].join(', ')}`]),
    ...(meta === undefined ? [] : [`meta=${meta}`]),
  ]
}

/** Limits, delivery and access of an account. */
const sayRules = (account: Account): string => {
  const { limits, delivery, fallback } = account
  return [
    sayLimits(limits),
    ...(delivery === undefined || delivery.hosts.length === 0 ? [] : [`delivers from ${delivery.hosts.join(', ')}`]),
    ...(delivery === undefined || delivery.keys.length === 0 ? [] : ['delivers what is signed']),
    ...(fallback === undefined ? [] : [`falls back on ${fallback.url}`]),
    ...sayAccess(account),
  ]
    .filter(Boolean)
    .join(', ')
}

const sayPeriod = ({ quota, period }: Account): string =>
  quota === undefined ? '' : { month: 'a month', total: 'in all' }[period]

const HEAD = ['USERNAME', 'PLAN', 'USED', 'QUOTA', '', 'STATE', 'LIMITS']

/** Accounts as an aligned table with a head. */
export const accountsTable = (accounts: readonly Account[]): string =>
  alignRows(
    [
      HEAD,
      ...accounts.map((account) => [
        account.username,
        account.plan,
        String(account.used),
        String(account.quota ?? 'unlimited'),
        sayPeriod(account),
        account.suspended ? 'suspended' : 'active',
        sayRules(account) || '-',
      ]),
    ],
    [2, 3],
  )
