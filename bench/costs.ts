/** Requests to the stores that nodes share, by kind of request: `npm run bench:costs -- --help`. Counts do not depend on the machine. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { openPostgresAccounts } from '../src/adapters/accounts/postgres.ts'
import { makeSigningKey, readSigningKey } from '../src/core/signing-key.ts'
import { signAddress } from '../src/service/deliver/delivery-right.ts'
import { picture } from '../test/cluster/pictures.ts'
import { follow, post, resultPath } from '../test/cluster/requests.ts'
import { startCeph } from '../test/cluster/servers/ceph.ts'
import { startNode } from '../test/cluster/servers/node.ts'
import { startPostgres } from '../test/cluster/servers/postgres.ts'
import { startRedis } from '../test/cluster/servers/redis.ts'
import { startChangingOrigin } from '../test/origin/changing-origin.ts'
import { readCommand } from './corpus/help.ts'
import { startPostgresGate, startS3Gate } from './costs/counting-gates.ts'

const HELP = `Counts what each kind of request costs the stores that nodes share: round trips to PostgreSQL, commands of Redis and requests
to S3, less those of an idle node. Starts PostgreSQL, Redis, Ceph's object gateway and one node, whose programs have to be
installed. Prints the table of docs/scaling.md.

Usage: npm run bench:costs

  --help  says this
`
readCommand(HELP, {})

/** Times that each kind is asked for, one after the other. */
const TIMES = 10
/** ms after which background work of a request has ended. */
const SETTLE_MS = 3_000
/** Seconds without a request. */
const IDLE_SECONDS = 10

await using ends = new AsyncDisposableStack()
const postgres = ends.use(await startPostgres())
const redis = ends.use(await startRedis())
const s3 = ends.use(await startCeph())
const database = new URL(await postgres.newDatabase('costs'))
const results = new URL(await s3.newBucket('costs'))
const endpoint = new URL(results.searchParams.get('endpoint')!)

const gates = {
  postgres: ends.use(await startPostgresGate(database.href)),
  s3: ends.use(await startS3Gate(endpoint.origin)),
}
const key = makeSigningKey()
const accounts = await openPostgresAccounts({ url: database.href, trialQuota: 3 })
await accounts.add('anna', { signingKey: key })
await accounts.close()
database.host = gates.postgres.host
results.searchParams.set('endpoint', `http://${gates.s3.host}`)

/** Commands of Redis since it was asked last: those that clients sent, and those within scripts. */
const openRedisCount = async () => {
  const client = new Redis(redis.url)
  ends.defer(() => client.disconnect())
  const monitor = await client.monitor()
  ends.defer(() => monitor.disconnect())
  let counts = { sent: 0, inScripts: 0 }
  monitor.on('monitor', (_time: string, _args: readonly string[], source: string) => {
    if (source === 'lua') counts.inScripts += 1
    else counts.sent += 1
  })
  return () => {
    const taken = counts
    counts = { sent: 0, inScripts: 0 }
    return taken
  }
}
const takeRedis = await openRedisCount()

const node = ends.use(
  await startNode({
    DATABASE_URL: database.href,
    REDIS_URL: redis.url,
    RESULTS_URL: results.href,
    AWS_ACCESS_KEY_ID: s3.keys.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.keys.secretAccessKey,
    REDIRECT_AFTER: '25s',
  }),
)
const origin = await startChangingOrigin({ body: await picture(1, 300) })
ends.defer(() => origin[Symbol.asyncDispose]())

interface Costs {
  readonly postgres: number
  readonly sent: number
  readonly inScripts: number
  readonly s3: ReadonlyMap<string, number>
}

const take = (): Costs => ({
  postgres: gates.postgres.take().get('round trips') ?? 0,
  ...takeRedis(),
  s3: gates.s3.take(),
})

/** Cost of a node without requests in a second. */
const measureIdle = async (): Promise<Costs> => {
  await sleep(SETTLE_MS)
  take()
  await sleep(IDLE_SECONDS * 1000)
  return take()
}

/** Cost of one request of a kind, without that of an idle node in the same time. */
const measure = async (idle: Costs, ask: (turn: number) => Promise<unknown>): Promise<Costs> => {
  await ask(0)
  await sleep(SETTLE_MS)
  take()
  const since = performance.now()
  for (let turn = 1; turn <= TIMES; turn += 1) await ask(turn)
  await sleep(SETTLE_MS)
  const found = take()
  const share = (performance.now() - since) / 1000 / IDLE_SECONDS
  const net = (all: number, meanwhile: number): number => Math.max(0, all - meanwhile * share) / TIMES
  return {
    postgres: net(found.postgres, idle.postgres),
    sent: net(found.sent, idle.sent),
    inScripts: net(found.inScripts, idle.inScripts),
    s3: new Map([...found.s3].map(([method, count]) => [method, net(count, idle.s3.get(method) ?? 0)])),
  }
}

const rounded = (value: number): string => String(Math.round(value * 10) / 10)
const s3Of = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .filter(([, count]) => count >= 0.05)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([method, count]) => `${rounded(count)} ${method}`)
    .join(', ')
const row = (name: string, { postgres: trips, sent, inScripts, s3: counts }: Costs, by = 1): string =>
  `| ${name} | ${rounded(trips / by)} | ${rounded(sent / by)} | ${rounded(inScripts / by)} | ${s3Of(new Map([...counts].map(([method, count]) => [method, count / by])))} |`

const addressOf = async (seed: number): Promise<string> => {
  origin.show({ body: await picture(seed, 300) })
  const imageUrl = origin.url(`/${seed}.png`)
  const sig = signAddress(readSigningKey(key)!, { username: 'anna', list: '200', imageUrl })
  return `${node.url}/anna/200,sig=${sig}/${imageUrl}`
}
const image = await picture(2, 300)

const idle = await measureIdle()
console.log(
  '| request | PostgreSQL, round trips | Redis, commands sent | Redis, commands in scripts | S3, requests |\n|---|---|---|---|---|',
)
console.log(row('none, in a second', idle, IDLE_SECONDS))
console.log(row('POST, known result', await measure(idle, () => post(node.url, image, 'anna'))))
console.log(
  row('POST, new', await measure(idle, async (turn) => post(node.url, await picture(100 + turn, 300), 'anna'))),
)
const known = await addressOf(200)
console.log(row('live, known', await measure(idle, () => follow(known))))
console.log(row('live, new', await measure(idle, async (turn) => follow(await addressOf(300 + turn)))))
await node.stop()
await node.start({ REDIRECT_AFTER: '1ms' })
const late = async (turn: number): Promise<void> => {
  const reply = await post(node.url, await picture(400 + turn, 300), 'anna')
  await follow(node.url + resultPath(reply))
}
console.log(row('POST, new, with a 303 that is followed', await measure(idle, late)))
