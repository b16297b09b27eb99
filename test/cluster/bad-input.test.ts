import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openPostgresAccounts } from '../../src/adapters/accounts/postgres.ts'
import { picture } from './pictures.ts'
import { areSame, follow, isWhole, post, resultPath } from './requests.ts'
import { startCeph } from './servers/ceph.ts'
import { startFaultyStore } from './servers/faulty-store.ts'
import { type ServiceNode, startNode } from './servers/node.ts'
import { startPostgres } from './servers/postgres.ts'
import { startRedis } from './servers/redis.ts'

const MAIN = resolve(import.meta.dirname, '../../src/cli/main.ts')
/** s within which a start that cannot succeed reports it: the longest wait for a database that may be starting, and the program itself on a busy machine. */
const START_SECONDS = 40

const [postgres, redis, s3] = await Promise.all([startPostgres(), startRedis(), startCeph()])
afterAll(() => Promise.all([postgres, redis, s3].map((store) => store[Symbol.asyncDispose]())))

const newDatabase = () => postgres.newDatabase(`bad_${randomBytes(5).toString('hex')}`)

const listening = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : Number.NaN
}

/** A server that takes connections and never says anything. */
const startSilent = async (): Promise<AsyncDisposable & { readonly port: number }> => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined))
  })
  return {
    port: await listening(server),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** A web server that is no store of any kind. */
const startWebsite = async (): Promise<AsyncDisposable & { readonly port: number }> => {
  const server = createHttpServer((_, response) => response.end('<html>Welcome</html>'))
  return {
    port: await listening(server),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Exit code and message of a program that cannot start. */
const refusal = async (env: Readonly<Record<string, string>>): Promise<{ code: number | null; said: string }> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'whittle-bad-'))
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      DATA_DIR: dataDir,
      AWS_ACCESS_KEY_ID: s3.keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3.keys.secretAccessKey,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: START_SECONDS * 1000,
    killSignal: 'SIGKILL',
  })
  const [said, logged] = await Promise.all([text(child.stderr), text(child.stdout), once(child, 'exit')])
  await rm(dataDir, { recursive: true, force: true })
  expect(`${said}${logged}`).not.toMatch(/wrong-secret|testsecret|readersecret|redis-password|p@ss|p%40ss/)
  return { code: child.exitCode, said }
}

const silent = await startSilent()
const website = await startWebsite()
afterAll(() => Promise.all([silent, website].map((server) => server[Symbol.asyncDispose]())))

const withPort = (url: string, port: number): string => url.replace(/127\.0\.0\.1(:|%3A)\d+/, `127.0.0.1$1${port}`)
const bucket = await s3.newBucket('bad-input')
const replica = await startRedis()
afterAll(() => replica[Symbol.asyncDispose]())
const replicaUrl = async (): Promise<string> => {
  const client = new Redis(replica.url)
  await client.call('REPLICAOF', '127.0.0.1', '1')
  client.disconnect()
  return replica.url
}
const limitedRedis = async (): Promise<string> => {
  const client = new Redis(redis.url)
  await client.call('ACL', 'SETUSER', 'limited', 'on', '>wrong-secret', '~*', '+ping')
  client.disconnect()
  return redis.url.replace(/\/\/.*@/, '//limited:wrong-secret@')
}

describe('a start with a store that cannot be used', () => {
  test.each<[string, () => Promise<Readonly<Record<string, string>>>, RegExp]>([
    [
      'a wrong password of PostgreSQL',
      async () => ({ DATABASE_URL: (await newDatabase()).replace(/:[^:@/]+@/, ':wrong-secret@') }),
      /The accounts database at 127\.0\.0\.1:\d+\/bad_\w+ cannot be used \(28P01.*\)\. Check DATABASE_URL/,
    ],
    [
      'tables from which a newer version removed a column',
      async () => {
        const url = await newDatabase()
        await (await openPostgresAccounts({ url, trialQuota: 1 })).close()
        await postgres.query(
          url,
          `insert into kysely_migration (name, timestamp) values ('999-newer-since-998', now()::text)`,
        )
        return { DATABASE_URL: url }
      },
      /written by a newer version of Whittle, which has the migration "999-newer-since-998"; start that version, or a newer one/,
    ],
    [
      'a PostgreSQL that does not respond',
      async () => ({ DATABASE_URL: withPort(await newDatabase(), silent.port) }),
      /The accounts database at .* cannot be used \(.*timeout.*\)\. Check DATABASE_URL/,
    ],
    [
      'a wrong password of Redis',
      async () => ({ REDIS_URL: redis.url.replace(/:[^:@/]+@/, ':wrong-secret@') }),
      /Redis at 127\.0\.0\.1:\d+ cannot be used \(WRONGPASS.*\)\. Check REDIS_URL/,
    ],
    [
      'a user of Redis without rights',
      async () => ({ REDIS_URL: await limitedRedis() }),
      /Redis at 127\.0\.0\.1:\d+ cannot be used \(.*NOPERM.*\)\. Check REDIS_URL/,
    ],
    [
      'a replica of Redis, which accepts no writes',
      async () => ({ REDIS_URL: await replicaUrl() }),
      /Redis at 127\.0\.0\.1:\d+ cannot be used \(.*READONLY.*\)\. Check REDIS_URL/,
    ],
    [
      'a Redis that never answers',
      async () => ({ REDIS_URL: withPort(redis.url, silent.port) }),
      /Redis at .* cannot be used \(.*\)\. Check REDIS_URL/,
    ],
    [
      'a wrong key of the bucket',
      async () => ({ RESULTS_URL: bucket, AWS_SECRET_ACCESS_KEY: 'wrong-secret' }),
      /The results store s3:\/\/bad-input\/results\/ at .* cannot be used \(SignatureDoesNotMatch.*\)\. Check RESULTS_URL/,
    ],
    [
      'a bucket that may only be read',
      async () => ({
        RESULTS_URL: bucket,
        AWS_ACCESS_KEY_ID: s3.readerKeys.accessKeyId,
        AWS_SECRET_ACCESS_KEY: s3.readerKeys.secretAccessKey,
      }),
      /The results store .* cannot be used \(AccessDenied.*\)\..*they must be allowed to list, get, put and delete/,
    ],
    [
      'no credentials of the bucket',
      async () => ({
        RESULTS_URL: bucket,
        AWS_ACCESS_KEY_ID: '',
        AWS_SECRET_ACCESS_KEY: '',
        AWS_EC2_METADATA_DISABLED: 'true',
      }),
      /The results store .* cannot be used \(CredentialsProviderError.*\)\. Check RESULTS_URL and the credentials/,
    ],
    [
      'a website in place of the S3 service',
      async () => ({ RESULTS_URL: withPort(bucket, website.port) }),
      /The results store .* cannot be used \(.*other bytes than were stored.*\)\. Check RESULTS_URL/,
    ],
    [
      'an S3 service that never answers',
      async () => ({ RESULTS_URL: withPort(bucket, silent.port) }),
      /The results store .* cannot be used \(TimeoutError.*\)\. Check RESULTS_URL/,
    ],
  ])(
    'ends with a sentence: %s',
    async (_, settings, sentence) => {
      const { code, said } = await refusal(await settings())
      expect([said, code]).toEqual([expect.stringMatching(sentence), 1])
    },
    60_000,
  )

  test('reports all problems at once', async () => {
    const { code, said } = await refusal({
      DATABASE_URL: (await newDatabase()).replace(/:[^:@/]+@/, ':wrong-secret@'),
      REDIS_URL: redis.url.replace(/:[^:@/]+@/, ':wrong-secret@'),
      RESULTS_URL: bucket,
      AWS_SECRET_ACCESS_KEY: 'wrong-secret',
    })
    expect(
      ['Check DATABASE_URL', 'Check REDIS_URL', 'Check RESULTS_URL'].filter((part) => !said.includes(part)),
    ).toEqual([])
    expect(code).toBe(1)
  })
})

describe('nodes on a faulty bucket', () => {
  const ends = new AsyncDisposableStack()
  let nodes: readonly ServiceNode[]
  let store: Awaited<ReturnType<typeof startFaultyStore>>
  beforeAll(async () => {
    store = ends.use(await startFaultyStore(s3.url))
    const databaseUrl = await newDatabase()
    const accounts = await openPostgresAccounts({ url: databaseUrl, trialQuota: 3 })
    ends.defer(() => accounts.close())
    for (const username of ['anna', 'bert']) await accounts.add(username, {})
    const env = {
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis.url,
      RESULTS_URL: withPort(bucket, Number(new URL(store.url).port)),
      AWS_ACCESS_KEY_ID: s3.keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3.keys.secretAccessKey,
      REDIRECT_AFTER: '25s',
    }
    nodes = await Promise.all([startNode(env), startNode({ ...env, REDIRECT_AFTER: '1ms' })])
    for (const node of nodes) ends.use(node)
  })
  afterAll(() => ends.disposeAsync())
  // Nodes leave a store alone for two seconds that did not answer twice.
  afterEach(async () => {
    store.become('none')
    await sleep(2500)
  })

  test.each([
    'cut',
    'stalled',
    'altered',
    'shorter',
    'swapped',
    'hanging',
    'broken',
  ] as const)('answer every request with its own image, computed again: %s', async (fault) => {
    const [one, other] = [await picture(900, 300), await picture(901, 300)]
    const right = [await post(nodes[0]!.url, one), await post(nodes[0]!.url, other, 'bert')]
    expect(areSame(right)).toBe(false)
    store.become(fault)
    const again = [await post(nodes[0]!.url, one), await post(nodes[0]!.url, other, 'bert')]
    expect([...right, ...again].map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(again.every(isWhole)).toBe(true)
    expect(again.map((reply, at) => areSame([reply, right[at]!]))).toEqual([true, true])
  })

  test.each([
    ['altered', 404],
    ['shorter', 404],
    ['swapped', 404],
    ['hanging', 503],
    ['broken', 503],
  ] as const)(
    'answer a result address, never with something else: %s, %i',
    async (fault, status) => {
      const given = await post(nodes[1]!.url, await picture(950, 300))
      expect(given.status).toBe(303)
      // From the store: it is there from now on.
      const ready = async () => (await follow(nodes[0]!.url + resultPath(given))).status
      // A node that met the fault before asks the store again after a while.
      await expect.poll(ready, { interval: 500 }).toBe(200)
      store.become(fault)
      const reply = await follow(nodes[0]!.url + resultPath(given))
      expect(reply.status).toBe(status)
      expect(reply.headers.get('content-type')).toContain('text/plain')
      expect(reply.headers.has('retry-after')).toBe(status === 503)
    },
    60_000,
  )
})
