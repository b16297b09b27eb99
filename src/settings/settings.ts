import { ACCOUNTS } from './rows/accounts.ts'
import { DELIVERY } from './rows/delivery.ts'
import { LISTENING } from './rows/listening.ts'
import { OPERATION } from './rows/operation.ts'
import type { SettingRow } from './rows/row.ts'
import { SOURCES } from './rows/sources.ts'
import { STORAGE } from './rows/storage.ts'
import { WORK } from './rows/work.ts'

/** Every setting of the service, in the order of `docs/settings.md`. Names include the unit. */
export const SETTINGS = {
  ...LISTENING,
  ...STORAGE,
  ...SOURCES,
  ...WORK,
  ...ACCOUNTS,
  ...DELIVERY,
  ...OPERATION,
} as const

export type SettingKey = keyof typeof SETTINGS

/** All settings, complete and valid. */
export type Settings = {
  readonly [Key in SettingKey]: (typeof SETTINGS)[Key] extends SettingRow<infer Value> ? Value : never
}
