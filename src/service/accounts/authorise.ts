import { fail } from '../../core/failure.ts'
import type { Account, Accounts } from '../../ports/accounts.ts'

/** Letters, digits, `_`, `.`, `-`; never starting with `-` (§6). */
const USERNAME = /^[A-Za-z0-9_.][A-Za-z0-9_.-]{0,63}$/

/** Up to the first character that no username has: what follows may be an address with a password in it. */
const shown = (username: string): string => {
  const end = username.search(/[^A-Za-z0-9_.-]/)
  return end < 0 && username.length <= 64 ? username : `${username.slice(0, end < 0 ? 64 : Math.min(end, 64))}...`
}

/** The account of a username, or the 403 that is judged before anything else (§6). */
export const authorise = async (accounts: Pick<Accounts, 'find'>, username: string): Promise<Account> => {
  if (username === '') throw fail('USERNAME_MISSING')
  const account = USERNAME.test(username) ? await accounts.find(username) : undefined
  if (account === undefined) throw fail('USERNAME_UNKNOWN', shown(username))
  if (account.suspended) throw fail('ACCOUNT_SUSPENDED', username)
  return account
}

/** The failure of an account that has nothing left: a trial ends, a quota is used up (402). */
export const usedUp = (account: Account) =>
  fail(account.plan === 'trial' ? 'TRIAL_USED_UP' : 'QUOTA_USED_UP', account.username)
