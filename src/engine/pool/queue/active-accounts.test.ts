import { describe, expect, it } from 'vitest'
import { openActiveAccounts } from './active-accounts.ts'

describe('the workers that an account may have', () => {
  it('are all of them while it is alone', () => {
    const activeAccounts = openActiveAccounts(2)
    activeAccounts.seen('anna')
    activeAccounts.began('anna')
    expect(activeAccounts.mayRun('anna')).toBe(true)
  })

  it('are all but one while another account is active, which finds that one free', () => {
    const activeAccounts = openActiveAccounts(3)
    for (const account of ['anna', 'bert']) activeAccounts.seen(account)
    activeAccounts.began('anna')
    expect([activeAccounts.mayRun('anna'), activeAccounts.mayRun('bert')]).toEqual([true, true])
    activeAccounts.began('anna')
    expect([activeAccounts.mayRun('anna'), activeAccounts.mayRun('bert')]).toEqual([false, true])
    activeAccounts.ended('anna')
    expect(activeAccounts.mayRun('anna')).toBe(true)
  })

  it('are all of them again when the others have been away for a while, however long their work takes', () => {
    let now = 0
    const activeAccounts = openActiveAccounts(2, undefined, () => now)
    activeAccounts.seen('bert')
    activeAccounts.began('bert')
    activeAccounts.seen('anna')
    activeAccounts.began('anna')
    now += 60_000
    expect(activeAccounts.mayRun('anna')).toBe(false)
    activeAccounts.ended('bert')
    now += 8_000
    expect(activeAccounts.mayRun('anna')).toBe(false)
    now += 3_000
    expect(activeAccounts.mayRun('anna')).toBe(true)
  })

  it('include the only worker of a pool of one', () => {
    const activeAccounts = openActiveAccounts(1)
    for (const account of ['anna', 'bert']) activeAccounts.seen(account)
    expect(activeAccounts.mayRun('anna')).toBe(true)
  })

  it('are all of them while the only other account is in debt', () => {
    const activeAccounts = openActiveAccounts(2, (account) => account === 'bert')
    for (const account of ['anna', 'bert']) activeAccounts.seen(account)
    for (const account of ['anna', 'bert']) activeAccounts.began(account)
    expect([activeAccounts.mayRun('anna'), activeAccounts.mayRun('bert')]).toEqual([true, false])
  })
})
