import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Deadline, deadlineIn } from '../../src/core/deadline.ts'
import type { Made } from '../../src/core/outcome.ts'
import { type JobContext, openSingleFlight } from '../../src/jobs/single-flight.ts'

let directory: string
let source: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'whittle-jobs-'))
  source = join(directory, 'given')
  await writeFile(source, 'source')
})
afterEach(() => rm(directory, { recursive: true }))

const left = async (): Promise<string[]> => (await readdir(directory)).filter((name) => name !== 'given')

/** Writes a result into the scratch directory of a job. */
const made = async ({ directory: scratch }: JobContext, text: string): Promise<Made> => {
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

describe('single flight', () => {
  it('work once for all who ask at the same time, and clean up', async () => {
    const singleFlight = openSingleFlight(directory)
    let works = 0
    const gate = Promise.withResolvers<void>()
    const ask = () =>
      singleFlight.run('key', source, deadlineIn(10_000), async (context) => {
        works += 1
        expect(await readFile(context.source, 'utf8')).toBe('source')
        await gate.promise
        return made(context, 'done')
      })
    const all = [ask(), ask(), ask()]
    expect(singleFlight.underWay()).toBe(1)
    gate.resolve()
    const result = await Promise.all(all)
    expect(result.map((one) => Buffer.from(one?.body ?? []).toString())).toEqual(['done', 'done', 'done'])
    expect([works, singleFlight.underWay(), singleFlight.oldestMs(), await left()]).toEqual([1, 0, 0, []])
  })

  it('of different keys know nothing of each other', async () => {
    const singleFlight = openSingleFlight(directory)
    const ask = (key: string) => singleFlight.run(key, source, deadlineIn(10_000), (context) => made(context, key))
    const result = await Promise.all([ask('a'), ask('b')])
    expect(result.map((one) => Buffer.from(one?.body ?? []).toString())).toEqual(['a', 'b'])
  })

  it('fail for all who wait, and not for who asks afterwards', async () => {
    const singleFlight = openSingleFlight(directory)
    const ask = () => singleFlight.run('key', source, deadlineIn(10_000), () => Promise.reject(new Error('broken')))
    const outcomes = await Promise.allSettled([ask(), ask()])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    const result = await singleFlight.run('key', source, deadlineIn(10_000), (context) => made(context, 'fine'))
    expect(Buffer.from(result?.body ?? []).toString()).toBe('fine')
    expect(await left()).toEqual([])
  })

  it('give the best so far when the deadline ends, marked as cut short', async () => {
    const singleFlight = openSingleFlight(directory)
    const { deadline, end } = hand()
    const result = await singleFlight.run('key', source, deadline, async (context) => {
      context.offer(await made(context, 'first'))
      context.offer(await made(context, 'better'))
      queueMicrotask(end)
      return untilAborted(context.deadline.signal)
    })
    expect([Buffer.from(result?.body ?? []).toString(), result?.made.cutShort]).toEqual(['better', true])
    expect(await left()).toEqual([])
  })

  it('give nothing when nothing was made by then', async () => {
    const singleFlight = openSingleFlight(directory)
    const { deadline, end } = hand()
    const result = singleFlight.run('key', source, deadline, ({ deadline: own }) => untilAborted(own.signal))
    end()
    expect(await result).toBeUndefined()
    expect(await left()).toEqual([])
  })

  it('start over for who has more time than whoever began', async () => {
    const singleFlight = openSingleFlight(directory)
    const short = hand()
    let works = 0
    const work = async (context: JobContext): Promise<Made> => {
      works += 1
      return works === 1 ? untilAborted(context.deadline.signal) : made(context, 'whole')
    }
    const first = singleFlight.run('key', source, short.deadline, work)
    const second = singleFlight.run('key', source, deadlineIn(10_000), work)
    short.end()
    expect(await first).toBeUndefined()
    const result = await second
    expect([Buffer.from(result?.body ?? []).toString(), result?.made.cutShort, works]).toEqual(['whole', undefined, 2])
    expect(await left()).toEqual([])
  })

  it('give who has less time the best so far, and go on for the others', async () => {
    const singleFlight = openSingleFlight(directory)
    const short = hand()
    const gate = Promise.withResolvers<void>()
    const offered = Promise.withResolvers<void>()
    const work = async (context: JobContext): Promise<Made> => {
      context.offer(await made(context, 'early'))
      offered.resolve()
      await gate.promise
      return made(context, 'late')
    }
    const patient = singleFlight.run('key', source, deadlineIn(10_000), work)
    const hasty = singleFlight.run('key', source, short.deadline, work)
    await offered.promise
    short.end()
    const early = await hasty
    expect([Buffer.from(early?.body ?? []).toString(), early?.made.cutShort]).toEqual(['early', true])
    gate.resolve()
    expect(Buffer.from((await patient)?.body ?? []).toString()).toBe('late')
  })

  it('end when nobody waits any more', async () => {
    const singleFlight = openSingleFlight(directory)
    const { deadline, end } = hand()
    const stopped = Promise.withResolvers<void>()
    const result = singleFlight.run('key', source, deadline, (context) => {
      context.deadline.signal.addEventListener('abort', () => stopped.resolve(), { once: true })
      end()
      return untilAborted(context.deadline.signal)
    })
    await stopped.promise
    expect([await result, singleFlight.underWay(), await left()]).toEqual([undefined, 0, []])
  })

  it('keep the source although its owner removes it', async () => {
    const singleFlight = openSingleFlight(directory)
    const gate = Promise.withResolvers<void>()
    const result = singleFlight.run('key', source, deadlineIn(10_000), async (context) => {
      await rm(source)
      gate.resolve()
      await writeFile(source, 'another')
      return made(context, await readFile(context.source, 'utf8'))
    })
    await gate.promise
    expect(Buffer.from((await result)?.body ?? []).toString()).toBe('source')
  })

  it('keep their result once, and who asks meanwhile joins instead of working again', async () => {
    const singleFlight = openSingleFlight(directory)
    const [storing, stored] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let works = 0
    let kept = 0
    const ask = () =>
      singleFlight.run('key', source, deadlineIn(10_000), (context) => {
        works += 1
        context.keep(async () => {
          kept += 1
          storing.resolve()
          await stored.promise
        })
        return made(context, 'done')
      })
    const first = ask()
    await storing.promise
    const second = ask()
    stored.resolve()
    const results = await Promise.all([first, second])
    expect(results.map((one) => Buffer.from(one?.body ?? []).toString())).toEqual(['done', 'done'])
    expect([works, kept]).toEqual([1, 1])
  })
})
