import { describe, expect, it } from 'vitest'
import { openGuessLimit } from './guess-limit.ts'

const open = () => {
  let time = 0
  const limit = openGuessLimit({ burst: 3, perMinute: 6, now: () => time })
  const isAllowed = (address: string, username: string): boolean => {
    try {
      limit.check(address, username)
      return true
    } catch (error) {
      expect(error).toMatchObject({ status: 429, code: 'TOO_MANY_GUESSES' })
      return false
    }
  }
  const guess = (address: string, times: number): void => {
    for (let done = 0; done < times; done += 1) limit.wrong(address)
  }
  const wait = (ms: number): void => {
    time += ms
  }
  return { limit, isAllowed, guess, wait }
}

describe('guessing usernames', () => {
  it('known usernames are refused too after a few unknown ones, from the same address only', () => {
    const { isAllowed, guess } = open()
    guess('192.0.2.1', 2)
    expect(isAllowed('192.0.2.1', 'anna')).toBe(true)
    guess('192.0.2.1', 1)
    expect([isAllowed('192.0.2.1', 'anna'), isAllowed('192.0.2.2', 'anna')]).toEqual([false, true])
  })

  it('a slow guesser is accepted', () => {
    const { isAllowed, guess, wait } = open()
    guess('192.0.2.1', 100)
    wait(9_000)
    expect(isAllowed('192.0.2.1', 'anna')).toBe(false)
    wait(1_001)
    expect(isAllowed('192.0.2.1', 'anna')).toBe(true)
  })

  it('a username that the address has used before is still accepted', () => {
    const { limit, isAllowed, guess } = open()
    limit.right('192.0.2.1', 'anna')
    guess('192.0.2.1', 100)
    expect([isAllowed('192.0.2.1', 'anna'), isAllowed('192.0.2.1', 'bert')]).toEqual([true, false])
  })

  it.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['2001:db8::1', '2001:db8::ffff', true],
    ['::1', '::2', true],
  ])('a guess from %s counts against %s: %s', (one, other, same) => {
    const { isAllowed, guess } = open()
    guess(one, 3)
    expect(isAllowed(other, 'anna')).toBe(!same)
  })

  it('the oldest of 20,000 addresses is forgotten', () => {
    const { isAllowed, guess } = open()
    guess('192.0.2.1', 3)
    for (let at = 0; at < 20_000; at += 1) guess(`10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`, 1)
    expect(isAllowed('192.0.2.1', 'anna')).toBe(true)
  })
})
