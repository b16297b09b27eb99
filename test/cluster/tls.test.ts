import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openPostgresAccounts } from '../../src/adapters/accounts/postgres.ts'
import { picture } from './pictures.ts'
import { isWhole, post } from './requests.ts'
import { startCeph } from './servers/ceph.ts'
import { startNode } from './servers/node.ts'
import { startPostgres } from './servers/postgres.ts'
import { run } from './servers/process.ts'
import { startRedis } from './servers/redis.ts'
import { makeCertificate, startTlsGate } from './servers/tls-gate.ts'

const MAIN = resolve(import.meta.dirname, '../../src/cli/main.ts')

const [postgres, redis, s3, certificate] = await Promise.all([
  startPostgres(),
  startRedis(),
  startCeph(),
  makeCertificate(),
])
const gates = await Promise.all([
  startTlsGate(postgres.url, certificate, 'as PostgreSQL'),
  startTlsGate(redis.url, certificate),
  startTlsGate(s3.url, certificate),
])
afterAll(() => Promise.all([...gates, postgres, redis, s3].map((server) => server[Symbol.asyncDispose]())))

describe('stores behind TLS, with a certificate that the system does not know', () => {
  const [database, jobs, results] = gates.map(({ host }) => host)
  const env = async (sslmode: string) => {
    const name = `tls_${sslmode.replace('-', '_')}`
    const plain = await postgres.newDatabase(name)
    const accounts = await openPostgresAccounts({ url: plain, trialQuota: 3 })
    await accounts.add('anna', {})
    await accounts.close()
    const bucket = await s3.newBucket(name.replaceAll('_', '-'))
    return {
      DATABASE_URL: `${plain.replace(/@[^/]+/, `@${database}`)}?sslmode=${sslmode}`,
      REDIS_URL: redis.url.replace('redis:', 'rediss:').replace(/[^@]+$/, jobs!),
      RESULTS_URL: bucket.replace(encodeURIComponent(s3.url), encodeURIComponent(`https://${results}`)),
      AWS_ACCESS_KEY_ID: s3.keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3.keys.secretAccessKey,
    }
  }

  test('a node uses all three when NODE_EXTRA_CA_CERTS names the authority', async () => {
    await using node = await startNode({ ...(await env('verify-full')), NODE_EXTRA_CA_CERTS: certificate.authority })
    for (let round = 0; round < 2; round += 1) {
      const reply = await post(node.url, await picture(1, 200))
      expect([reply.status, isWhole(reply)]).toEqual([200, true])
    }
    expect(await node.metric('whittle_results_total')).toBe(1)
    for (const store of ['accounts', 'results', 'jobs'])
      expect(await node.metric('whittle_store_up', `store="${store}"`)).toBe(1)
  })

  test('a node does not start without it, and names each store', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'whittle-tls-'))
    const given = { PATH: process.env['PATH'], PORT: '0', DATA_DIR: directory, ...(await env('require')) }
    const failed = await run(process.execPath, [MAIN, 'serve'], { env: given }).catch((error) => error)
    await rm(directory, { recursive: true })
    expect(failed.code).toBe(1)
    const said = `${failed.stdout}${failed.stderr}`
    for (const setting of ['DATABASE_URL', 'REDIS_URL', 'RESULTS_URL'])
      expect(said).toMatch(new RegExp(`cannot be used \\(.*self.signed.*\\)\\. Check ${setting}`))
  })
})
