import { fail } from '../core/failure.ts'
import type { Account, Accounts } from '../ports/accounts.ts'

/** Letters, digits, `_`, `.`, `-`; never starting with `-` (§6). */
const USERNAME = /^[A-Za-z0-9_.][A-Za-z0-9_.-]{0,63}$/

const shown = (username: string): string => username.slice(0, 64).replace(/[^\x20-\x7e]/g, '?')

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
