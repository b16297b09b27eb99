import { fail } from '../../core/failure.ts'
import type { Account, Accounts } from '../../ports/accounts.ts'

/** Name of the account of `npm start`, for local use only. */
export const DEMO = 'demo'

const demoAccount: Account = { username: DEMO, plan: 'demo', suspended: false, period: 'total', used: 0, limits: {} }

/** Whether only this machine can reach an address that the service listens on. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)

/**
 * Adds the unlimited account `demo`, which is not stored. Everyone knows its name, so {@link refuseDemo} restricts it to clients on this
 * machine.
 */
export const withDemo = (accounts: Accounts): Accounts => ({
  ...accounts,
  find: async (username) => (username === DEMO ? demoAccount : accounts.find(username)),
  reserve: async (username, requestId, holder) =>
    username === DEMO ? true : accounts.reserve(username, requestId, holder),
})

/** Fails with 403 for `demo` when the request may come from a stranger: over the network, through a proxy, or from a web page. */
export const refuseDemo = (username: string, { isLocal }: { readonly isLocal: boolean }): void => {
  if (username === DEMO && !isLocal) throw fail('DEMO_REFUSED')
}
