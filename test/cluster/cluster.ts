import { openPostgresAccounts, type PostgresAccounts } from '../../src/adapters/accounts/postgres.ts'
import type { Reply } from './requests.ts'
import { type S3Server, startCeph } from './servers/ceph.ts'
import { startNginx } from './servers/nginx.ts'
import { type NodeProgram, type ServiceNode, startNode } from './servers/node.ts'
import { type PostgresServer, startPostgres } from './servers/postgres.ts'
import type { StoreServer } from './servers/process.ts'
import { startRedis } from './servers/redis.ts'

/** Three nodes behind nginx, on PostgreSQL, Redis and an S3 server, all real. */
export interface Cluster extends AsyncDisposable {
  readonly postgres: PostgresServer
  /** Database of the nodes. */
  readonly databaseUrl: string
  readonly redis: StoreServer
  readonly s3: S3Server
  readonly nodes: readonly ServiceNode[]
  /** Base address of nginx. */
  readonly front: string
  readonly accounts: PostgresAccounts
  /** Sum of a metric over all nodes. */
  readonly sum: (metric: string, label?: string) => Promise<number>
  readonly used: (username: string) => Promise<number>
  /** Replies whose charge is not final: request id, and description of the image. */
  readonly unsettled: (replies: readonly Reply[]) => Promise<string[]>
  /** Starts one more node on the same stores, not behind nginx. */
  readonly startMore: (more: Readonly<Record<string, string>>, program?: NodeProgram) => Promise<ServiceNode>
  /** Restarts all nodes with these settings added. */
  readonly restart: (env: Readonly<Record<string, string>>) => Promise<void>
}

/** Starts everything. */
export const startCluster = async (): Promise<Cluster> => {
  const [postgres, redis, s3] = await Promise.all([startPostgres(), startRedis(), startCeph()])
  const databaseUrl = await postgres.newDatabase('nodes')
  const env = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redis.url,
    RESULTS_URL: await s3.newBucket('nodes'),
    AWS_ACCESS_KEY_ID: s3.keys.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.keys.secretAccessKey,
    // Restarts between tests wait for no balancer.
    SHUTDOWN_DELAY: '0',
  }
  const accounts = await openPostgresAccounts({ url: databaseUrl, trialQuota: 3 })
  await accounts.add('anna', {})
  const nodes = await Promise.all(Array.from({ length: 3 }, () => startNode(env)))
  const nginx = await startNginx(nodes.map(({ port }) => port))
  return {
    postgres,
    databaseUrl,
    redis,
    s3,
    nodes,
    front: nginx.url,
    accounts,
    sum: async (metric, label) => {
      const each = await Promise.all(nodes.map((node) => node.metric(metric, label)))
      return each.reduce((all, one) => all + one, 0)
    },
    unsettled: async (replies) => {
      const idOf = ({ headers }: Reply): string => headers.get('x-request-id') ?? ''
      const ids = replies.map(idOf)
      const settled = await postgres.query(
        databaseUrl,
        `select request_id from reservations where state = 'settled' and request_id in (${ids.map((id) => `'${id}'`)})`,
      )
      const known = new Set(settled.map((row) => row['request_id']))
      const lost = replies.filter((reply) => !known.has(idOf(reply)))
      return lost.map((reply) => `${idOf(reply)} ${reply.headers.get('warning') ?? ''}`)
    },
    used: async (username) => (await accounts.find(username))?.used ?? Number.NaN,
    startMore: (more, program) => startNode({ ...env, ...more }, program),
    restart: async (more) => {
      await Promise.all(nodes.map((node) => node.stop()))
      await Promise.all(nodes.map((node) => node.start(more)))
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()))
      await nginx[Symbol.asyncDispose]()
      await accounts.close()
      await Promise.all([postgres, redis, s3].map((store) => store[Symbol.asyncDispose]()))
    },
  }
}
