import type { Reader } from '../readers.ts'

/** One setting: its environment variable, its reader, and its documentation. */
export interface SettingRow<Value> {
  readonly env: string
  readonly read: Reader<NonNullable<Value>>
  readonly default: Value
  /** The default in the documentation, in a form that can be set. */
  readonly shown: string
  readonly help: string
  /** The setting holds a password or key. Its value is never shown. */
  readonly secret?: true
  /** A warning about a valid value that is unwise or breaks a promise of the contract. */
  readonly warning?: (value: NonNullable<Value>) => string | undefined
}

/** Returns the row, with the type of its value. */
export const setting = <Value>(row: SettingRow<Value>): SettingRow<Value> => row
