import { describe, expect, it } from 'vitest'
import { fail } from '../../core/failure.ts'
import type { Made } from '../../core/outcome.ts'
import { bestEffort } from './best-effort.ts'

const made = (bytes: number): Made => ({
  format: 'jpeg',
  path: `/job/result-${bytes}`,
  bytes,
  width: 3,
  height: 2,
  frames: 1,
  encodes: 1,
  warnings: ['said before'],
})

/** Runs work that offers two results and then ends as `end` says. */
const run = async (
  end: () => Promise<Made>,
  { offers = [made(9), made(5)], signal = new AbortController().signal } = {},
) => {
  const offered: Made[] = []
  const told: unknown[] = []
  const outcome = bestEffort(
    { offer: (one) => offered.push(one), signal, onFault: (fault) => told.push(fault) },
    (offer) => {
      for (const one of offers) offer(one)
      return end()
    },
  )
  const result = await outcome.catch((error: unknown) => error)
  return { result, offered, told }
}

describe('work that offers ever better results', () => {
  it('ends with its own result, and all offers are passed on', async () => {
    expect(await run(async () => made(4))).toEqual({ result: made(4), offered: [made(9), made(5)], told: [] })
  })

  it('ends with the best offer when a fault stops it, with a warning and a report of the fault', async () => {
    const fault = new Error('an encoder threw')
    const { result, told } = await run(() => Promise.reject(fault))
    expect(result).toMatchObject({ path: '/job/result-5', warnings: ['said before', expect.stringContaining('fault')] })
    expect(told).toEqual([fault])
  })

  it('ends with the best offer when the processes that work were lost', async () => {
    const { result } = await run(() => Promise.reject(fail('WORKERS_LOST')))
    expect(result).toMatchObject({ path: '/job/result-5' })
  })

  it('ends with the best offer when searching further took too much memory, which is said', async () => {
    const { result, told } = await run(() => Promise.reject(fail('IMAGE_TOO_COMPLEX', 3e9)))
    expect(result).toMatchObject({
      path: '/job/result-5',
      warnings: ['said before', expect.stringContaining('too much memory')],
    })
    expect(told).toEqual([])
  })

  it.each([
    [
      'when it took too much memory and nothing but the source was there',
      fail('IMAGE_TOO_COMPLEX', 3e9),
      { offers: [{ ...made(9), untouched: true }] },
    ],
    ['when nothing was offered', new Error('an encoder threw'), { offers: [] }],
    ['when the image is to blame', fail('SOURCE_DAMAGED'), {}],
    ['when time is over', new Error('over'), { signal: AbortSignal.abort() }],
  ])('fails as it did %s', async (_, error, how) => {
    expect(await run(() => Promise.reject(error), how)).toMatchObject({ result: error, told: [] })
  })
})
