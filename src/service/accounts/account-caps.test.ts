import { describe, expect, it } from 'vitest'
import { type CapsSettings, openAccountCaps } from './account-caps.ts'

const CAPS: CapsSettings = { requests: 2, receiving: 2, spoolBytes: 100 }
const { signal } = new AbortController()
const tooMany = expect.objectContaining({ code: 'TOO_MANY_AT_ONCE', status: 429 })

/** Whether a promise is settled by now. */
const isSettled = (promise: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    promise.then(
      () => true,
      () => true,
    ),
    new Promise<boolean>((resolve) => setImmediate(() => resolve(false))),
  ])

describe('requests of one account', () => {
  it('are refused beyond their cap, until one of them ends; others are not concerned', () => {
    const caps = openAccountCaps(CAPS)
    const first = caps.enter('anna')
    caps.enter('anna')
    expect(() => caps.enter('anna')).toThrow(tooMany)
    caps.enter('bert')
    first[Symbol.dispose]()
    caps.enter('anna')
    expect(() => caps.enter('anna')).toThrow(tooMany)
    expect(caps.entered()).toBe(3)
  })
})

describe('sources of one account', () => {
  it('wait for earlier ones to be received, in order, and those of others do not', async () => {
    const caps = openAccountCaps(CAPS)
    const [first, second] = [await caps.place('anna', 1, signal), await caps.place('anna', 1, signal)]
    const third = caps.place('anna', 1, signal)
    const fourth = caps.place('anna', 1, signal)
    await caps.place('bert', 1, signal)
    expect([await isSettled(third), await isSettled(fourth)]).toEqual([false, false])
    first.received(1)
    expect([await isSettled(third), await isSettled(fourth)]).toEqual([true, false])
    second[Symbol.dispose]()
    expect(await isSettled(fourth)).toBe(true)
  })

  it('wait for room, which those that turn out small and those that end make', async () => {
    const caps = openAccountCaps(CAPS)
    const first = await caps.place('anna', 80, signal)
    const second = caps.place('anna', 60, signal)
    expect(await isSettled(second)).toBe(false)
    first.received(40)
    const held = await second
    held.received(60)
    const third = caps.place('anna', 50, signal)
    expect(await isSettled(third)).toBe(false)
    first[Symbol.dispose]()
    first[Symbol.dispose]()
    expect(await isSettled(third)).toBe(false)
    held[Symbol.dispose]()
    expect(await isSettled(third)).toBe(true)
  })

  it('are taken one at a time where each is larger than the cap', async () => {
    const caps = openAccountCaps(CAPS)
    const first = await caps.place('anna', 500, signal)
    const second = caps.place('anna', 500, signal)
    expect(await isSettled(second)).toBe(false)
    first[Symbol.dispose]()
    expect(await isSettled(second)).toBe(true)
  })

  it('are refused when they waited too long, and leave when their client does', async () => {
    const caps = openAccountCaps(CAPS, 5)
    const first = await caps.place('anna', 100, signal)
    const leaving = new AbortController()
    const patient = openAccountCaps(CAPS)
    await patient.place('anna', 100, signal)
    const left = patient.place('anna', 1, leaving.signal)
    leaving.abort(new Error('gone'))
    await expect(left).rejects.toThrow('gone')
    await expect(caps.place('anna', 1, signal)).rejects.toThrow(tooMany)
    first[Symbol.dispose]()
    await caps.place('anna', 1, signal)
  })
})
