import { expect, it } from 'vitest'
import { openSharedWork } from './shared-work.ts'

const never = new AbortController().signal

it('shared work runs once for concurrent callers, and again afterwards', async () => {
  const shared = openSharedWork<number>()
  let runs = 0
  const work = async (): Promise<number> => {
    await new Promise((resolve) => setImmediate(resolve))
    runs += 1
    return runs
  }
  expect(await Promise.all([1, 2, 3].map(() => shared.join('a', never, work)))).toEqual([1, 1, 1])
  expect(await shared.join('a', never, work)).toBe(2)
  expect(await Promise.all([shared.join('a', never, work), shared.join('b', never, work)])).toEqual([3, 4])
})

it('every caller receives the failure, and the work runs while one of them waits', async () => {
  const shared = openSharedWork<string>()
  const { promise, reject } = Promise.withResolvers<string>()
  const leaver = new AbortController()
  let stopped = false
  const work = (signal: AbortSignal): Promise<string> => {
    signal.addEventListener('abort', () => {
      stopped = true
    })
    return promise
  }
  const gone = shared.join('a', leaver.signal, work)
  const stays = shared.join('a', never, work)
  leaver.abort(new Error('gone'))
  await expect(gone).rejects.toThrow('gone')
  expect(stopped).toBe(false)
  reject(new Error('failed'))
  await expect(stays).rejects.toThrow('failed')
})

it('shared work stops when the last caller has left, and stopped work is not joined', async () => {
  const shared = openSharedWork<string>()
  const leaver = new AbortController()
  const signals: AbortSignal[] = []
  const work = (signal: AbortSignal): Promise<string> => {
    signals.push(signal)
    return new Promise((resolve) => signals.length > 1 && resolve('second'))
  }
  const gone = shared.join('a', leaver.signal, work)
  leaver.abort(new Error('gone'))
  await expect(gone).rejects.toThrow('gone')
  expect(signals[0]?.aborted).toBe(true)
  let idle = false
  void shared.idle().then(() => {
    idle = true
  })
  expect(await shared.join('a', never, work)).toBe('second')
  expect(idle).toBe(false)
})
