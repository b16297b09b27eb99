import { describe, expect, it } from 'vitest'
import { openGuessLimit } from './guess-limit.ts'

const open = () => {
  let time = 0
  const limit = openGuessLimit({ burst: 3, perMinute: 6, now: () => time })
  const isLet = (address: string, username: string): boolean => {
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
  return { limit, isLet, guess, wait }
}

describe('guessing usernames', () => {
  it('ends after a few wrong ones, for right ones as well, and for this address alone', () => {
    const { isLet, guess } = open()
    guess('192.0.2.1', 2)
    expect(isLet('192.0.2.1', 'anna')).toBe(true)
    guess('192.0.2.1', 1)
    expect([isLet('192.0.2.1', 'anna'), isLet('192.0.2.2', 'anna')]).toEqual([false, true])
  })

  it('may go on slowly', () => {
    const { isLet, guess, wait } = open()
    guess('192.0.2.1', 100)
    wait(9_000)
    expect(isLet('192.0.2.1', 'anna')).toBe(false)
    wait(1_001)
    expect(isLet('192.0.2.1', 'anna')).toBe(true)
  })

  it('costs those nothing whose username was right from there before', () => {
    const { limit, isLet, guess } = open()
    limit.right('192.0.2.1', 'anna')
    guess('192.0.2.1', 100)
    expect([isLet('192.0.2.1', 'anna'), isLet('192.0.2.1', 'bert')]).toEqual([true, false])
  })

  it.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['2001:db8::1', '2001:db8::ffff', true],
    ['::1', '::2', true],
  ])('a guess from %s counts against %s: %s', (one, other, same) => {
    const { isLet, guess } = open()
    guess(one, 3)
    expect(isLet(other, 'anna')).toBe(!same)
  })

  it('remembers no more addresses than fit', () => {
    const { isLet, guess } = open()
    guess('192.0.2.1', 3)
    for (let at = 0; at < 20_000; at += 1) guess(`10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`, 1)
    expect(isLet('192.0.2.1', 'anna')).toBe(true)
  })
})
