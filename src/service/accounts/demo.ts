import { fail } from '../../core/failure.ts'
import type { Account, Accounts } from '../../ports/accounts.ts'

/** The account that `npm start` opens, for trying the service out on one's own machine. */
export const DEMO = 'demo'

const demoAccount: Account = { username: DEMO, plan: 'demo', suspended: false, period: 'total', used: 0, limits: {} }

/** Whether an address that the service listens on can be reached from this machine alone. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)

/**
 * Adds the account `demo`, unlimited and stored nowhere, to `accounts`. Its name is public: open it only on a machine that
 * no other reaches, see {@link refuseDemo}.
 */
export const withDemo = (accounts: Accounts): Accounts => ({
  ...accounts,
  find: async (username) => (username === DEMO ? demoAccount : accounts.find(username)),
  reserve: async (username, requestId, holder) =>
    username === DEMO ? true : accounts.reserve(username, requestId, holder),
})

/** 403 for `demo` as soon as strangers could be asking, over the network, through a proxy, or through a web page. */
export const refuseDemo = (username: string, { isLocal }: { readonly isLocal: boolean }): void => {
  if (username === DEMO && !isLocal) throw fail('DEMO_REFUSED')
}
