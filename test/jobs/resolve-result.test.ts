import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Failure } from '../../src/core/failure.ts'
import type { SourceFacts } from '../../src/core/image.ts'
import { openRecallOnce } from '../../src/jobs/recall-once.ts'
import { openSingleFlight } from '../../src/jobs/single-flight.ts'
import { openAnswerStore } from '../../src/jobs/store-answer.ts'
import { parseOptions } from '../../src/options/parse.ts'
import { makePlan } from '../../src/plan/make-plan.ts'
import type { Claims } from '../../src/ports/jobs.ts'
import type { ResultMeta, Results } from '../../src/ports/results.ts'
import { resolveResult } from '../../src/service/optimise/resolve-result.ts'
import type { Service } from '../../src/service/service.ts'
import type { Task } from '../../src/service/task.ts'

const facts: SourceFacts = {
  format: 'png',
  bytes: 6,
  width: 100,
  height: 80,
  frames: 1,
  alpha: false,
  orientation: 1,
  profile: 'none',
}
const limits = { maxBytes: 1e6, maxSide: 1e4, maxPixels: 1e8, maxTotalPixels: 1e9 }

/** Results in memory that several nodes share. `before` runs ahead of each read. */
const sharedResults = (before: (look: number) => Promise<void>): Results & { readonly looks: () => number } => {
  const kept = new Map<string, { readonly meta: ResultMeta; readonly body: Buffer }>()
  let looks = 0
  return {
    looks: () => looks,
    put: async (key, body, meta) => {
      kept.set(key, { meta, body: Buffer.from(typeof body === 'string' ? await readFile(body) : body) })
      return true
    },
    get: async (key) => {
      const found = kept.get(key)
      looks += 1
      await before(looks)
      return found && { meta: found.meta, open: async () => Readable.from([found.body]) }
    },
    remove: async () => undefined,
    close: async () => undefined,
  }
}

/** The claims of two nodes in one memory. Each says that no node held its key for `unheldMs` before. */
const sharedClaims = (unheldMs = 0): (() => Claims) => {
  const owners = new Map<string, { readonly node: symbol; readonly free: PromiseWithResolvers<void>; count: number }>()
  return () => {
    const node = Symbol('node')
    return {
      shared: true,
      claim: async (key) => {
        const held = owners.get(key)
        if (held !== undefined && held.node !== node) return undefined
        const claim = held ?? { node, free: Promise.withResolvers<void>(), count: 0 }
        claim.count += 1
        owners.set(key, claim)
        return {
          unheldMs,
          [Symbol.asyncDispose]: async () => {
            claim.count -= 1
            if (claim.count > 0) return
            owners.delete(key)
            claim.free.resolve()
          },
        }
      },
      whenFree: async (key) => owners.get(key)?.free.promise,
    }
  }
}

let directory: string
let encodes: number
/** Ends the running work. */
let finish: PromiseWithResolvers<void>
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'whittle-resolve-'))
  encodes = 0
  finish = Promise.withResolvers()
  await writeFile(join(directory, 'source'), 'source')
})
afterEach(() => rm(directory, { recursive: true }))

const nodeOn = (results: Results, claims: Claims): Service => {
  const observe = {
    stage: () => undefined,
    work: () => ({ advance: () => undefined, [Symbol.dispose]: () => undefined }),
    computed: () => undefined,
    trouble: () => undefined,
  }
  const store = openAnswerStore({ results, directory, report: () => undefined })
  const run = async (job: { readonly directory: string }) => {
    encodes += 1
    await finish.promise
    const path = join(job.directory, 'made')
    await writeFile(path, 'made')
    return { format: 'png', path, bytes: 4, width: 1, height: 1, frames: 1, encodes: 1, warnings: [] }
  }
  return {
    settings: { secret: Buffer.from('secret') },
    results,
    recall: openRecallOnce(results),
    claims,
    singleFlight: openSingleFlight(directory),
    pool: { run },
    store: (key: string, answer: Parameters<typeof store>[1]) => store(key, answer, { promised: false }),
    observe,
  } as unknown as Service
}

const task = (): Task => {
  const parsed = parseOptions('full', { maxTimeout: 30 })
  if (parsed.kind === 'wrong') throw parsed.failure
  const accept = { acceptWebp: false, acceptAvif: false, canEncodeAnimatedAvif: false }
  return {
    account: { username: 'ada' },
    request: { id: 'one', signal: new AbortController().signal },
    spooled: { path: join(directory, 'source'), digest: '5e', cacheability: { shareable: true } },
    options: parsed.options,
    url: undefined,
    facts,
    plan: makePlan(parsed.options, facts, { limits, ...accept }),
    stages: {},
  } as unknown as Task
}

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 1))
}

describe('concurrent requests for one new image', () => {
  it('a result is computed once, even if a late response of the store says that it is missing', async () => {
    // The first request reads twice, the second once. Further reads return the state of their start.
    const results = sharedResults(async (look) => {
      if (look <= 3) return
      finish.resolve()
      await until(() => node.singleFlight.underWay() === 0)
    })
    const node = nodeOn(results, sharedClaims()())
    const first = resolveResult(node, task())
    await until(() => encodes === 1)
    const second = resolveResult(node, task())
    await until(() => results.looks() >= 3)
    setTimeout(() => finish.resolve(), 20)
    expect((await Promise.all([first, second])).map(({ charge }) => charge)).toEqual([true, true])
    expect(encodes).toBe(1)
  })

  it('a result of another node is found even if the store is overloaded at that moment', async () => {
    let away = 0
    const results = sharedResults(async () => {
      if (away === 0) return
      away -= 1
      throw new Failure({ code: 'STORE_AWAY', args: [] })
    })
    const claims = sharedClaims()
    const [one, other] = [nodeOn(results, claims()), nodeOn(results, claims())]
    const first = resolveResult(one, task())
    await until(() => encodes === 1)
    const second = resolveResult(other, task())
    await until(() => results.looks() >= 4)
    away = 1
    finish.resolve()
    expect((await Promise.all([first, second])).map(({ answer }) => answer?.bytes)).toEqual([4, 4])
    expect([encodes, away]).toEqual([1, 0])
  })

  it.each([
    ['is not read again where no node held its claim since', 3500, 1],
    ['is read again where a node may have held its claim since', 0, 2],
    ['is read again where the store did not answer at first', 3500, 2],
  ])('a missing result %s', async (how, unheldMs, looks) => {
    const results = sharedResults(async (look) => {
      if (look === 1 && how.includes('did not answer')) throw new Failure({ code: 'STORE_AWAY', args: [] })
    })
    finish.resolve()
    await resolveResult(nodeOn(results, sharedClaims(unheldMs)()), task())
    expect([results.looks(), encodes]).toEqual([looks, 1])
  })

  it('concurrent requests at one node cause one read of the store', async () => {
    const gate = Promise.withResolvers<void>()
    const results = sharedResults(() => gate.promise)
    const recall = openRecallOnce(results)
    const all = Array.from({ length: 50 }, () => recall('a'.repeat(64)))
    gate.resolve()
    expect(new Set((await Promise.all(all)).map(({ value }) => value))).toEqual(new Set([undefined]))
    await recall('a'.repeat(64))
    expect(results.looks()).toBe(2)
  })
})
