import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { Failure } from '../../core/failure.ts'
import type { ByteRange, ResultMeta, Results, StoredResult } from '../../ports/results.ts'
import type { StoreWatch } from '../../ports/store-watch.ts'
import { type Bucket, type BucketSettings, folderOf, isNotThere, openBucket } from './bucket.ts'
import { PROMISE_MS } from './lru-index.ts'
import { packMeta, unpackMeta } from './s3-meta.ts'
import { isBody, verifying } from './verified.ts'

export interface S3ResultsSettings extends BucketSettings {
  /** Ms after which a result is removed however often it is used; at least an hour (§5.1). */
  readonly maxAgeMs: number
  readonly watch?: StoreWatch
  /** The store's own clock unless given: nodes whose clocks differ agree on ages. */
  readonly now?: () => Date
  /** Ms between looks into one of the 256 folders for what is too old. */
  readonly sweepEveryMs?: number
}

const until = (ms: number): AbortSignal => AbortSignal.timeout(ms)

const KEY = /^[0-9a-f]{32,128}$/
const META = 'whittle'
/** Bodies up to here are read and checked before they are answered with, in one request; larger ones stream. */
const WHOLE_BYTES = 4e6
/** Most time until an object begins to be answered. */
const GET_MS = 5000
/** Most time for one result to be written. */
const PUT_MS = 30_000
/** Most time for a body that is read whole. */
const WHOLE_MS = 10_000
/** So long after a failure nothing is asked of the store, so that requests do not each wait for it. */
const PAUSE_MS = 2000
const SWEEP_EVERY_MS = 60_000

type Guard = <T>(work: () => Promise<T>) => Promise<T>

/** Turns whatever the store does not answer into STORE_AWAY, and leaves it alone for a moment then. */
const makeGuard = (watch: StoreWatch | undefined): Guard => {
  let pausedUntil = 0
  let failures = 0
  let reason: unknown
  return async (work) => {
    if (performance.now() < pausedUntil) throw new Failure({ code: 'STORE_AWAY', args: [] }, reason)
    try {
      const done = await work()
      failures = 0
      watch?.back()
      return done
    } catch (error) {
      if (isNotThere(error)) throw error
      reason = error
      failures += 1
      // One slow answer says nothing of the next.
      if (failures > 1) pausedUntil = performance.now() + PAUSE_MS
      watch?.away(error)
      throw new Failure({ code: 'STORE_AWAY', args: [] }, error)
    }
  }
}

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

const bodyOf = async (path: string, bytes: number): Promise<Buffer | Readable> => {
  const { size } = await stat(path)
  if (size !== bytes) throw new Error(`The result to store has ${size} bytes and not the ${bytes} that were announced.`)
  // What is in memory can be sent again when the first try fails.
  return size <= WHOLE_BYTES ? readFile(path) : createReadStream(path)
}

/** What was last written before a time (ms, by the store's clock) under a prefix, as keys of S3; at most the first thousand. */
const findOld = async (
  { s3, client }: Bucket,
  { bucket, prefix, before }: { readonly bucket: string; readonly prefix: string; readonly before: number },
): Promise<{ readonly Key: string }[]> => {
  const { Contents = [] } = await client.send(
    new s3.ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: 1000 }),
  )
  return Contents.flatMap(({ Key, LastModified }) =>
    Key !== undefined && LastModified !== undefined && LastModified.getTime() < before ? [{ Key }] : [],
  )
}

const bytesOf = (body: Buffer, first: number, last: number): Readable => Readable.from([body.subarray(first, last + 1)])

/**
 * Results as objects of one bucket, which any number of nodes share: the body as it is, with its content type, and the meta
 * as metadata. Nothing is evicted by size, only by age (a sweep here, or a lifecycle rule of the bucket). Throws one plain
 * sentence when the bucket cannot be used; later a store that is away fails with STORE_AWAY.
 */
export const openS3Results = async (settings: S3ResultsSettings): Promise<Results> => {
  const { maxAgeMs, watch, sweepEveryMs = SWEEP_EVERY_MS } = settings
  if (maxAgeMs < PROMISE_MS) throw new Error('Results have to be kept for at least an hour.')
  const bucket = await openBucket(settings)
  const { s3, client, at } = bucket
  await prove(bucket, settings).catch((error: unknown) => {
    client.destroy()
    throw explain(settings, error)
  })
  const guard = makeGuard(watch)
  // Times are kept by the store's clock, so that a node whose own is wrong reads them right.
  const ahead = (): number => (settings.now === undefined ? bucket.ahead() : 0)
  const present = (): number => (settings.now?.() ?? new Date()).getTime()

  const remove = async (key: string): Promise<void> => {
    if (KEY.test(key)) await guard(() => client.send(new s3.DeleteObjectCommand(at(key))))
  }

  const put: Results['put'] = async (key, path, meta) => {
    if (!KEY.test(key)) throw new Error(`"${key}" is not a key of at least 128 bits in hex.`)
    const body = await bodyOf(path, meta.bytes)
    const stored = { ...meta, createdAt: meta.createdAt + ahead() }
    const command = new s3.PutObjectCommand({
      ...at(key),
      Body: body,
      ContentLength: meta.bytes,
      ContentType: meta.contentType,
      Metadata: { [META]: packMeta(key, stored) },
    })
    await guard(() => client.send(command, { abortSignal: until(PUT_MS) }))
    return true
  }

  const getObject = (key: string, range?: ByteRange) => {
    const part = range === undefined ? {} : { Range: `bytes=${range.first}-${range.last}` }
    const command = new s3.GetObjectCommand({ ...at(key), ...part })
    return guard(() => client.send(command, { abortSignal: until(GET_MS) })).catch((error: unknown) => {
      if (isNotThere(error)) return undefined
      throw error
    })
  }

  const stream = async (key: string, meta: ResultMeta, range?: ByteRange): Promise<NodeJS.ReadableStream> => {
    const object = await getObject(key, range)
    if (object === undefined) throw new Error('This result was removed meanwhile.')
    const body = object.Body as Readable
    if (range !== undefined && object.ContentRange !== `bytes ${range.first}-${range.last}/${meta.bytes}`) {
      body.destroy()
      throw new Error('The store sent another part of a result than it was asked for.')
    }
    // Of a part only the length can be checked.
    const checked = verifying(range === undefined ? meta : { bytes: range.last - range.first + 1, etag: '' })
    body.on('error', (error) => checked.destroy(error))
    checked.once('close', () => body.destroy())
    return body.pipe(checked)
  }

  /** The body in memory where it is small, else undefined; `wrong` when it is not what was stored. */
  const readWhole = async (body: Readable, meta: ResultMeta): Promise<Buffer | 'wrong' | undefined> => {
    if (meta.bytes > WHOLE_BYTES) {
      body.destroy()
      return undefined
    }
    const timer = setTimeout(() => body.destroy(new Error('The store stopped in the middle of a result.')), WHOLE_MS)
    const bytes = await guard(() => buffer(body)).finally(() => clearTimeout(timer))
    return isBody(bytes, meta) ? bytes : 'wrong'
  }

  const get = async (key: string): Promise<StoredResult | undefined> => {
    if (!KEY.test(key)) return undefined
    const object = await getObject(key)
    if (object === undefined) return undefined
    const body = object.Body as Readable
    const stored = unpackMeta(key, object.Metadata?.[META])
    const meta = stored === undefined ? undefined : { ...stored, createdAt: stored.createdAt - ahead() }
    if (meta === undefined) {
      // Perhaps of another version of the program, which knows what to make of it.
      body.destroy()
      return undefined
    }
    const isUsable = object.ContentLength === meta.bytes && present() - meta.createdAt <= maxAgeMs
    const whole = isUsable ? await readWhole(body, meta) : 'wrong'
    if (whole === 'wrong') {
      body.destroy()
      await remove(key)
      return undefined
    }
    if (whole === undefined) return { meta, open: (range) => stream(key, meta, range) }
    return { meta, open: async ({ first, last } = { first: 0, last: meta.bytes - 1 }) => bytesOf(whole, first, last) }
  }

  let folder = randomBytes(1)[0]!
  /** Looks into one folder after the other, from a random one on: several nodes share the work. */
  const sweep = async (): Promise<void> => {
    folder = (folder + 1) % 256
    const prefix = folderOf(settings.prefix, folder.toString(16).padStart(2, '0'))
    const old = await findOld(bucket, { bucket: settings.bucket, prefix, before: present() + ahead() - maxAgeMs })
    for (const { Key } of old) await client.send(new s3.DeleteObjectCommand({ Bucket: settings.bucket, Key }))
  }

  const timer = setInterval(() => void sweep().catch(() => undefined), sweepEveryMs).unref()
  return {
    put,
    get,
    remove,
    close: async () => {
      clearInterval(timer)
      client.destroy()
    },
  }
}
