import { describe, expect, it } from 'vitest'
import { readLimits } from './account-limits.ts'

describe('readLimits', () => {
  it('keeps presets, the default of meta and the longest timeout', () => {
    const answer = { maxTimeout: 60, meta: 'copyright', presets: { card: '60x40,crop' } }
    const presets = new Map([['card', '60x40,crop']])
    expect(readLimits(answer)).toEqual({ maxTimeout: 60, defaultMeta: 'copyright', presets })
  })

  it.each([
    null,
    'text',
    {},
    { maxTimeout: '60', meta: 'none', presets: {} },
    { maxTimeout: 60, meta: 'none' },
  ])('refuses %j', (answer) => expect(readLimits(answer)).toBeUndefined())
})
