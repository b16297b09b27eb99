import { createHash, randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ListObjectsV2Command,
  PutBucketLifecycleConfigurationCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openS3Results, type S3ResultsSettings } from '../../src/adapters/results/s3.ts'
import type { ResultMeta, Results } from '../../src/ports/results.ts'
import { resultsUrl } from '../../src/settings/store-addresses.ts'
import { makeDirectory } from '../ports/directory.ts'
import { describeResults } from '../ports/results-contract.ts'
import { type S3Keys, startCeph } from './servers/ceph.ts'
import { startFaultyStore } from './servers/faulty-store.ts'
import { until } from './servers/process.ts'

const HOUR = 3_600_000
const server = await startCeph()
afterAll(() => server[Symbol.asyncDispose]())

const use = ({ accessKeyId, secretAccessKey }: S3Keys): void => {
  process.env['AWS_ACCESS_KEY_ID'] = accessKeyId
  process.env['AWS_SECRET_ACCESS_KEY'] = secretAccessKey
}
use(server.keys)

const addressOf = (url: string) => {
  const read = resultsUrl(url)
  if ('expected' in read) throw new Error(read.expected)
  return read.value
}
const newBucket = async () => addressOf(await server.newBucket(`b${randomBytes(6).toString('hex')}`))

describeResults(
  's3',
  async () => {
    const bucket = await newBucket()
    return { open: (settings) => openS3Results({ ...bucket, ...settings }), discard: async () => undefined }
  },
  { bounded: false },
)

describe('results in a bucket', () => {
  const ends: (() => Promise<unknown>)[] = []
  const key = 'ab'.repeat(16)
  let bucket: Awaited<ReturnType<typeof newBucket>>
  let scratch: string
  beforeEach(async () => {
    use(server.keys)
    bucket = await newBucket()
    scratch = await makeDirectory()
    ends.push(() => rm(scratch, { recursive: true }))
  })
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end()
  })

  const open = async (more: Partial<S3ResultsSettings> = {}): Promise<Results> => {
    const results = await openS3Results({ ...bucket, maxAgeMs: HOUR, ...more })
    ends.push(results.close)
    return results
  }
  const put = async (results: Results, body: Buffer, more: Partial<ResultMeta> = {}): Promise<ResultMeta> => {
    const path = join(scratch, 'body')
    await writeFile(path, body)
    const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`
    const meta = { contentType: 'image/png', bytes: body.length, etag, headers: {}, createdAt: Date.now(), ...more }
    await results.put(key, path, meta)
    return meta
  }
  const failing = (opening: Promise<unknown>): Promise<string> =>
    opening.then(
      () => 'it opened',
      (reason: unknown) => String(reason),
    )

  test('a body larger than the memory buffer streams unchanged', async () => {
    const results = await open()
    const body = randomBytes(9_000_000)
    await put(results, body)
    const stored = await results.get(key)
    expect((await buffer(await stored!.open())).equals(body)).toBe(true)
    for (const [first, last] of [
      [0, 0],
      [1, 66_000],
      [8_999_990, 8_999_999],
    ] as const) {
      const part = await buffer(await stored!.open({ first, last }))
      expect(part.equals(body.subarray(first, last + 1))).toBe(true)
    }
    await results.remove(key)
    await expect(stored!.open()).rejects.toThrow('removed meanwhile')
  })

  test('an object has its image as body and its content type: other programs can read it', async () => {
    await put(await open(), Buffer.from('body'))
    const client = new S3Client({ region: 'us-east-1', endpoint: server.url, forcePathStyle: true })
    ends.push(async () => client.destroy())
    const { Contents } = await client.send(new ListObjectsV2Command({ Bucket: bucket.bucket }))
    expect(Contents?.map((object) => object.Key)).toEqual([`results/ab/${key}`])
  })

  test('warnings too long for metadata are dropped, the last ones first', async () => {
    const results = await open()
    const warnings = Array.from({ length: 8 }, () => randomBytes(150).toString('hex'))
    await put(results, Buffer.from('body'), { headers: { warning: warnings, 'x-score': '80.00' } })
    const { headers } = (await results.get(key))!.meta
    expect(headers['x-score']).toBe('80.00')
    expect(headers['warning']?.length).toBeGreaterThan(2)
    expect(warnings.slice(0, headers['warning']?.length)).toEqual(headers['warning'])
  })

  test.each([
    ['a wrong key', () => use({ ...server.keys, secretAccessKey: 'wrong' }), {}, 'SignatureDoesNotMatch'],
    ['a bucket that does not exist', () => undefined, { bucket: 'no-such-bucket' }, 'NoSuchBucket'],
    ['a bucket that may only be read', () => use(server.readerKeys), {}, 'AccessDenied'],
    ['a port without a listener', () => undefined, { endpoint: 'http://127.0.0.1:1' }, 'ECONNREFUSED'],
  ])('%s is reported at opening in one sentence', async (_, prepare, spoiled, why) => {
    prepare()
    const told = await failing(open(spoiled))
    expect(told).toMatch(
      /^Error: The results store s3:\/\/[^ ]+ at 127\.0\.0\.1:\d+ cannot be used \(.+\)\. Check RESULTS_URL/,
    )
    expect(told).toContain(why)
    expect(told).not.toContain('testsecret')
  })

  test('expired results are removed by a sweep, and others stay', async () => {
    const client = new S3Client({ region: 'us-east-1', endpoint: server.url, forcePathStyle: true })
    ends.push(async () => client.destroy())
    const names = async () => {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket.bucket }))
      return Contents.map((object) => object.Key)
    }
    await put(await open(), Buffer.from('body'))
    const sweeps = { maxAgeMs: 2 * HOUR, sweepEveryMs: 1 }
    const young = await open({ ...sweeps, now: () => new Date(Date.now() + 1.9 * HOUR) })
    await sleep(2000)
    await young.close()
    expect(await names()).toHaveLength(1)
    await open({ ...sweeps, now: () => new Date(Date.now() + 2.1 * HOUR) })
    await until(async () => expect(await names()).toEqual([]))
  })

  test('a lifecycle rule for the prefix, as docs/scaling.md has it, removes results and nothing else', async () => {
    const client = new S3Client({ region: 'us-east-1', endpoint: server.url, forcePathStyle: true })
    ends.push(async () => client.destroy())
    const results = await open()
    await client.send(new PutObjectCommand({ Bucket: bucket.bucket, Key: 'elsewhere', Body: 'stays' }))
    await put(results, Buffer.from('body'))
    const rule = {
      ID: 'whittle',
      Status: 'Enabled',
      Filter: { Prefix: bucket.prefix },
      Expiration: { Days: 2 },
    } as const
    const lifecycle = { Bucket: bucket.bucket, LifecycleConfiguration: { Rules: [rule] } }
    await client.send(new PutBucketLifecycleConfigurationCommand(lifecycle))
    const names = async () => {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket.bucket }))
      return Contents.map((object) => object.Key)
    }
    await until(async () => expect(await names()).toEqual(['elsewhere']), 150_000)
    expect(await results.get(key)).toBeUndefined()
  })

  test('expired results are removed even after a thousand newer ones in their folder', async () => {
    const client = new S3Client({ region: 'us-east-1', endpoint: server.url, forcePathStyle: true })
    ends.push(async () => client.destroy())
    const results = await open()
    const names = async (start: string) => {
      const list = new ListObjectsV2Command({ Bucket: bucket.bucket, Prefix: `${bucket.prefix}ab/${start}` })
      return (await client.send(list)).KeyCount ?? 0
    }
    const putAll = async (start: string, count: number) => {
      const meta = { contentType: 'image/png', bytes: 1, etag: '"1"', headers: {}, createdAt: Date.now() }
      const keys = Array.from({ length: count }, (_, n) => start + n.toString(16).padStart(32 - start.length, '0'))
      const put = async () => {
        for (let key = keys.pop(); key !== undefined; key = keys.pop()) await results.put(key, Buffer.from('x'), meta)
      }
      await Promise.all(Array.from({ length: 20 }, put))
    }
    await putAll('abff', 20)
    // The store reports times of objects to the second.
    await sleep(2500)
    const limit = Date.now()
    await sleep(2500)
    await putAll('ab00', 1005)
    expect([await names('ff'), await names('abff')]).toEqual([0, 20])
    const failed: unknown[] = []
    await open({
      maxAgeMs: 2 * HOUR,
      sweepEveryMs: 1,
      now: () => new Date(limit + 2 * HOUR),
      onSweepError: (error) => failed.push(error),
    })
    await until(async () => expect(await names('abff')).toBe(0))
    expect([await names('ab00'), failed]).toEqual([1000, []])
  })

  test('a sweep that fails is counted', async () => {
    const proxy = await startFaultyStore(server.url)
    ends.push(async () => proxy[Symbol.asyncDispose]())
    let failed = 0
    await open({ endpoint: proxy.url, sweepEveryMs: 10, onSweepError: () => (failed += 1) })
    proxy.become('broken')
    await until(async () => expect(failed).toBeGreaterThan(0))
  })

  describe('that is faulty or unreachable', () => {
    const body = randomBytes(200_000)
    const large = randomBytes(5_000_000)
    const behindProxy = async () => {
      const proxy = await startFaultyStore(server.url)
      ends.push(async () => proxy[Symbol.asyncDispose]())
      const told: string[] = []
      const watch = { away: () => told.push('away'), back: () => told.push('back') }
      const results = await open({ endpoint: proxy.url, watch })
      return { proxy, results, told }
    }

    test.each([
      'altered',
      'shorter',
    ] as const)('a small body that comes back %s is no result, and is removed', async (fault) => {
      const { proxy, results } = await behindProxy()
      await put(results, body)
      proxy.become(fault)
      expect(await results.get(key)).toBeUndefined()
      proxy.become('none')
      expect(await results.get(key)).toBeUndefined()
    })

    test.each([
      'cut',
      'broken',
    ] as const)('a store that is %s fails with 503, and what it holds is there afterwards', async (fault) => {
      const { proxy, results, told } = await behindProxy()
      await put(results, body)
      proxy.become(fault)
      await expect(results.get(key)).rejects.toMatchObject({ code: 'STORE_AWAY', status: 503 })
      expect(told.at(-1)).toBe('away')
      proxy.become('none')
      const stored = await until(() => results.get(key))
      expect((await buffer(await stored!.open())).equals(body)).toBe(true)
      expect(told.at(-1)).toBe('back')
    })

    test('a hanging store is given up, and receives no requests for a moment', async () => {
      const { proxy, results } = await behindProxy()
      await put(results, body)
      proxy.become('hanging')
      await expect(results.get(key)).rejects.toMatchObject({ code: 'STORE_AWAY' })
      await expect(results.get(key)).rejects.toMatchObject({ code: 'STORE_AWAY' })
    })

    test.each([
      'cut',
      'altered',
    ] as const)('a large body that is %s on its way never ends as if it were whole', async (fault) => {
      const { proxy, results } = await behindProxy()
      await put(results, large)
      const stored = await results.get(key)
      proxy.become(fault)
      await expect(stored!.open().then(buffer)).rejects.toThrow()
    })
  })
})
