import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { MINUTE_MS } from '../../core/units.ts'
import type { ResultMeta, Results, StoredResult } from '../../ports/results.ts'
import type { StoreWatch } from '../../ports/store-watch.ts'
import { type Bucket, type BucketSettings, openBucket } from './bucket.ts'
import { PROMISE_MS } from './lru-index.ts'
import { openBodies, WHOLE_BYTES } from './s3-bodies.ts'
import { makeGuard } from './s3-guard.ts'
import { packMeta, unpackMeta } from './s3-meta.ts'
import { startSweep } from './s3-sweep.ts'

export interface S3ResultsSettings extends BucketSettings {
  /** Ms after which a result is removed however often it is used; at least an hour (§5.1). */
  readonly maxAgeMs: number
  readonly watch?: StoreWatch
  /** The store's own clock unless given: nodes whose clocks differ agree on ages. */
  readonly now?: () => Date
  /** Ms between looks into one of the 256 folders for what is too old. */
  readonly sweepEveryMs?: number
  /** Called with the error when a sweep cannot list or remove objects. */
  readonly onSweepError?: (error: unknown) => void
}

const KEY = /^[0-9a-f]{32,128}$/
const META = 'whittle'
/** Most time for one result to be written. */
const PUT_MS = 30_000

const explain = ({ bucket, prefix, endpoint }: BucketSettings, error: unknown): Error => {
  const { name, message } = error instanceof Error ? error : { name: '', message: String(error) }
  const where = `s3://${bucket}/${prefix}${endpoint === undefined ? '' : ` at ${new URL(endpoint).host}`}`
  const why = message === '' || message === name ? name : `${name}: ${message}`
  return new Error(
    `The results store ${where} cannot be used (${why}). Check RESULTS_URL and the credentials (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY or a role): they must be allowed to list, get, put and delete.`,
    { cause: error },
  )
}

/** Proves at start that objects can be written, read, listed and removed, rather than at the first result. */
const prove = async ({ s3, client, at }: Bucket, { bucket, prefix }: BucketSettings): Promise<void> => {
  const probe = at(randomBytes(16).toString('hex'))
  await client.send(new s3.PutObjectCommand({ ...probe, Body: 'probe' }))
  const { Body } = await client.send(new s3.GetObjectCommand(probe))
  if ((await Body?.transformToString()) !== 'probe') throw new Error('it gives back other bytes than were stored')
  await client.send(new s3.DeleteObjectCommand(probe))
  await client.send(new s3.ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: 1 }))
}

const bodyOf = async (body: string | Uint8Array, bytes: number): Promise<Uint8Array | Readable> => {
  const size = typeof body === 'string' ? (await stat(body)).size : body.length
  if (size !== bytes) throw new Error(`The result to store has ${size} bytes and not the ${bytes} that were announced.`)
  if (typeof body !== 'string') return body
  // A body in memory can be sent again when the first try fails.
  return size <= WHOLE_BYTES ? readFile(body) : createReadStream(body)
}

const bytesOf = (body: Buffer, first: number, last: number): Readable => Readable.from([body.subarray(first, last + 1)])

/** Opens the bucket, and proves that it can be used; throws one plain sentence when it cannot. */
const openProved = async (settings: S3ResultsSettings): Promise<Bucket> => {
  const bucket = await openBucket(settings)
  await prove(bucket, settings).catch((error: unknown) => {
    bucket.client.destroy()
    throw explain(settings, error)
  })
  return bucket
}

/** Ms since the epoch. Times are kept by the store's clock, so that a node whose own is wrong reads them right. */
const clockOf = ({ now }: S3ResultsSettings, bucket: Bucket) => {
  const ahead = (): number => (now === undefined ? bucket.ahead() : 0)
  const here = (): number => (now?.() ?? new Date()).getTime()
  return {
    toStore: (time: number): number => time + ahead(),
    fromStore: (time: number): number => time - ahead(),
    /** The present time, by this machine's clock and by the store's. */
    here,
    there: (): number => here() + ahead(),
  }
}

/** Puts, gets and removes the objects of a bucket; none that is older than `maxAgeMs` or not what was stored is given out. */
const openObjects = (bucket: Bucket, clock: ReturnType<typeof clockOf>, { maxAgeMs, watch }: S3ResultsSettings) => {
  const { s3, client, at } = bucket
  const guard = makeGuard(watch)
  const { getObject, stream, readWhole } = openBodies(bucket, guard)

  const remove = async (key: string): Promise<void> => {
    if (KEY.test(key)) await guard(() => client.send(new s3.DeleteObjectCommand(at(key))))
  }
  const put: Results['put'] = async (key, given, meta) => {
    if (!KEY.test(key)) throw new Error(`"${key}" is not a key of at least 128 bits in hex.`)
    const body = await bodyOf(given, meta.bytes)
    const stored = { ...meta, createdAt: clock.toStore(meta.createdAt) }
    const command = new s3.PutObjectCommand({
      ...at(key),
      Body: body,
      ContentLength: meta.bytes,
      ContentType: meta.contentType,
      Metadata: { [META]: packMeta(key, stored) },
    })
    await guard(() => client.send(command, { abortSignal: AbortSignal.timeout(PUT_MS) }))
    return true
  }
  /** An answer from a body that is there in whole, or from the store, piece by piece. */
  const answerWith = (key: string, meta: ResultMeta, whole: Buffer | undefined): StoredResult =>
    whole === undefined
      ? { meta, open: (range) => stream(key, meta, range) }
      : { meta, open: async ({ first, last } = { first: 0, last: meta.bytes - 1 }) => bytesOf(whole, first, last) }

  const get = async (key: string): Promise<StoredResult | undefined> => {
    const object = KEY.test(key) ? await getObject(key) : undefined
    if (object === undefined) return undefined
    const body = object.Body as Readable
    const stored = unpackMeta(key, object.Metadata?.[META])
    if (stored === undefined) {
      // Perhaps of another version of the program, which knows what to make of it.
      body.destroy()
      return undefined
    }
    const meta = { ...stored, createdAt: clock.fromStore(stored.createdAt) }
    const isUsable = object.ContentLength === meta.bytes && clock.here() - meta.createdAt <= maxAgeMs
    const whole = isUsable ? await readWhole(body, meta) : 'wrong'
    if (whole !== 'wrong') return answerWith(key, meta, whole)
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
 * Results as objects of one bucket, which any number of nodes share: the body as it is, with its content type, and the meta
 * as metadata. Nothing is evicted by size, only by age (a sweep here, or a lifecycle rule of the bucket). Throws one plain
 * sentence when the bucket cannot be used; later a store that is away fails with STORE_AWAY.
 */
export const openS3Results = async (settings: S3ResultsSettings): Promise<Results> => {
  const { maxAgeMs, sweepEveryMs = MINUTE_MS } = settings
  if (maxAgeMs < PROMISE_MS) throw new Error('Results have to be kept for at least an hour.')
  const bucket = await openProved(settings)
  const clock = clockOf(settings, bucket)
  const sweeping = startSweep(bucket, {
    bucket: settings.bucket,
    prefix: settings.prefix,
    everyMs: sweepEveryMs,
    before: () => clock.there() - maxAgeMs,
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
