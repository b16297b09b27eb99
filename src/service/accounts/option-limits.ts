import type { OptionLimits } from '../../options/options.ts'
import type { Account } from '../../ports/accounts.ts'
import type { ServiceSettings } from '../service.ts'

/** Returns the account's maximum timeout, presets and default of `meta`, to parse its option lists. */
export const optionLimitsOf = (
  { settings }: { readonly settings: Pick<ServiceSettings, 'maxTimeout'> },
  account: Account | undefined,
): OptionLimits => ({
  maxTimeout: account?.limits.maxTimeout ?? settings.maxTimeout,
  ...(account?.presets === undefined ? {} : { presets: account.presets }),
  ...(account?.meta === undefined ? {} : { defaultMeta: account.meta }),
})
