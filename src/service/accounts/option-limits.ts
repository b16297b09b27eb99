import type { OptionLimits } from '../../options/options.ts'
import type { Account } from '../../ports/accounts.ts'
import type { ServiceSettings } from '../service.ts'

/** How option lists of an account are read: its longest timeout, its presets and its default of `meta`. */
export const optionLimitsOf = (
  { settings }: { readonly settings: Pick<ServiceSettings, 'maxTimeout'> },
  account: Account | undefined,
): OptionLimits => ({
  maxTimeout: account?.limits.maxTimeout ?? settings.maxTimeout,
  ...(account?.presets === undefined ? {} : { presets: account.presets }),
  ...(account?.meta === undefined ? {} : { defaultMeta: account.meta }),
})
