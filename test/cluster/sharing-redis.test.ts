import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { fail } from '../../src/core/failure.ts'
import type { JobTicket } from '../../src/ports/jobs.ts'
import { openSharing, type Sharing } from '../../src/start/sharing.ts'
import { startGate } from './servers/gate.ts'
import { freePort, until } from './servers/process.ts'
import { startRedis } from './servers/redis.ts'

const server = await startRedis()
afterAll(() => server[Symbol.asyncDispose]())

const secret = Promise.resolve(randomBytes(32))
const never = new AbortController().signal
const token = (): string => randomBytes(16).toString('hex')
const connect = () => {
  const client = new Redis(server.url)
  return Object.assign(client, { [Symbol.asyncDispose]: async () => client.disconnect() })
}
const ticket = (name: string): JobTicket => ({
  token: name,
  request: { id: 'id', username: 'ada', options: 'full', imageUrl: undefined, accept: { webp: false, avif: false } },
})

describe('nodes that share work through Redis', () => {
  let nodes: Sharing[] = []
  let told: string[]
  const open = async (): Promise<Sharing> => {
    const watch = { away: () => void told.push('away'), back: () => void told.push('back') }
    const node = await openSharing({ url: server.url, secret, watch })
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

  test('a claim that no other node has costs two commands: one to take it, one to let go', async () => {
    const one = await open()
    await using client = connect()
    const monitor = await client.monitor()
    const sent: string[] = []
    monitor.on('monitor', (_time, args: readonly string[], source: string) => {
      if (source !== 'lua' && args.some((arg) => arg.startsWith('whittle:claim:'))) sent.push(args[0]!.toLowerCase())
    })
    const claim = await one.claims.claim(token())
    await claim?.[Symbol.asyncDispose]()
    await until(async () => expect(sent).toEqual(['set', 'eval']))
    monitor.disconnect()
  })

  test('a claim shows for how long no node had held its key, by a name that Redis keeps for a lease', async () => {
    const [one, two] = [await open(), await open()]
    const key = token()
    const first = await one.claims.claim(key)
    expect(first?.unheldMs).toBe(2700)
    expect((await one.claims.claim(key))?.unheldMs).toBe(0)
    const other = token()
    await (await one.claims.claim(other))?.[Symbol.asyncDispose]()
    for (const node of [two, one]) {
      await using again = await node.claims.claim(other)
      expect(again?.unheldMs).toBe(0)
    }
    await two.claims.whenFree(other, never)
    // Longer than a lease.
    await sleep(3600)
    expect((await two.claims.claim(other))?.unheldMs).toBe(2700)
  })

  test('one of many simultaneous claims of a key succeeds', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, open))
    const claims = await Promise.all(all.map((node) => node.claims.claim('the same')))
    expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1)
  })

  test('waiting for a key ends when it is free, or with its signal', async () => {
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

  test('every node can wait for a job and learns its end', async () => {
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

  test('a job runs on one node, and on another if that one fails or stops', async () => {
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

  test('each node works alone without Redis, and publishes everything after its return', async () => {
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

  test('nodes publish what Redis lost again within a lease, and nothing counts as gone meanwhile', async () => {
    const [one, two] = [await open(), await open()]
    const [running, failed, missing] = [token(), token(), token()]
    await one.queue.announce(ticket(running))
    const failure = fail('SOURCE_DAMAGED').toData()
    await one.queue.announce(ticket(failed))
    await one.queue.end(failed, { kind: 'failed', failure })
    // A restarted Redis does not know it yet.
    await until(async () => expect(await two.queue.find(missing, AbortSignal.abort())).toBe('unknown'))
    await using redis = connect()
    await redis.flushall()
    const ask = (name: string) => two.queue.find(name, AbortSignal.abort()).catch(({ code }) => code)
    expect(await ask(missing)).toBe('STORE_AWAY')
    const answers = new Set<unknown>()
    await until(async () => {
      const found = [await ask(running), await ask(failed)]
      for (const one of found) answers.add(one)
      expect(found).toEqual(['under way', { kind: 'failed', failure }])
    })
    expect(answers).not.toContain('unknown')
    await until(async () => expect(await ask(missing)).toBe('unknown'))
  })

  test('a node that was cut off from Redis publishes the missed messages, though its connections stayed', async () => {
    await using gate = await startGate(server.url)
    const url = server.url.replace(/[^@]+$/, gate.host)
    const cut = await openSharing({ url, secret })
    nodes.push(cut)
    const two = await open()
    const [ended, begun] = [token(), token()]
    await cut.queue.announce(ticket(ended))
    gate.hold()
    await cut.queue.end(ended, { kind: 'stored' })
    await expect(cut.queue.announce(ticket(begun))).rejects.toMatchObject({ code: 'STORE_AWAY' })
    gate.open()
    await until(async () => expect(await two.queue.find(ended, AbortSignal.abort())).toEqual({ kind: 'stored' }))
    await until(async () => expect(await two.queue.find(begun, AbortSignal.abort())).toBe('under way'))
  })

  test('access to Redis alone shows no token, no username, no password and no address', async () => {
    const [one, two] = [await open(), await open()]
    const name = token()
    const secrets = [name, 'ada', 'pass-word', 'example.com', 'some-object']
    const imageUrl = 'https://u:pass-word@example.com/a.png'
    await using redis = connect()
    const seen: string[] = []
    await using monitor = await redis
      .monitor()
      .then((client) => Object.assign(client, { [Symbol.asyncDispose]: async () => client.disconnect() }))
    monitor.on('monitor', (_time: string, args: string[]) => void seen.push(...args))
    const request = { ...ticket(name).request, imageUrl }
    await one.queue.announce({ token: name, request, source: { key: 'some-object', bytes: 1, shareable: false } })
    await one.claims.claim(JSON.stringify(['ada', imageUrl]))
    await one.rate.allow('ada', 5)
    one.neighbours.exchange(
      () => ({ waiting: 1, begun: { ada: 1 } }),
      () => undefined,
    )
    await one.queue.end(name, { kind: 'redirect', url: imageUrl, warnings: [] })
    expect(await two.queue.find(name, never)).toMatchObject({ kind: 'redirect', url: imageUrl })
    await sleep(1500)
    expect(seen.length).toBeGreaterThan(20)
    for (const text of secrets) expect(seen.filter((part) => part.includes(text))).toEqual([])
  })

  test('an attacker who can write to Redis forges no job, no end and no load of a node', async () => {
    const one = await open()
    const forger = await openSharing({ url: server.url, secret: Promise.resolve(randomBytes(32)) })
    nodes.push(forger)
    const [name, mine] = [token(), token()]
    const seen: string[] = []
    const heard: string[] = []
    one.queue.work(async (job) => void seen.push(job.token))
    one.neighbours.exchange(
      () => ({ waiting: 0, begun: {} }),
      (node) => heard.push(node),
    )
    forger.neighbours.exchange(
      () => ({ waiting: 1, begun: { ada: 1e9 } }),
      () => undefined,
    )
    await one.queue.announce(ticket(mine))
    await forger.queue.announce(ticket(name))
    await using redis = connect()
    for (const key of await redis.keys('whittle:job:*'))
      await redis.set(key, JSON.stringify({ kind: 'redirect', url: 'https://evil.example/', warnings: [] }))
    await until(async () => expect(seen).toContain(mine))
    await sleep(1500)
    expect([seen.includes(name), heard]).toEqual([false, []])
    expect(await one.queue.find(mine, AbortSignal.abort())).toBe('under way')
    await until(async () => expect(await one.queue.find(name, AbortSignal.abort())).toBe('unknown'))
  })

  test.each([
    ['a wrong password', () => server.url.replace(/:[^:@/]+@/, ':wrong@'), 'WRONGPASS'],
    ['a host that does not exist', () => 'redis://no-such-host.invalid:1', 'ENOTFOUND|EAI_AGAIN'],
    ['a port without a listener', () => 'redis://127.0.0.1:1', 'ECONNREFUSED'],
  ])('%s is reported at opening in one sentence', async (_, url, why) => {
    const opened = openSharing({ url: url(), secret })
    await expect(opened).rejects.toThrow(
      new RegExp(`^Redis at [^ ]+ cannot be used \\(.*(${why}).*\\)\\. Check REDIS_URL`),
    )
    await expect(opened).rejects.not.toThrow(/wrong@|redis-password/)
  })

  test('a server that is not Redis is reported at opening', async () => {
    const { createServer } = await import('node:http')
    const port = await freePort()
    const other = createServer((_request, response) => response.end()).listen(port, '127.0.0.1')
    await expect(openSharing({ url: `redis://127.0.0.1:${port}`, secret })).rejects.toThrow('Check REDIS_URL')
    other.closeAllConnections()
    other.close()
  })
})
