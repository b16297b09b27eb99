import type { Limits } from '../../plan/plan.ts'
import type { Account } from '../../ports/accounts.ts'
import type { Service } from '../service.ts'

/** Returns the limits of the settings, overridden by the account's own (§7). */
export const limitsOf = ({ settings }: Service, { limits }: Account): Limits => ({
  ...settings.limits,
  ...(limits.maxBytes === undefined ? {} : { maxBytes: limits.maxBytes }),
  ...(limits.maxPixels === undefined ? {} : { maxPixels: limits.maxPixels }),
  ...(limits.maxSide === undefined ? {} : { maxSide: limits.maxSide }),
})
