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

describe('the cap on requests', () => {
  it('the cap refuses requests of one account until one of its requests ends', () => {
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

describe('the cap on sources', () => {
  it('a source waits until earlier ones of its account are received, in order of arrival', async () => {
    const caps = openAccountCaps(CAPS)
    const [first, second] = [await caps.takeSlot('anna', 1, signal), await caps.takeSlot('anna', 1, signal)]
    const third = caps.takeSlot('anna', 1, signal)
    const fourth = caps.takeSlot('anna', 1, signal)
    await caps.takeSlot('bert', 1, signal)
    expect([await isSettled(third), await isSettled(fourth)]).toEqual([false, false])
    first.received(1)
    expect([await isSettled(third), await isSettled(fourth)]).toEqual([true, false])
    second[Symbol.dispose]()
    expect(await isSettled(fourth)).toBe(true)
  })

  it('a source waits for bytes, which small and disposed sources free', async () => {
    const caps = openAccountCaps(CAPS)
    const first = await caps.takeSlot('anna', 80, signal)
    const second = caps.takeSlot('anna', 60, signal)
    expect(await isSettled(second)).toBe(false)
    first.received(40)
    const held = await second
    held.received(60)
    const third = caps.takeSlot('anna', 50, signal)
    expect(await isSettled(third)).toBe(false)
    first[Symbol.dispose]()
    first[Symbol.dispose]()
    expect(await isSettled(third)).toBe(false)
    held[Symbol.dispose]()
    expect(await isSettled(third)).toBe(true)
  })

  it('sources larger than the cap are received one at a time', async () => {
    const caps = openAccountCaps(CAPS)
    const first = await caps.takeSlot('anna', 500, signal)
    const second = caps.takeSlot('anna', 500, signal)
    expect(await isSettled(second)).toBe(false)
    first[Symbol.dispose]()
    expect(await isSettled(second)).toBe(true)
  })

  it('a source is refused after the maximum wait, and leaves the queue when its client disconnects', async () => {
    const caps = openAccountCaps(CAPS, 5)
    const first = await caps.takeSlot('anna', 100, signal)
    const leaving = new AbortController()
    const patient = openAccountCaps(CAPS)
    await patient.takeSlot('anna', 100, signal)
    const left = patient.takeSlot('anna', 1, leaving.signal)
    leaving.abort(new Error('gone'))
    await expect(left).rejects.toThrow('gone')
    await expect(caps.takeSlot('anna', 1, signal)).rejects.toThrow(tooMany)
    first[Symbol.dispose]()
    await caps.takeSlot('anna', 1, signal)
  })
})
