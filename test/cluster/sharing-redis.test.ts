import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { JobTicket } from '../../src/ports/jobs.ts'
import { openSharing, type Sharing } from '../../src/start/sharing.ts'
import { freePort, until } from './servers/process.ts'
import { startRedis } from './servers/redis.ts'

const server = await startRedis()
afterAll(() => server[Symbol.asyncDispose]())

const never = new AbortController().signal
const token = (): string => randomBytes(16).toString('hex')
const ticket = (name: string): JobTicket => ({
  token: name,
  request: { id: 'id', username: 'ada', options: 'full', imageUrl: undefined, accept: { webp: false, avif: false } },
})

describe('nodes that share work through Redis', () => {
  let nodes: Sharing[] = []
  let told: string[]
  const open = async (): Promise<Sharing> => {
    const watch = { away: () => void told.push('away'), back: () => void told.push('back') }
    const node = await openSharing(server.url, watch)
    nodes.push(node)
    return node
  }
  beforeAll(() => server.start())
  beforeEach(() => {
    told = []
  })
  afterEach(async () => {
    await server.start()
    for (const node of nodes) await node.close()
    nodes = []
  })

  test('a key is claimed by one node at a time, by that one as often as it likes', async () => {
    const [one, two] = [await open(), await open()]
    const key = token()
    const first = await one.claims.claim(key)
    const again = await one.claims.claim(key)
    expect([first, again]).not.toContain(undefined)
    expect(await two.claims.claim(key)).toBeUndefined()
    await first?.[Symbol.asyncDispose]()
    expect(await two.claims.claim(key)).toBeUndefined()
    await again?.[Symbol.asyncDispose]()
    expect(await two.claims.claim(key)).toBeDefined()
  })

  test('of many that claim a key at once one gets it', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, open))
    const claims = await Promise.all(all.map((node) => node.claims.claim('the same')))
    expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1)
  })

  test('who waits for a key hears when it is free, and is let go by its signal', async () => {
    const [one, two] = [await open(), await open()]
    const key = token()
    const claim = await one.claims.claim(key)
    const left = new AbortController()
    const leaving = two.claims.whenFree(key, left.signal)
    left.abort()
    await leaving
    let free = false
    const waiting = two.claims.whenFree(key, never).then(() => {
      free = true
    })
    // Longer than a lease: the claim is kept while its node lives.
    await sleep(4500)
    expect(free).toBe(false)
    await claim?.[Symbol.asyncDispose]()
    await waiting
    expect(await two.claims.claim(key)).toBeDefined()
  })

  test('jobs are waited for on every node, and told how they ended', async () => {
    const [one, two] = [await open(), await open()]
    const name = token()
    expect(await two.queue.find(name, AbortSignal.abort())).toBe('unknown')
    await one.queue.announce(ticket(name))
    expect(await two.queue.find(name, AbortSignal.abort())).toBe('under way')
    const waiting = two.queue.find(name, never)
    await one.queue.end(name, { kind: 'stored' })
    expect(await waiting).toEqual({ kind: 'stored' })
    expect(await one.queue.find(name, never)).toEqual({ kind: 'stored' })
  })

  test('a job is given to one node, and to another when that one fails or goes away', async () => {
    const [one, two] = [await open(), await open()]
    const name = token()
    const seen: string[] = []
    const see = (node: string, job: JobTicket): void => {
      if (job.token === name) seen.push(node)
    }
    one.queue.work(async (job) => {
      see('one', job)
      if (job.token === name) await new Promise(() => undefined)
    })
    await one.queue.announce(ticket(name))
    await until(async () => expect(seen).toEqual(['one']))
    two.queue.work(async (job) => see('two', job))
    await one.close()
    nodes = [two]
    await until(async () => expect(seen).toEqual(['one', 'two']))
  })

  test('rates are counted over all nodes', async () => {
    const [one, two] = [await open(), await open()]
    const name = token()
    const allowed = []
    for (let turn = 0; turn < 8; turn += 1) allowed.push(await (turn % 2 === 0 ? one : two).rate.allow(name, 5))
    expect(allowed.filter(Boolean)).toHaveLength(5)
    expect(await one.rate.allow(token(), 1)).toBe(true)
    expect(await one.rate.allow(name, 0)).toBe(true)
  })

  test('without Redis each goes on as if it were alone, at once, and all is told when it is back', async () => {
    const [one, two] = [await open(), await open()]
    const [name, key, user] = [token(), token(), token()]
    const early = token()
    await one.queue.announce(ticket(early))
    await server.stop()
    const claims = [await one.claims.claim(key), await two.claims.claim(key)]
    expect(claims).not.toContain(undefined)
    await two.claims.whenFree(key, never)
    expect([await one.rate.allow(user, 1), await one.rate.allow(user, 1)]).toEqual([true, false])
    await expect(one.queue.announce(ticket(name))).rejects.toMatchObject({ code: 'STORE_AWAY' })
    await expect(two.queue.find(name, never)).rejects.toMatchObject({ code: 'STORE_AWAY' })
    await one.queue.end(early, { kind: 'stored' })
    expect(told).toContain('away')
    // It comes back empty.
    await server.start()
    await until(async () => expect(await two.queue.find(early, AbortSignal.abort())).toEqual({ kind: 'stored' }))
    await until(async () => expect(await two.queue.find(name, AbortSignal.abort())).toBe('under way'))
    await until(async () => expect(told.at(-1)).toBe('back'))
    // Both believed to have it: one of them keeps it.
    await sleep(1500)
    for (const claim of claims) await claim?.[Symbol.asyncDispose]()
    expect(await one.claims.claim(key)).toBeDefined()
  })

  test.each([
    ['a wrong password', () => server.url.replace(/:[^:@/]+@/, ':wrong@'), 'WRONGPASS'],
    ['a host that does not exist', () => 'redis://no-such-host.invalid:1', 'ENOTFOUND|EAI_AGAIN'],
    ['a port where nobody listens', () => 'redis://127.0.0.1:1', 'ECONNREFUSED'],
  ])('%s is told at opening in one sentence', async (_, url, why) => {
    const opened = openSharing(url(), undefined)
    await expect(opened).rejects.toThrow(
      new RegExp(`^Redis at [^ ]+ cannot be used \\(.*(${why}).*\\)\\. Check REDIS_URL`),
    )
    await expect(opened).rejects.not.toThrow(/wrong@|redis-password/)
  })

  test('a server that is no Redis is told at opening', async () => {
    const { createServer } = await import('node:http')
    const port = await freePort()
    const other = createServer((_request, response) => response.end()).listen(port, '127.0.0.1')
    await expect(openSharing(`redis://127.0.0.1:${port}`, undefined)).rejects.toThrow('Check REDIS_URL')
    other.closeAllConnections()
    other.close()
  })
})
