import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { makeSeal } from './seal.ts'

const secret = randomBytes(32)
const [seal, other] = [makeSeal(secret), makeSeal(randomBytes(32))]

describe('a seal', () => {
  it('a value opens only with the same secret and the same context', () => {
    const sealed = seal.close({ url: 'https://ada:password@example.com/' }, 'job 1')
    expect(makeSeal(secret).open(sealed, 'job 1')).toEqual({ url: 'https://ada:password@example.com/' })
    expect([seal.open(sealed, 'job 2'), other.open(sealed, 'job 1')]).toEqual([undefined, undefined])
  })

  it('equal values have different texts, which do not contain the value', () => {
    const sealed = [1, 2].map(() => seal.close('password', 'job'))
    expect(sealed[0]).not.toBe(sealed[1])
    expect(Buffer.from(sealed[0]!, 'base64url').toString('latin1')).not.toContain('password')
  })

  it('a changed, truncated or forged text does not open', () => {
    const bytes = Buffer.from(seal.close({ kind: 'stored' }, 'job'), 'base64url')
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes)
      changed[at] = changed[at]! ^ 1
      expect(seal.open(changed.toString('base64url'), 'job')).toBeUndefined()
      expect(seal.open(bytes.subarray(0, at).toString('base64url'), 'job')).toBeUndefined()
    }
    for (const text of ['', '{"kind":"stored"}', 'AAAA']) expect(seal.open(text, 'job')).toBeUndefined()
  })

  it('names depend on the secret', () => {
    expect(seal.name('token')).toMatch(/^[0-9a-f]{32}$/)
    expect([seal.name('token'), other.name('token')]).not.toContain('token')
    expect(seal.name('token')).toBe(makeSeal(secret).name('token'))
    expect(seal.name('token')).not.toBe(other.name('token'))
  })
})
