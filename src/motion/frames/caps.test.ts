import { describe, expect, it } from 'vitest'
import { checkCaps } from './caps.ts'

const plays = (frames: number, delay: number) => ({ frames, delays: Array.from({ length: frames }, () => delay) })

describe('caps on animations', () => {
  it.each([
    ['webm', plays(10_000, 60), undefined],
    ['webm', plays(10_001, 60), 'SOURCE_FRAMES'],
    ['gif', plays(10_001, 60), 'SOURCE_FRAMES'],
    ['webp', plays(2, 400_000), undefined],
    ['gif', plays(2, 400_000), undefined],
    ['webm', plays(2, 400_000), 'SOURCE_TOO_LONG'],
    ['h264', plays(2, 300_010), 'SOURCE_TOO_LONG'],
    ['h264', plays(2, 300_000), undefined],
    ['avif', plays(2, 400_000), 'SOURCE_TOO_LONG'],
    // Delays that browsers raise to 100 ms count as 100 ms.
    ['webm', plays(6001, 10), 'SOURCE_TOO_LONG'],
    ['webm', plays(6000, 0), undefined],
  ] as const)('%s of %j: %s', (format, animation, code) => {
    const check = (): void => checkCaps(animation, format, { maxFrames: 10_000, maxDurationMs: 600_000 })
    if (code === undefined) expect(check).not.toThrow()
    else expect(check).toThrow(expect.objectContaining({ code, status: 413 }))
  })

  it('errors name the caps', () => {
    expect(() => checkCaps(plays(3, 50), 'gif', { maxFrames: 2 })).toThrow('3 frames, and at most 2')
    expect(() => checkCaps(plays(3, 60_000), 'webm', { maxDurationMs: 90_000 })).toThrow(
      'plays for 3 minutes, and at most 1.5 minutes are made into webm',
    )
    expect(() => checkCaps(plays(20_000, 50), 'gif', { maxFrames: 20_000 })).not.toThrow()
  })
})
