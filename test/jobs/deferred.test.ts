import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openInProcessClaims, openInProcessQueue } from '../../src/adapters/jobs/in-process.ts'
import { openDiskResults } from '../../src/adapters/results/disk.ts'
import { fail } from '../../src/core/failure.ts'
import type { Answer, ImageAnswer } from '../../src/jobs/answer.ts'
import { type Deferred, type DeferredSettings, openDeferred } from '../../src/jobs/deferred.ts'
import { etagOf, metaOf, recall } from '../../src/jobs/recall.ts'
import { openSourceCopies } from '../../src/jobs/source-copies.ts'
import type { Results } from '../../src/ports/results.ts'

let directory: string
let results: Results
let deferred: Deferred
/** The deferred work of a single node. */
const openAlone = (store: DeferredSettings['store']): Deferred =>
  openDeferred({
    results,
    store,
    claims: openInProcessClaims(),
    queue: openInProcessQueue(),
    copies: openSourceCopies(results, () => undefined),
    resume: () => Promise.reject(new Error('nobody died')),
    report: () => undefined,
  })

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'whittle-deferred-'))
  results = await openDiskResults({ directory: join(directory, 'results'), maxBytes: 1e6, maxAgeMs: 3600e3 })
  deferred = openAlone(async (key, answer) => {
    if (!(answer.body instanceof Uint8Array)) return false
    const path = join(directory, 'body')
    await writeFile(path, answer.body)
    return results.put(key, path, metaOf(answer, true))
  })
})
afterEach(async () => {
  await results.close()
  await rm(directory, { recursive: true })
})

const image = (content: string): ImageAnswer => {
  const body = Buffer.from(content)
  return {
    kind: 'image',
    contentType: 'image/png',
    body,
    bytes: body.length,
    etag: etagOf(body),
    warnings: ['one', 'two'],
    cacheControl: 'max-age=60, public',
    stages: { decode: 1 },
    facts: { 'x-score': '80.00', 'x-encodes': '3' },
    variesByAccept: true,
  }
}
const never = new AbortController().signal

describe('deferred work', () => {
  it('a running job is waited for', async () => {
    const work = Promise.withResolvers<Answer>()
    const token = await deferred.keep(work.promise)
    expect(token).toMatch(/^[0-9a-f]{32}$/)
    expect(deferred.underWay()).toBe(1)
    const found = deferred.find(token, never)
    work.resolve(image('a'))
    expect(await found).toEqual(image('a'))
    await deferred.idle()
  })

  it('a stored result comes from the store with all its metadata', async () => {
    const token = await deferred.keep(Promise.resolve(image('b')))
    await deferred.idle()
    const answer = await deferred.find(token, never)
    const { body, stages: _, ...rest } = image('b')
    expect(answer).toMatchObject(rest)
    expect(answer?.kind === 'image' && typeof answer.body === 'function' && (await text(await answer.body()))).toBe(
      body.toString(),
    )
  })

  it('a failed job rejects with its failure each time', async () => {
    const token = await deferred.keep(Promise.reject(fail('SOURCE_DAMAGED')))
    await deferred.idle()
    for (let turn = 0; turn < 2; turn += 1) await expect(deferred.find(token, never)).rejects.toThrow('so damaged')
  })

  it('a redirect is kept', async () => {
    const redirect: Answer = {
      kind: 'redirect',
      to: { kind: 'source', url: 'http://e.com/' },
      warnings: [],
      stages: {},
    }
    const token = await deferred.keep(Promise.resolve(redirect))
    await deferred.idle()
    expect(await deferred.find(token, never)).toEqual(redirect)
  })

  it('waiting ends when its signal aborts', async () => {
    const token = await deferred.keep(new Promise(() => undefined))
    expect(await deferred.find(token, AbortSignal.abort())).toBeUndefined()
    const leaving = new AbortController()
    const waiting = deferred.find(token, leaving.signal)
    leaving.abort()
    expect(await waiting).toBeUndefined()
  })

  it('other tokens and invalid names are unknown', async () => {
    for (const token of ['0'.repeat(32), '../../secret', ''])
      await expect(deferred.find(token, never)).rejects.toThrow('Ask for the optimisation again')
  })

  it('a result stays available when the store is full', async () => {
    const full = openAlone(async () => false)
    const token = await full.keep(Promise.resolve(image('c')))
    await full.idle()
    expect(await full.find(token, never)).toEqual(image('c'))
    expect(full.underWay()).toBe(0)
  })

  it('results in memory have a limit of bytes, and the oldest are removed', async () => {
    const full = openAlone(async () => false)
    const tokens = []
    for (let turn = 0; turn < 3; turn += 1) {
      tokens.push(await full.keep(Promise.resolve({ ...image('d'), bytes: 90e6 })))
      await full.idle()
    }
    await expect(full.find(tokens[0]!, never)).rejects.toThrow('Ask for the optimisation again')
    expect(await full.find(tokens[2]!, never)).toMatchObject({ bytes: 90e6 })
  })
})

describe('recall', () => {
  it('recall reduces lifetimes by the age of the result', async () => {
    const path = join(directory, 'aged')
    await writeFile(path, 'aged')
    const key = 'a'.repeat(32)
    await results.put(key, path, { ...metaOf(image('aged'), false), createdAt: Date.now() - 20_000 })
    const { cacheControl } = (await recall(results, key)) ?? {}
    expect(cacheControl).toMatch(/^max-age=(40|39), public$/)
  })
  it('recall returns undefined for a missing result', async () =>
    expect(await recall(results, 'b'.repeat(32))).toBeUndefined())
})
