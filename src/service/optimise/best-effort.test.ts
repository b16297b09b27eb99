import { describe, expect, it } from 'vitest'
import { fail } from '../../core/failure.ts'
import type { ResultFile } from '../../core/outcome.ts'
import { bestEffort } from './best-effort.ts'

const resultOf = (bytes: number): ResultFile => ({
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
  end: () => Promise<ResultFile>,
  { offers = [resultOf(9), resultOf(5)], signal = new AbortController().signal } = {},
) => {
  const offered: ResultFile[] = []
  const faults: unknown[] = []
  const outcome = bestEffort(
    { offer: (one) => offered.push(one), signal, onFault: (fault) => faults.push(fault) },
    (offer) => {
      for (const one of offers) offer(one)
      return end()
    },
  )
  const result = await outcome.catch((error: unknown) => error)
  return { result, offered, faults }
}

describe('bestEffort', () => {
  it('returns the result of the work, and passes every offer on', async () => {
    expect(await run(async () => resultOf(4))).toEqual({
      result: resultOf(4),
      offered: [resultOf(9), resultOf(5)],
      faults: [],
    })
  })

  it('returns the best offer with a warning after a fault, and reports the fault', async () => {
    const fault = new Error('an encoder threw')
    const { result, faults } = await run(() => Promise.reject(fault))
    expect(result).toMatchObject({ path: '/job/result-5', warnings: ['said before', expect.stringContaining('fault')] })
    expect(faults).toEqual([fault])
  })

  it('returns the best offer when the workers are lost', async () => {
    const { result } = await run(() => Promise.reject(fail('WORKERS_LOST')))
    expect(result).toMatchObject({ path: '/job/result-5' })
  })

  it('returns the best offer with a warning when the search takes too much memory', async () => {
    const { result, faults } = await run(() => Promise.reject(fail('IMAGE_TOO_COMPLEX', 3e9)))
    expect(result).toMatchObject({
      path: '/job/result-5',
      warnings: ['said before', expect.stringContaining('too much memory')],
    })
    expect(faults).toEqual([])
  })

  it.each([
    [
      'when it takes too much memory and only the source was offered',
      fail('IMAGE_TOO_COMPLEX', 3e9),
      { offers: [{ ...resultOf(9), untouched: true }] },
    ],
    ['when nothing was offered', new Error('an encoder threw'), { offers: [] }],
    ['when the image is damaged', fail('SOURCE_DAMAGED'), {}],
    ['when the time is over', new Error('over'), { signal: AbortSignal.abort() }],
  ])('fails like the work %s', async (_, error, how) => {
    expect(await run(() => Promise.reject(error), how)).toMatchObject({ result: error, faults: [] })
  })
})
