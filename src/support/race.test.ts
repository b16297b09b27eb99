import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { OVER, raceSignal, timer } from './race.ts'

const never = new Promise<never>(() => undefined)

describe('a race against a signal', () => {
  it.each([
    ['the work when it is done first', () => Promise.resolve('done'), new AbortController().signal, 'done'],
    ['OVER when the signal has fired already', () => never, AbortSignal.abort(), OVER],
    ['OVER when the signal fires first', () => never, AbortSignal.timeout(1), OVER],
  ])('a race resolves with %s', async (_, work, signal, expected) => {
    expect(await raceSignal<unknown>(work(), signal)).toBe(expected)
  })

  it('a race rejects when the work fails', async () => {
    const fault = new Error('broken')
    await expect(raceSignal(Promise.reject(fault), new AbortController().signal)).rejects.toBe(fault)
  })

  it('a race leaves no listener on the signal', async () => {
    const { signal } = new AbortController()
    await raceSignal(Promise.resolve(), signal)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})

describe('a timer to race against', () => {
  it('a timer resolves with OVER', async () => {
    using clock = timer(1)
    expect(await Promise.race([never, clock.over])).toBe(OVER)
  })

  it('a disposed timer never resolves', async () => {
    let ended = false
    {
      using clock = timer(1)
      clock.over.then(() => {
        ended = true
      })
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(ended).toBe(false)
  })
})
