import { describe, expect, it } from 'vitest'
import { resolvePublic } from './resolve.ts'

const guard = { allowed: ['127.0.0.0/8'], resolve: async () => ['127.0.0.1'] }

describe('resolvePublic', () => {
  it.each(['127.0.0.1', 'host.example'])('resolving %s fails with the reason of an aborted signal', async (host) => {
    await expect(resolvePublic(host, guard, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
  })

  it('abandons a look-up when the signal aborts', async () => {
    const leaving = new AbortController()
    const found = resolvePublic(
      'host.example',
      { ...guard, resolve: () => new Promise(() => undefined) },
      leaving.signal,
    )
    leaving.abort(new Error('gone'))
    await expect(found).rejects.toThrow('gone')
  })

  it.each(['127.0.0.1', '[::1]', 'host.example'])('resolving %s leaves no promise that rejects later', async (host) => {
    const leaving = new AbortController()
    await resolvePublic(host, { ...guard, allowed: ['127.0.0.0/8', '::1/128'] }, leaving.signal)
    leaving.abort(new Error('gone'))
    await new Promise((done) => setImmediate(done))
  })
})
