import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { openSourceRecords, type SourceRecord } from '../../src/jobs/source-records.ts'
import type { Claims } from '../../src/ports/jobs.ts'
import type { ResultMeta, Results } from '../../src/ports/results.ts'

/** Results in memory, with the number of reads. */
const countedResults = (): Results & { readonly reads: () => number } => {
  const kept = new Map<string, { readonly meta: ResultMeta; readonly body: Buffer }>()
  let reads = 0
  return {
    reads: () => reads,
    put: async (key, body, meta) => {
      kept.set(key, { meta, body: Buffer.from(body) })
      return true
    },
    get: async (key) => {
      reads += 1
      const found = kept.get(key)
      return found && { meta: found.meta, open: async () => Readable.from([found.body]) }
    },
    remove: async (key) => void kept.delete(key),
    close: async () => undefined,
  }
}

const claimsAfter = (unheldMs: number): Claims => ({
  shared: true,
  claim: async () => ({ unheldMs, [Symbol.asyncDispose]: async () => undefined }),
  whenFree: async () => undefined,
})

const recordOf = (result: string): SourceRecord => ({
  digest: '5e',
  facts: { format: 'png', bytes: 6, width: 1, height: 1, frames: 1, alpha: false, orientation: 1, profile: 'none' },
  shareable: true,
  fetchedAt: 1,
  results: [result],
})

describe('the record of a source', () => {
  it.each([
    ['is not read again before it is written, where no node wrote it since', 3500, 1],
    ['is read again before it is written, where a node may have written it since', 0, 2],
  ])('%s', async (_, unheldMs, reads) => {
    const results = countedResults()
    const records = openSourceRecords({ results, claims: claimsAfter(unheldMs), report: () => undefined })
    const known = await records.read('name')
    await records.write('name', recordOf('one'), known)
    expect(results.reads()).toBe(reads)
  })

  it('keeps what another node added, where it was read before', async () => {
    const results = countedResults()
    const records = openSourceRecords({ results, claims: claimsAfter(0), report: () => undefined })
    const known = await records.read('name')
    await records.write('name', recordOf('one'))
    await records.write('name', recordOf('two'), known)
    expect((await records.read('name')).value?.results).toEqual(['one', 'two'])
  })
})
