import { fail } from '../../core/failure.ts'
import { type Account, type Accounts, isUsername } from '../../ports/accounts.ts'

/** Returns the start of a text that may be a username. The rest may be an address with a password. */
const shown = (username: string): string => {
  const end = username.search(/[^A-Za-z0-9_.-]/)
  return end < 0 && username.length <= 64 ? username : `${username.slice(0, end < 0 ? 64 : Math.min(end, 64))}...`
}

/** Returns the account of a username. Fails with 403 without one (§6). */
export const authorise = async (accounts: Pick<Accounts, 'find'>, username: string): Promise<Account> => {
  if (username === '') throw fail('USERNAME_MISSING')
  const account = isUsername(username) ? await accounts.find(username) : undefined
  if (account === undefined) throw fail('USERNAME_UNKNOWN', shown(username))
  if (account.suspended) throw fail('ACCOUNT_SUSPENDED', username)
  return account
}

/** Returns the failure for a used-up quota or trial (402). */
export const usedUp = (account: Account) =>
  fail(account.plan === 'trial' ? 'TRIAL_USED_UP' : 'QUOTA_USED_UP', account.username)
