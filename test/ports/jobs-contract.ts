import { setImmediate as turn } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Jobs, Work } from '../../src/ports/jobs.ts'

/** Work that the test ends by hand. */
const byHand = () => {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const begun: AbortSignal[] = []
  let offer: (soFar: string) => void = () => undefined
  const work: Work<string> = (signal, tell) => {
    begun.push(signal)
    offer = tell
    signal.addEventListener('abort', () => reject(signal.reason))
    return promise
  }
  return { work, begun, resolve, reject, offer: (soFar: string) => offer(soFar) }
}
const waiter = (): AbortController => new AbortController()
const staying = new AbortController().signal

/** What every adapter of the jobs port must do; `create` makes an empty one. */
export const describeJobs = (name: string, create: () => Promise<Jobs<string>>): void => {
  describe(`jobs: ${name}`, () => {
    let jobs: Jobs<string>
    beforeEach(async () => {
      jobs = await create()
    })

    test('the same key asked for at once is worked on once, and everybody gets the outcome', async () => {
      const { work, begun, resolve } = byHand()
      const flights = Array.from({ length: 5 }, () => jobs.run('a', work, staying))
      expect(flights.map((flight) => flight.joined)).toEqual([false, true, true, true, true])
      await turn()
      resolve('done')
      expect(await Promise.all(flights.map((flight) => flight.promise))).toEqual(Array(5).fill('done'))
      expect(begun).toHaveLength(1)
    })

    test('different keys are worked on apart', async () => {
      const flights = ['a', 'b'].map((key) => jobs.run(key, async () => key, staying))
      expect(await Promise.all(flights.map((flight) => flight.promise))).toEqual(['a', 'b'])
    })

    test('a key asked for again after its end is worked on again', async () => {
      expect(await jobs.run('a', async () => 'first', staying).promise).toBe('first')
      const second = jobs.run('a', async () => 'second', staying)
      expect(second.joined).toBe(false)
      expect(await second.promise).toBe('second')
    })

    test.each([
      ['rejects', () => Promise.reject(new Error('broken'))],
      [
        'throws',
        (): Promise<string> => {
          throw new Error('broken')
        },
      ],
    ])('when the work %s, everybody is told, and the next one tries again', async (_, work) => {
      const flights = [jobs.run('a', work, staying), jobs.run('a', work, staying)]
      for (const flight of flights) await expect(flight.promise).rejects.toThrow('broken')
      expect(jobs.underWay().all).toBe(0)
      expect(await jobs.run('a', async () => 'well', staying).promise).toBe('well')
    })

    test('a waiter who leaves is released at once; who stays gets the outcome', async () => {
      const { work, begun, resolve } = byHand()
      const [one, two] = [waiter(), waiter()]
      const first = jobs.run('a', work, one.signal)
      const second = jobs.run('a', work, two.signal)
      await turn()
      one.abort(new Error('hung up'))
      await expect(first.promise).rejects.toThrow('hung up')
      expect(begun[0]?.aborted).toBe(false)
      resolve('done')
      expect(await second.promise).toBe('done')
    })

    test('when the last waiter has left, the work is aborted, and the key is free for new work', async () => {
      const { work, begun } = byHand()
      const [one, two] = [waiter(), waiter()]
      const flights = [jobs.run('a', work, one.signal), jobs.run('a', work, two.signal)]
      await turn()
      one.abort()
      two.abort(new Error('hung up'))
      await Promise.allSettled(flights.map((flight) => flight.promise))
      expect(begun[0]?.aborted).toBe(true)
      const next = jobs.run('a', async () => 'new', staying)
      expect(next.joined).toBe(false)
      expect(await next.promise).toBe('new')
    })

    test('who has left before asking gets nothing, and nothing stays under way', async () => {
      await expect(jobs.run('a', byHand().work, AbortSignal.abort(new Error('gone'))).promise).rejects.toThrow('gone')
      expect(jobs.underWay().all).toBe(0)
    })

    test('detached work goes on when everybody has left, and can be waited for by its key', async () => {
      const { work, begun, resolve } = byHand()
      const leaving = waiter()
      const first = jobs.run('a', work, leaving.signal)
      await turn()
      expect(jobs.detach('a')).toBe(true)
      leaving.abort()
      await first.promise.catch(() => undefined)
      expect(begun[0]?.aborted).toBe(false)
      const impatient = waiter()
      const second = jobs.join('a', impatient.signal)
      impatient.abort()
      await second?.promise.catch(() => undefined)
      expect(begun[0]?.aborted).toBe(false)
      const third = jobs.join('a', staying)
      resolve('done')
      expect(await third?.promise).toBe('done')
      expect(jobs.join('a', staying)).toBeUndefined()
      expect(jobs.detach('a')).toBe(false)
    })

    test('what the work has so far can be had by each waiter, after leaving too', async () => {
      const { work, offer, resolve } = byHand()
      const leaving = waiter()
      const first = jobs.run('a', work, leaving.signal)
      const second = jobs.run('a', work, staying)
      expect(first.soFar()).toBeUndefined()
      await turn()
      offer('fair')
      leaving.abort()
      await first.promise.catch(() => undefined)
      expect(first.soFar()).toBe('fair')
      offer('better')
      expect(second.soFar()).toBe('better')
      resolve('best')
      expect(await second.promise).toBe('best')
    })

    test('what is under way is told, and draining waits for it', async () => {
      const { work, resolve } = byHand()
      jobs.run('a', work, staying)
      jobs.run('b', work, staying)
      jobs.detach('b')
      expect(jobs.underWay()).toMatchObject({ all: 2, detached: 1 })
      let drained = false
      const draining = jobs.drain().then(() => {
        drained = true
      })
      await turn()
      expect(drained).toBe(false)
      resolve('done')
      await draining
      expect(jobs.underWay()).toEqual({ all: 0, detached: 0, oldestMs: 0 })
    })

    test.each([
      ['later', false],
      ['before', true],
    ])('draining aborts what is left when patience ends (%s)', async (_, first) => {
      const { work, begun } = byHand()
      const flight = jobs.run('a', work, staying)
      jobs.detach('a')
      await turn()
      const impatience = waiter()
      if (first) impatience.abort(new Error('shutting down'))
      const draining = jobs.drain(impatience.signal)
      impatience.abort(new Error('shutting down'))
      await draining
      expect(begun[0]?.aborted).toBe(true)
      await expect(flight.promise).rejects.toThrow('shutting down')
    })
  })
}
