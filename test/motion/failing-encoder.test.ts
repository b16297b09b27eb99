import { afterEach, expect, it, vi } from 'vitest'
import { MOTIONS } from '../../src/motion/optimise-animation.ts'
import { make } from './request.ts'

afterEach(() => vi.restoreAllMocks())

const failOn = (format: 'gif' | 'webp'): void => {
  vi.spyOn(MOTIONS[format]!, 'make').mockRejectedValue(new Error('Failed to allocate frame buffer'))
}

it('says that the answer is the untouched animation because its encoder failed', async () => {
  failOn('gif')
  const { result } = await make('pillow__dispose_bgnd.gif', 'gif')
  expect(result.untouched).toBe(true)
  expect(result.warnings).toContain('GIF could not be encoded: this is the untouched source without its metadata.')
})

it('says that another format is the answer because an encoder failed, and reports the error', async () => {
  failOn('webp')
  const notices: string[] = []
  const { result } = await make('pillow__dispose_bgnd.gif', 'gif', {
    formats: ['webp', 'gif'],
    trim: true,
    notice: (message) => void notices.push(message),
  })
  expect(result.format).toBe('gif')
  expect(result.warnings).toContain('WEBP could not be encoded: this is the best result without it.')
  expect(notices).toEqual([expect.stringContaining('WEBP encoder failed')])
})

it('reports no encoder that fails after the deadline, when its directory may be gone', async () => {
  failOn('gif')
  const notices: string[] = []
  const deadline = { remaining: () => 0, signal: AbortSignal.abort() }
  const notice = (message: string): void => void notices.push(message)
  await expect(make('pillow__dispose_bgnd.gif', 'gif', { deadline, notice })).rejects.toThrow('Failed to allocate')
  expect(notices).toEqual([])
})
