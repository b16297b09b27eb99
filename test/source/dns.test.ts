import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openResolver, type ResolverSettings } from '../../src/source/dns/resolver.ts'
import { fetchSource } from '../../src/source/fetch.ts'
import { startOrigin } from '../origin/origin.ts'
import { type DnsReply, type DnsServer, startDnsServer } from './dns-server.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'whittle-dns-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const never = new AbortController().signal

/** A resolver without the hosts file and the search list of the machine that runs the tests. */
const open = ({ address }: DnsServer, more: ResolverSettings = {}) =>
  openResolver({ servers: [address], hostsFile: '/nowhere', resolvConf: '/nowhere', ...more })

const answering =
  (table: Readonly<Record<string, DnsReply>>) =>
  (name: string): DnsReply =>
    table[name] ?? 'unknown'

const codeOf = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    (found) => found,
    (error: { code?: unknown }) => error.code,
  )

describe('a resolver', () => {
  it('finds IPv4 and IPv6 addresses, IPv4 first', async () => {
    await using server = await startDnsServer(answering({ 'a.example': { addresses: ['fd00::1', '192.0.2.1'] } }))
    expect(await open(server)('A.example', { signal: never })).toEqual(['192.0.2.1', 'fd00::1'])
  })

  it.each<[string, string[]]>([
    ['4.example', ['192.0.2.1']],
    ['6.example', ['fd00::1']],
  ])('returns the addresses of either family for %s', async (name, addresses) => {
    await using server = await startDnsServer(answering({ [name]: { addresses } }))
    expect(await open(server)(name, { signal: never })).toEqual(addresses)
  })

  it('returns IPv4 without waiting for a silent IPv6', async () => {
    await using server = await startDnsServer((_, type) => (type === 'A' ? { addresses: ['192.0.2.1'] } : 'silence'))
    expect(await open(server)('a.example', { signal: never })).toEqual(['192.0.2.1'])
  })

  it('rejects names without an address, and never queries reserved names', async () => {
    await using server = await startDnsServer(answering({ 'empty.example': { addresses: [] } }))
    const resolve = open(server)
    expect(await codeOf(resolve('no.example', { signal: never }))).toBe('ENOTFOUND')
    expect(await codeOf(resolve('empty.example', { signal: never }))).toBe('ENODATA')
    const before = server.asked.length
    expect(await resolve('no-such.invalid', { signal: never })).toEqual([])
    expect(await resolve('sub.localhost', { signal: never })).toEqual(['127.0.0.1', '::1'])
    expect(server.asked).toHaveLength(before)
  })

  it('caches an answer for its TTL, and does not cache one without a TTL', async () => {
    await using server = await startDnsServer(
      answering({
        'kept.example': { addresses: ['192.0.2.1'], ttl: 60 },
        'fleeting.example': { addresses: ['192.0.2.2'], ttl: 0 },
      }),
    )
    const resolve = open(server)
    for (const name of ['kept.example', 'fleeting.example', 'kept.example', 'fleeting.example'])
      await resolve(name, { signal: never })
    expect(server.asked.filter((question) => question.startsWith('A '))).toEqual([
      'A kept.example',
      'A fleeting.example',
      'A fleeting.example',
    ])
  })

  it('evicts the oldest name from a full cache', async () => {
    await using server = await startDnsServer(() => ({ addresses: ['192.0.2.1'] }))
    const resolve = open(server, { maxCached: 2 })
    for (const name of ['a', 'b', 'c', 'a', 'c'].map((label) => `${label}.example`))
      await resolve(name, { signal: never })
    expect(server.asked.filter((question) => question.startsWith('A '))).toEqual(
      ['a', 'b', 'c', 'a'].map((label) => `A ${label}.example`),
    )
  })

  it('completes names by the search list, and queries complete names unchanged', async () => {
    const resolvConf = join(directory, 'resolv.conf')
    await writeFile(resolvConf, '# by hand\nnameserver 192.0.2.53\nsearch cluster.example\noptions ndots:1\n')
    await using server = await startDnsServer(answering({ 'minio.cluster.example': { addresses: ['192.0.2.1'] } }))
    expect(await open(server, { resolvConf })('minio', { signal: never })).toEqual(['192.0.2.1'])
    expect(new Set(server.asked)).toEqual(new Set(['A minio.cluster.example', 'AAAA minio.cluster.example']))
  })

  it('reads the hosts file first, and reads it again after a change', async () => {
    const hostsFile = join(directory, 'hosts')
    await writeFile(hostsFile, '127.0.0.1 localhost\n192.0.2.7 Here.example here # comment\nfd00::7 here.example\n')
    await utimes(hostsFile, 1, 1)
    await using server = await startDnsServer(() => 'unknown')
    const resolve = open(server, { hostsFile })
    expect(await resolve('here.EXAMPLE.', { signal: never })).toEqual(['192.0.2.7', 'fd00::7'])
    expect(await resolve('here', { signal: never })).toEqual(['192.0.2.7'])
    expect(server.asked).toEqual([])
  })
})

describe('name servers that never answer', () => {
  const silentFor = (name: string): DnsReply => (name.endsWith('.dead') ? 'silence' : { addresses: ['192.0.2.1'] })

  it('a look-up rejects with ETIMEOUT at the time limit', async () => {
    await using server = await startDnsServer(silentFor)
    const resolve = open(server, { timeLimitMs: 100 })
    expect(await codeOf(resolve('a.dead', { signal: never }))).toBe('ETIMEOUT')
  })

  it('a look-up ends when its signal aborts', async () => {
    await using server = await startDnsServer(silentFor)
    const gone = new AbortController()
    const asked = open(server)('a.dead', { signal: gone.signal })
    gone.abort(new Error('the client has gone'))
    await expect(asked).rejects.toThrow('the client has gone')
  })

  it('silent servers delay no other account and hold a bounded number of sockets', async () => {
    await using server = await startDnsServer(silentFor)
    const resolve = open(server, { maxPerOwner: 4 })
    const gone = new AbortController()
    let ended = 0
    const dead = Array.from({ length: 40 }, (_, i) =>
      resolve(`n${i}.dead`, { signal: gone.signal, owner: 'mallory' }).catch(() => {
        ended += 1
      }),
    )
    expect(await resolve('a.example', { signal: never, owner: 'anna' })).toEqual(['192.0.2.1'])
    expect(ended).toBe(0)
    const names = new Set(server.asked.filter((question) => question.endsWith('.dead')).map((q) => q.split(' ')[1]))
    expect(names.size).toBeLessThanOrEqual(4)
    gone.abort(new Error('the client has gone'))
    await Promise.all(dead)
    expect(ended).toBe(40)
    expect(await resolve('b.example', { signal: never, owner: 'mallory' })).toEqual(['192.0.2.1'])
  })
})

describe('a name server that answers twice differently', () => {
  it('the fetch connects to the address of the first answer, which was checked', async () => {
    await using origin = await startOrigin({ files: join(import.meta.dirname, '../fixtures') })
    let answers = 0
    await using server = await startDnsServer((_, type) =>
      type === 'A' ? { addresses: [answers++ === 0 ? '127.0.0.1' : '10.0.0.1'], ttl: 0 } : { addresses: [] },
    )
    const options = {
      spoolDirectory: directory,
      maxBytes: 1e6,
      allowPrivate: ['127.0.0.1/32'],
      resolve: open(server),
    }
    const url = origin.url('/file/source/serenity__exif.png', 'rebinding.example')
    await using source = await fetchSource(url, options)
    expect(source.bytes).toBeGreaterThan(0)
    expect(server.asked.filter((question) => question.startsWith('A '))).toEqual(['A rebinding.example'])
    // The second answer is private, so no connection is made.
    const before = origin.requests.length
    await expect(fetchSource(url, options)).rejects.toMatchObject({ code: 'SOURCE_UNREACHABLE' })
    expect(origin.requests.length).toBe(before)
  })

  it('a failing name server gives ORIGIN_FAILED, not a missing image', async () => {
    await using server = await startDnsServer(() => 'failure')
    const options = { spoolDirectory: directory, maxBytes: 1e6, allowPrivate: [], resolve: open(server) }
    await expect(fetchSource('http://failing.example/a.png', options)).rejects.toMatchObject({
      code: 'ORIGIN_FAILED',
      status: 502,
      message: expect.stringContaining('its host name could not be looked up, the name server failed'),
    })
  })
})
