import { describe, expect, it } from 'vitest'
import { openPresence } from './presence.ts'

describe('the workers that an account may have', () => {
  it('are all of them while it is alone', () => {
    const presence = openPresence(2)
    presence.seen('anna')
    presence.began('anna')
    expect(presence.mayRun('anna')).toBe(true)
  })

  it('are all but one while another account is active, which finds that one free', () => {
    const presence = openPresence(3)
    for (const account of ['anna', 'bert']) presence.seen(account)
    presence.began('anna')
    expect([presence.mayRun('anna'), presence.mayRun('bert')]).toEqual([true, true])
    presence.began('anna')
    expect([presence.mayRun('anna'), presence.mayRun('bert')]).toEqual([false, true])
    presence.ended('anna')
    expect(presence.mayRun('anna')).toBe(true)
  })

  it('are all of them again when the others have been away for a while, however long their work takes', () => {
    let now = 0
    const presence = openPresence(2, () => now)
    presence.seen('bert')
    presence.began('bert')
    presence.seen('anna')
    presence.began('anna')
    now += 60_000
    expect(presence.mayRun('anna')).toBe(false)
    presence.ended('bert')
    now += 8_000
    expect(presence.mayRun('anna')).toBe(false)
    now += 3_000
    expect(presence.mayRun('anna')).toBe(true)
  })

  it('include the only worker of a pool of one', () => {
    const presence = openPresence(1)
    for (const account of ['anna', 'bert']) presence.seen(account)
    expect(presence.mayRun('anna')).toBe(true)
  })

  it('are none after abandoned work, for three times as long as that took, while another account is active', () => {
    let now = 0
    const presence = openPresence(2, () => now)
    for (const account of ['anna', 'bert']) presence.seen(account)
    presence.left('anna', 400)
    expect(presence.mayRun('anna')).toBe(false)
    now += 1_199
    expect(presence.mayRun('anna')).toBe(false)
    now += 1
    expect(presence.mayRun('anna')).toBe(true)
  })

  it('are all of them for the other accounts meanwhile, and for an account that is alone', () => {
    const presence = openPresence(2)
    for (const account of ['anna', 'bert']) presence.seen(account)
    presence.left('anna', 400)
    presence.began('bert')
    expect(presence.mayRun('bert')).toBe(true)
    const lonely = openPresence(2)
    lonely.seen('anna')
    lonely.left('anna', 400)
    lonely.began('anna')
    expect(lonely.mayRun('anna')).toBe(true)
  })

  it('come back after five seconds at the latest', () => {
    let now = 0
    const presence = openPresence(2, () => now)
    for (const account of ['anna', 'bert']) presence.seen(account)
    for (let times = 0; times < 9; times++) presence.left('anna', 20_000)
    now += 5_000
    expect(presence.mayRun('anna')).toBe(true)
  })
})
