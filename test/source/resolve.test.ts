import { describe, expect, it } from 'vitest'
import { resolvePublic } from '../../src/source/resolve.ts'

const guard = { allowed: ['127.0.0.0/8'], resolve: async () => ['127.0.0.1'] }

describe('resolvePublic', () => {
  it.each([
    '127.0.0.1',
    'host.example',
  ])('of %s fails with the reason of a signal that has ended, and with nothing else', async (host) => {
    await expect(resolvePublic(host, guard, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
  })

  it('lets go of a look-up that takes too long', async () => {
    const leaving = new AbortController()
    const found = resolvePublic(
      'host.example',
      { ...guard, resolve: () => new Promise(() => undefined) },
      leaving.signal,
    )
    leaving.abort(new Error('gone'))
    await expect(found).rejects.toThrow('gone')
  })

  it.each(['127.0.0.1', '[::1]', 'host.example'])('of %s leaves nothing that fails later', async (host) => {
    const leaving = new AbortController()
    await resolvePublic(host, { ...guard, allowed: ['127.0.0.0/8', '::1/128'] }, leaving.signal)
    leaving.abort(new Error('gone'))
    await new Promise((done) => setImmediate(done))
  })
})
