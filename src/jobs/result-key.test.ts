import { describe, expect, it } from 'vitest'
import type { SourceFacts } from '../core/image.ts'
import { parseOptions } from '../options/parse.ts'
import { makePlan } from '../plan/make-plan.ts'
import { resultKey } from './result-key.ts'

const facts: SourceFacts = {
  format: 'png',
  bytes: 1000,
  width: 100,
  height: 80,
  frames: 1,
  alpha: false,
  orientation: 1,
  profile: 'none',
}
const limits = { maxBytes: 1e6, maxSide: 1e4, maxPixels: 1e8, maxTotalPixels: 1e9 }
const secret = Buffer.from('secret')
const source = 'ab'.repeat(32)

const keyOf = (
  options: string,
  more: { owner?: string; source?: string; secret?: Uint8Array; acceptWebp?: boolean } = {},
): string => {
  const parsed = parseOptions(options, { maxTimeout: 30 })
  if (parsed.kind === 'wrong') throw parsed.failure
  const accept = { acceptWebp: more.acceptWebp ?? false, acceptAvif: false, canEncodeAnimatedAvif: false }
  const plan = makePlan(parsed.options, facts, { limits, ...accept })
  const owner = more.owner === undefined ? {} : { owner: more.owner }
  return resultKey(more.secret ?? secret, { source: more.source ?? source, plan, ...owner })
}

describe('resultKey', () => {
  it('a key is 256 bits in hex', () => expect(keyOf('full')).toMatch(/^[0-9a-f]{64}$/))

  it.each([
    ['full', 'FULL'],
    ['full', 'full,timeout=3'],
    ['50x40,crop,2x', '2x,crop,50x40'],
    ['50,quality=medium', '50'],
  ])('the key is the same for %s and %s', (one, other) => expect(keyOf(one)).toBe(keyOf(other)))

  it.each([
    ['full', '50'],
    ['50', '51'],
    ['50', '50,2x'],
    ['50x50,crop', '50x50,crop=top'],
    ['50x50,pad', '50x50,pad,bgcolor=000'],
    ['full', 'full,quality=high'],
    ['full', 'full,format=png'],
    ['full', 'full,trim=border'],
  ])('the key differs between %s and %s', (one, other) => expect(keyOf(one)).not.toBe(keyOf(other)))

  it('the key depends on source, owner, installation and accepted formats', () => {
    const keys = [
      keyOf('full'),
      keyOf('full', { source: 'cd'.repeat(32) }),
      keyOf('full', { owner: 'anna' }),
      keyOf('full', { owner: 'bert' }),
      keyOf('full', { owner: 'null' }),
      keyOf('full', { secret: Buffer.from('other') }),
      keyOf('full', { acceptWebp: true }),
    ]
    expect(new Set(keys).size).toBe(keys.length)
  })
})
