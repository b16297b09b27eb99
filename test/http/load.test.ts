import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { type Case, start } from './start.ts'

let service: Case
afterEach(() => service[Symbol.asyncDispose]())

const PICTURE = 'jpeg/testdata__flower_small.q85_420_non_interleaved.jpg'

describe('beyond capacity (§7)', () => {
  it('requests queue, and those beyond the queue get 503 with Retry-After at once', async () => {
    service = await start({ env: { WORKERS: '1', QUEUE_LIMIT: '2' }, accounts: { three: { quota: 3 } } })
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        service.post(`three/${20 + at},quality=low/${service.file(PICTURE)}`).catch(() => undefined),
      ),
    )
    const statuses = answers.map((answer) => answer?.status)
    // The quota of three exceeds the capacity, and refused requests are not charged.
    expect(statuses.filter((status) => status === 200)).toHaveLength(3)
    const refused = answers.filter((answer) => answer?.status === 503)
    for (const answer of refused) {
      expect(Number(answer?.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await answer?.text()).toContain('overloaded')
    }
    expect(new Set(statuses.filter((status) => status !== 200))).toSatisfy((others: Set<number>) =>
      [...others].every((status) => status === 503 || status === 402),
    )
    await expect.poll(service.leftovers).toEqual([])
  })

  it('a client that leaves the queue frees its slot', async () => {
    service = await start({ env: { WORKERS: '1', QUEUE_LIMIT: '1' } })
    const leaving = new AbortController()
    const busy = service
      .post(`anna/full,format=avif/${service.file(PICTURE)}`, { signal: leaving.signal })
      .catch(() => undefined)
    await expect.poll(() => service.metric('whittle_workers_busy'), { interval: 5 }).toBe(1)
    const queued = service.post(`anna/20/${service.file(PICTURE)}`, { signal: leaving.signal }).catch(() => undefined)
    await expect.poll(() => service.metric('whittle_queue_depth'), { interval: 5 }).toBe(1)
    expect((await service.post(`anna/21/${service.file(PICTURE)}`)).status).toBe(503)
    leaving.abort()
    await Promise.all([busy, queued])
    await expect.poll(() => service.metric('whittle_workers_busy')).toBe(0)
    expect((await service.post(`anna/22/${service.file(PICTURE)}`)).status).toBe(200)
    await expect.poll(service.leftovers).toEqual([])
  })
})

describe('stopping', () => {
  it('a stopping service refuses new work, reports it, and completes running work', async () => {
    service = await start({ env: { WORKERS: '1' } })
    const running = service.post(`anna/200,format=avif/${service.file(PICTURE)}`)
    await expect.poll(() => service.metric('whittle_workers_busy'), { interval: 5 }).toBe(1)
    const stopped = service.stop()
    const { origin } = new URL(service.url)
    expect((await fetch(`${origin}/-/ready`)).status).toBe(503)
    expect((await fetch(`${origin}/-/live`)).status).toBe(200)
    const refused = await service.post(`anna/full/${service.file(PICTURE)}`)
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([503, true])
    const answer = await running
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/avif'])
    expect((await answer.arrayBuffer()).byteLength).toBe(Number(answer.headers.get('content-length')))
    await stopped
    await expect(fetch(`${origin}/-/live`)).rejects.toThrow()
    expect(await service.leftovers()).toEqual([])
  })

  it('a stopping service completes deferred work, and ends it after the grace period', async () => {
    service = await start({ env: { WORKERS: '1', SHUTDOWN_GRACE: '300ms', REDIRECT_AFTER: '1ms' } })
    const hanging = service.post(`anna/full/${service.origin.url('/hang')}`).then(
      ({ status }) => status,
      () => 'cut off',
    )
    await expect.poll(() => service.origin.requests.length).toBe(1)
    await service.stop()
    expect(await hanging).toBe('cut off')
    await expect.poll(service.leftovers).toEqual([])
  })
})

/** Processes that this one started: the pool's children. */
const children = (): number[] =>
  readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number)

describe('a child process that dies', () => {
  it.runIf(process.platform === 'linux')(
    'a dead child costs one uncharged request, and the next one is served',
    async () => {
      const before = new Set(children())
      service = await start({ env: { WORKERS: '1' }, accounts: { one: { quota: 1 } } })
      let isAnswered = false
      const doomed = service.post(`one/full,format=avif/${service.file(PICTURE)}`).finally(() => {
        isAnswered = true
      })
      // The job is retried in other children, which die as well. The image is not at fault.
      while (!isAnswered) {
        for (const child of children()) if (!before.has(child)) process.kill(child, 'SIGKILL')
        await new Promise((done) => setTimeout(done, 5))
      }
      const answer = await doomed
      const text = await answer.text()
      expect([answer.status, text]).toEqual([503, expect.stringContaining('ended from outside')])
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      const next = await service.post(`one/20/${service.file(PICTURE)}`)
      await next.arrayBuffer()
      expect(next.status).toBe(200)
      for (const child of children()) if (!before.has(child)) process.kill(child, 'SIGKILL')
      await expect.poll(() => children().filter((child) => !before.has(child))).toEqual([])
      const afterIdle = await service.post(`anna/21/${service.file(PICTURE)}`)
      await afterIdle.arrayBuffer()
      expect(afterIdle.status).toBe(200)
      await expect.poll(service.leftovers).toEqual([])
    },
  )
})
