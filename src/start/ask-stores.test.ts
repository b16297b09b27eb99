import { expect, it } from 'vitest'
import { fail } from '../core/failure.ts'
import { askStores } from './ask-stores.ts'
import type { Stores } from './stores.ts'

it('pings every remote store repeatedly, even if one does not answer', async () => {
  const asked = { accounts: 0, results: 0 }
  const stores = {
    accounts: {
      ping: async () => {
        asked.accounts += 1
      },
    },
    results: {
      ping: async () => {
        asked.results += 1
        throw fail('STORE_AWAY')
      },
    },
  } as unknown as Stores
  const stop = askStores(stores, 1)
  await expect.poll(() => Math.min(asked.accounts, asked.results)).toBeGreaterThan(2)
  stop()
})
