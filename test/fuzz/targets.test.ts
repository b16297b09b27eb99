import { describe, expect, it } from 'vitest'
import { damage } from './damage.ts'
import { FUZZ_TARGETS, fuzzOnce } from './targets.ts'

/** `npm run fuzz` does any number; here are a few, with other seeds than its first. */
const CASES = 60
const FROM = 1_000_000

describe.each(Object.entries(FUZZ_TARGETS))('%s', (_name, target) => {
  it('takes every well-formed input of its corpus, or refuses it in words', async () => {
    const outcomes = await Promise.all(target.corpus.map((bytes) => fuzzOnce(target, bytes)))
    expect(outcomes).toContain('accepted')
  })

  it(`answers or refuses ${CASES} seeded damages`, { timeout: 60_000 }, async () => {
    for (let seed = FROM; seed < FROM + CASES; seed++)
      await fuzzOnce(target, damage(target.corpus[seed % target.corpus.length]!, seed))
  })
})
