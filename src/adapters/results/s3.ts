import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { TRANSFER_MS } from '../../core/intervals.ts'
import { MINUTE_MS } from '../../core/units.ts'
import type { ResultMeta, Results, StoredResult } from '../../ports/results.ts'
import type { StoreWatch } from '../../ports/store-watch.ts'
import { type Bucket, type BucketSettings, openBucket } from './bucket.ts'
import { PROMISE_MS } from './lru-index.ts'
import { assertResultKey, isResultKey } from './result-key.ts'
import { MAX_WHOLE_BYTES, openBodies } from './s3-bodies.ts'
import { makeGuard } from './s3-guard.ts'
import { packMeta, unpackMeta } from './s3-meta.ts'
import { startSweep } from './s3-sweep.ts'

export interface S3ResultsSettings extends BucketSettings {
  /** ms after which a result is removed, even if it is used. At least an hour (§5.1). */
  readonly maxAgeMs: number
  readonly watch?: StoreWatch
  /** Default: the store's clock, so that nodes with different clocks agree on ages. */
  readonly now?: () => Date
  /** ms between sweeps of one of the 256 folders. */
  readonly sweepEveryMs?: number
  /** Called with the error when a sweep cannot list or remove objects. */
  readonly onSweepError?: (error: unknown) => void
}

const META = 'whittle'

const explain = ({ bucket, prefix, endpoint }: BucketSettings, error: unknown): Error => {
  const { name, message } = error instanceof Error ? error : { name: '', message: String(error) }
  const where = `s3://${bucket}/${prefix}${endpoint === undefined ? '' : ` at ${new URL(endpoint).host}`}`
  const why = message === '' || message === name ? name : `${name}: ${message}`
  return new Error(
    `The results store ${where} cannot be used (${why}). Check RESULTS_URL and the credentials (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY or a role): they must be allowed to list, get, put and delete.`,
    { cause: error },
  )
}

/** Fails at start if objects cannot be written, read, listed and removed. */
const probeBucket = async ({ s3, client, at }: Bucket, { bucket, prefix }: BucketSettings): Promise<void> => {
  const object = at(randomBytes(16).toString('hex'))
  await client.send(new s3.PutObjectCommand({ ...object, Body: 'probe' }))
  const { Body } = await client.send(new s3.GetObjectCommand(object))
  if ((await Body?.transformToString()) !== 'probe') throw new Error('it gives back other bytes than were stored')
  await client.send(new s3.DeleteObjectCommand(object))
  await client.send(new s3.ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: 1 }))
}

const bodyOf = async (body: string | Uint8Array, bytes: number): Promise<Uint8Array | Readable> => {
  const size = typeof body === 'string' ? (await stat(body)).size : body.length
  if (size !== bytes) throw new Error(`The result to store has ${size} bytes and not the ${bytes} that were announced.`)
  if (typeof body !== 'string') return body
  // A body in memory can be sent again when the first attempt fails.
  return size <= MAX_WHOLE_BYTES ? readFile(body) : createReadStream(body)
}

const bytesOf = (body: Buffer, first: number, last: number): Readable => Readable.from([body.subarray(first, last + 1)])

/** Opens the bucket. Throws one plain sentence when it cannot be used. */
const openProbed = async (settings: S3ResultsSettings): Promise<Bucket> => {
  const bucket = await openBucket(settings)
  await probeBucket(bucket, settings).catch((error: unknown) => {
    bucket.client.destroy()
    throw explain(settings, error)
  })
  return bucket
}

/** Converts times in ms since the epoch. Stored times are by the store's clock, so that nodes with different clocks agree. */
const clockOf = ({ now }: S3ResultsSettings, bucket: Bucket) => {
  const ahead = (): number => (now === undefined ? bucket.ahead() : 0)
  const localNow = (): number => (now?.() ?? new Date()).getTime()
  return {
    toStore: (time: number): number => time + ahead(),
    fromStore: (time: number): number => time - ahead(),
    localNow,
    storeNow: (): number => localNow() + ahead(),
  }
}

/** Puts, gets and removes results. Never returns one that is older than `maxAgeMs` or has other bytes than were stored. */
const openObjects = (bucket: Bucket, clock: ReturnType<typeof clockOf>, { maxAgeMs, watch }: S3ResultsSettings) => {
  const { s3, client, at } = bucket
  const guard = makeGuard(watch)
  const { getObject, stream, readWhole } = openBodies(bucket, guard)

  const remove = async (key: string): Promise<void> => {
    if (isResultKey(key)) await guard(() => client.send(new s3.DeleteObjectCommand(at(key))))
  }
  const put: Results['put'] = async (key, source, meta) => {
    assertResultKey(key)
    const body = await bodyOf(source, meta.bytes)
    const stored = { ...meta, createdAt: clock.toStore(meta.createdAt) }
    const command = new s3.PutObjectCommand({
      ...at(key),
      Body: body,
      ContentLength: meta.bytes,
      ContentType: meta.contentType,
      Metadata: { [META]: packMeta(key, stored) },
    })
    await guard(() => client.send(command, { abortSignal: AbortSignal.timeout(TRANSFER_MS) }))
    return true
  }
  /** A result whose body is in memory (`whole`), or is streamed from the store. */
  const resultOf = (key: string, meta: ResultMeta, whole: Buffer | undefined): StoredResult =>
    whole === undefined
      ? { meta, open: (range) => stream(key, meta, range) }
      : { meta, open: async ({ first, last } = { first: 0, last: meta.bytes - 1 }) => bytesOf(whole, first, last) }

  const get = async (key: string): Promise<StoredResult | undefined> => {
    const object = isResultKey(key) ? await getObject(key) : undefined
    if (object === undefined) return undefined
    const body = object.Body as Readable
    const stored = unpackMeta(key, object.Metadata?.[META])
    if (stored === undefined) {
      // It may be of another version of the program, so it is not removed.
      body.destroy()
      return undefined
    }
    const meta = { ...stored, createdAt: clock.fromStore(stored.createdAt) }
    const isUsable = object.ContentLength === meta.bytes && clock.localNow() - meta.createdAt <= maxAgeMs
    const whole = isUsable ? await readWhole(body, meta) : 'wrong'
    if (whole !== 'wrong') return resultOf(key, meta, whole)
    body.destroy()
    await remove(key)
    return undefined
  }
  const ping = async (): Promise<void> => {
    await guard(() => client.send(new s3.HeadBucketCommand({ Bucket: bucket.name })))
  }
  return { put, get, remove, ping }
}

/**
 * Results as objects of one bucket, shared by any number of nodes. The metadata of a result is that of its object. Results expire by age
 * only, through a sweep or a lifecycle rule of the bucket. Throws one plain sentence when the bucket cannot be used. Later, calls fail with
 * STORE_AWAY while the store is away.
 */
export const openS3Results = async (settings: S3ResultsSettings): Promise<Results> => {
  const { maxAgeMs, sweepEveryMs = MINUTE_MS } = settings
  if (maxAgeMs < PROMISE_MS) throw new Error('Results have to be kept for at least an hour.')
  const bucket = await openProbed(settings)
  const clock = clockOf(settings, bucket)
  const sweeping = startSweep(bucket, {
    bucket: settings.bucket,
    prefix: settings.prefix,
    everyMs: sweepEveryMs,
    before: () => clock.storeNow() - maxAgeMs,
    onError: settings.onSweepError,
  })
  return {
    ...openObjects(bucket, clock, settings),
    close: async () => {
      sweeping.stop()
      bucket.client.destroy()
    },
  }
}
