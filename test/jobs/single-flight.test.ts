import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Deadline, deadlineIn } from '../../src/core/deadline.ts'
import type { ResultFile } from '../../src/core/outcome.ts'
import type { ImageAnswer } from '../../src/jobs/answer.ts'
import { etagOf } from '../../src/jobs/recall.ts'
import { type JobContext, type JobOutcome, openSingleFlight } from '../../src/jobs/single-flight.ts'

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
const writeResult = async ({ directory: scratch }: JobContext, text: string): Promise<ResultFile> => {
  const path = join(scratch, `result-${text}`)
  await writeFile(path, text)
  return { format: 'png', path, bytes: text.length, width: 1, height: 1, frames: 1, encodes: 1, warnings: [] }
}

/** A deadline that the test ends. */
const hand = (): { readonly deadline: Deadline; readonly end: () => void } => {
  const controller = new AbortController()
  return {
    deadline: { remaining: () => (controller.signal.aborted ? 0 : 10_000), signal: controller.signal },
    end: () => controller.abort(new Error('over')),
  }
}

const textOf = (outcome: JobOutcome | undefined): string =>
  outcome === undefined || 'found' in outcome ? '' : Buffer.from(outcome.body).toString()
const cutShort = (outcome: JobOutcome | undefined): boolean | undefined =>
  outcome === undefined || 'found' in outcome ? undefined : outcome.file.cutShort

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

describe('shared work', () => {
  it('callers that share work share its body and its digest', async () => {
    const singleFlight = openSingleFlight(directory)
    const run = () => singleFlight.run('key', source, deadlineIn(10_000), (context) => writeResult(context, 'shared'))
    const [one, other] = await Promise.all([run(), run()])
    expect(one).toMatchObject({ etag: etagOf(Buffer.from('shared')) })
    expect(other).toBe(one)
  })

  it('idle resolves when all abandoned work has been cleaned up', async () => {
    const singleFlight = openSingleFlight(directory)
    const gone = new AbortController()
    const begun = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const run = singleFlight.run('key', source, deadlineIn(10_000, gone.signal), async ({ deadline }) => {
      begun.resolve()
      await untilAborted(deadline.signal).catch(() => undefined)
      await ended.promise
      throw new Error('given up')
    })
    await begun.promise
    gone.abort()
    await run
    let isIdle = false
    const idle = singleFlight.idle().then(() => {
      isIdle = true
    })
    await new Promise(setImmediate)
    expect(isIdle).toBe(false)
    ended.resolve()
    await idle
    expect(await left()).toEqual([])
  })

  it('work runs once for concurrent callers, and its directory is removed', async () => {
    const singleFlight = openSingleFlight(directory)
    let works = 0
    const gate = Promise.withResolvers<void>()
    const ask = () =>
      singleFlight.run('key', source, deadlineIn(10_000), async (context) => {
        works += 1
        expect(await readFile(context.source, 'utf8')).toBe('source')
        await gate.promise
        return writeResult(context, 'done')
      })
    const all = [ask(), ask(), ask()]
    expect(singleFlight.underWay()).toBe(1)
    gate.resolve()
    const result = await Promise.all(all)
    expect(result.map((one) => textOf(one))).toEqual(['done', 'done', 'done'])
    expect([works, singleFlight.underWay(), singleFlight.oldestMs(), await left()]).toEqual([1, 0, 0, []])
  })

  it('work for different keys runs separately', async () => {
    const singleFlight = openSingleFlight(directory)
    const ask = (key: string) =>
      singleFlight.run(key, source, deadlineIn(10_000), (context) => writeResult(context, key))
    const result = await Promise.all([ask('a'), ask('b')])
    expect(result.map((one) => textOf(one))).toEqual(['a', 'b'])
  })

  it('a failure reaches all waiting callers, and no later one', async () => {
    const singleFlight = openSingleFlight(directory)
    const ask = () => singleFlight.run('key', source, deadlineIn(10_000), () => Promise.reject(new Error('broken')))
    const outcomes = await Promise.allSettled([ask(), ask()])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    const result = await singleFlight.run('key', source, deadlineIn(10_000), (context) => writeResult(context, 'fine'))
    expect(textOf(result)).toBe('fine')
    expect(await left()).toEqual([])
  })
})

describe('the deadlines of shared work', () => {
  it('the deadline ends work with the best result so far, marked as cut short', async () => {
    const singleFlight = openSingleFlight(directory)
    const { deadline, end } = hand()
    const result = await singleFlight.run('key', source, deadline, async (context) => {
      context.offer(await writeResult(context, 'first'))
      context.offer(await writeResult(context, 'better'))
      queueMicrotask(end)
      return untilAborted(context.deadline.signal)
    })
    expect([textOf(result), cutShort(result)]).toEqual(['better', true])
    expect(await left()).toEqual([])
  })

  it('the deadline ends work without a result if there is none', async () => {
    const singleFlight = openSingleFlight(directory)
    const { deadline, end } = hand()
    const result = singleFlight.run('key', source, deadline, ({ deadline: own }) => untilAborted(own.signal))
    end()
    expect(await result).toBeUndefined()
    expect(await left()).toEqual([])
  })

  it('a caller with more time starts the work again', async () => {
    const singleFlight = openSingleFlight(directory)
    const short = hand()
    let works = 0
    const work = async (context: JobContext): Promise<ResultFile> => {
      works += 1
      return works === 1 ? untilAborted(context.deadline.signal) : writeResult(context, 'whole')
    }
    const first = singleFlight.run('key', source, short.deadline, work)
    const second = singleFlight.run('key', source, deadlineIn(10_000), work)
    short.end()
    expect(await first).toBeUndefined()
    const result = await second
    expect([textOf(result), cutShort(result), works]).toEqual(['whole', undefined, 2])
    expect(await left()).toEqual([])
  })

  it('a caller with less time gets the best result so far, and the work continues', async () => {
    const singleFlight = openSingleFlight(directory)
    const short = hand()
    const gate = Promise.withResolvers<void>()
    const offered = Promise.withResolvers<void>()
    const work = async (context: JobContext): Promise<ResultFile> => {
      context.offer(await writeResult(context, 'early'))
      offered.resolve()
      await gate.promise
      return writeResult(context, 'late')
    }
    const patient = singleFlight.run('key', source, deadlineIn(10_000), work)
    const hasty = singleFlight.run('key', source, short.deadline, work)
    await offered.promise
    short.end()
    const early = await hasty
    expect([textOf(early), cutShort(early)]).toEqual(['early', true])
    gate.resolve()
    expect(textOf(await patient)).toBe('late')
  })

  it('work continues for other callers when its starter has left', async () => {
    const singleFlight = openSingleFlight(directory)
    const client = new AbortController()
    const gate = Promise.withResolvers<void>()
    let works = 0
    const work = async (context: JobContext): Promise<ResultFile> => {
      works += 1
      client.abort(new Error('gone'))
      await gate.promise
      context.deadline.signal.throwIfAborted()
      return writeResult(context, 'whole')
    }
    const gone = singleFlight.run('key', source, deadlineIn(10_000, client.signal), work)
    const patient = singleFlight.run('key', source, deadlineIn(10_000), work)
    expect(await gone).toBeUndefined()
    gate.resolve()
    expect([textOf(await patient), works]).toEqual(['whole', 1])
  })
})

describe('the end of shared work', () => {
  it('a stored result is passed on, and resources are held until the result is kept', async () => {
    const singleFlight = openSingleFlight(directory)
    const events: string[] = []
    const hold = (context: JobContext): void =>
      context.hold({ [Symbol.asyncDispose]: async () => void events.push('given back') })
    const found = { found: { kind: 'image' } as ImageAnswer }
    const all = [1, 2].map(() =>
      singleFlight.run('key', source, deadlineIn(10_000), async (context) => {
        hold(context)
        events.push('looked')
        return found
      }),
    )
    expect(await Promise.all(all)).toEqual([found, found])
    await singleFlight.run('other', source, deadlineIn(10_000), (context) => {
      hold(context)
      context.keep(async () => void events.push('kept'))
      return writeResult(context, 'new')
    })
    expect(events).toEqual(['looked', 'given back', 'kept', 'given back'])
    expect(await left()).toEqual([])
  })

  it('work ends when no caller waits', async () => {
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

  it('the source exists until the work ends, even if its owner removes it', async () => {
    const singleFlight = openSingleFlight(directory)
    const gate = Promise.withResolvers<void>()
    const result = singleFlight.run('key', source, deadlineIn(10_000), async (context) => {
      await rm(source)
      gate.resolve()
      await writeFile(source, 'another')
      return writeResult(context, await readFile(context.source, 'utf8'))
    })
    await gate.promise
    expect(textOf(await result)).toBe('source')
  })

  it('the result is kept once, and callers in the meantime join', async () => {
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
        return writeResult(context, 'done')
      })
    const first = ask()
    await storing.promise
    const second = ask()
    stored.resolve()
    const results = await Promise.all([first, second])
    expect(results.map((one) => textOf(one))).toEqual(['done', 'done'])
    expect([works, kept]).toEqual([1, 1])
  })
})
