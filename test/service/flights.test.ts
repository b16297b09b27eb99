import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Deadline, deadlineIn } from '../../src/core/deadline.ts'
import type { Made } from '../../src/core/outcome.ts'
import { type Cockpit, openFlights } from '../../src/service/flights.ts'

let directory: string
let source: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'whittle-flights-'))
  source = join(directory, 'given')
  await writeFile(source, 'source')
})
afterEach(() => rm(directory, { recursive: true }))

const left = async (): Promise<string[]> => (await readdir(directory)).filter((name) => name !== 'given')

/** Writes a result into the scratch directory of a flight. */
const made = async ({ directory: scratch }: Cockpit, text: string): Promise<Made> => {
  const path = join(scratch, `result-${text}`)
  await writeFile(path, text)
  return { format: 'png', path, bytes: text.length, width: 1, height: 1, frames: 1, encodes: 1, warnings: [] }
}

/** A deadline that ends when the test says so. */
const hand = (): { readonly deadline: Deadline; readonly end: () => void } => {
  const controller = new AbortController()
  return {
    deadline: { remaining: () => (controller.signal.aborted ? 0 : 10_000), signal: controller.signal },
    end: () => controller.abort(new Error('over')),
  }
}

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

describe('flights', () => {
  it('work once for all who ask at the same time, and clean up', async () => {
    const flights = openFlights(directory)
    let works = 0
    const gate = Promise.withResolvers<void>()
    const ask = () =>
      flights.fly('key', source, deadlineIn(10_000), async (cockpit) => {
        works += 1
        expect(await readFile(cockpit.source, 'utf8')).toBe('source')
        await gate.promise
        return made(cockpit, 'done')
      })
    const all = [ask(), ask(), ask()]
    expect(flights.underWay()).toBe(1)
    gate.resolve()
    const landed = await Promise.all(all)
    expect(landed.map((one) => Buffer.from(one?.body ?? []).toString())).toEqual(['done', 'done', 'done'])
    expect([works, flights.underWay(), flights.oldestMs(), await left()]).toEqual([1, 0, 0, []])
  })

  it('of different keys know nothing of each other', async () => {
    const flights = openFlights(directory)
    const fly = (key: string) => flights.fly(key, source, deadlineIn(10_000), (cockpit) => made(cockpit, key))
    const landed = await Promise.all([fly('a'), fly('b')])
    expect(landed.map((one) => Buffer.from(one?.body ?? []).toString())).toEqual(['a', 'b'])
  })

  it('fail for all who wait, and not for who asks afterwards', async () => {
    const flights = openFlights(directory)
    const ask = () => flights.fly('key', source, deadlineIn(10_000), () => Promise.reject(new Error('broken')))
    const outcomes = await Promise.allSettled([ask(), ask()])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    const landed = await flights.fly('key', source, deadlineIn(10_000), (cockpit) => made(cockpit, 'fine'))
    expect(Buffer.from(landed?.body ?? []).toString()).toBe('fine')
    expect(await left()).toEqual([])
  })

  it('give the best so far when the deadline ends, marked as cut short', async () => {
    const flights = openFlights(directory)
    const { deadline, end } = hand()
    const landed = await flights.fly('key', source, deadline, async (cockpit) => {
      cockpit.offer(await made(cockpit, 'first'))
      cockpit.offer(await made(cockpit, 'better'))
      queueMicrotask(end)
      return untilAborted(cockpit.deadline.signal)
    })
    expect([Buffer.from(landed?.body ?? []).toString(), landed?.made.cutShort]).toEqual(['better', true])
    expect(await left()).toEqual([])
  })

  it('give nothing when nothing was made by then', async () => {
    const flights = openFlights(directory)
    const { deadline, end } = hand()
    const landed = flights.fly('key', source, deadline, ({ deadline: own }) => untilAborted(own.signal))
    end()
    expect(await landed).toBeUndefined()
    expect(await left()).toEqual([])
  })

  it('start over for who has more time than whoever began', async () => {
    const flights = openFlights(directory)
    const short = hand()
    let works = 0
    const work = async (cockpit: Cockpit): Promise<Made> => {
      works += 1
      return works === 1 ? untilAborted(cockpit.deadline.signal) : made(cockpit, 'whole')
    }
    const first = flights.fly('key', source, short.deadline, work)
    const second = flights.fly('key', source, deadlineIn(10_000), work)
    short.end()
    expect(await first).toBeUndefined()
    const landed = await second
    expect([Buffer.from(landed?.body ?? []).toString(), landed?.made.cutShort, works]).toEqual(['whole', undefined, 2])
    expect(await left()).toEqual([])
  })

  it('give who has less time the best so far, and go on for the others', async () => {
    const flights = openFlights(directory)
    const short = hand()
    const gate = Promise.withResolvers<void>()
    const offered = Promise.withResolvers<void>()
    const work = async (cockpit: Cockpit): Promise<Made> => {
      cockpit.offer(await made(cockpit, 'early'))
      offered.resolve()
      await gate.promise
      return made(cockpit, 'late')
    }
    const patient = flights.fly('key', source, deadlineIn(10_000), work)
    const hasty = flights.fly('key', source, short.deadline, work)
    await offered.promise
    short.end()
    const early = await hasty
    expect([Buffer.from(early?.body ?? []).toString(), early?.made.cutShort]).toEqual(['early', true])
    gate.resolve()
    expect(Buffer.from((await patient)?.body ?? []).toString()).toBe('late')
  })

  it('end when nobody waits any more', async () => {
    const flights = openFlights(directory)
    const { deadline, end } = hand()
    const stopped = Promise.withResolvers<void>()
    const landed = flights.fly('key', source, deadline, (cockpit) => {
      cockpit.deadline.signal.addEventListener('abort', () => stopped.resolve(), { once: true })
      end()
      return untilAborted(cockpit.deadline.signal)
    })
    await stopped.promise
    expect([await landed, flights.underWay(), await left()]).toEqual([undefined, 0, []])
  })

  it('keep the source although its owner removes it', async () => {
    const flights = openFlights(directory)
    const gate = Promise.withResolvers<void>()
    const landed = flights.fly('key', source, deadlineIn(10_000), async (cockpit) => {
      await rm(source)
      gate.resolve()
      await writeFile(source, 'another')
      return made(cockpit, await readFile(cockpit.source, 'utf8'))
    })
    await gate.promise
    expect(Buffer.from((await landed)?.body ?? []).toString()).toBe('source')
  })
})
