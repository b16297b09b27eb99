import type { S3Client } from '@aws-sdk/client-s3'
import { loadOptional } from '../../support/optional-package.ts'

/** A bucket, and the prefix of results in it. */
export interface BucketSettings {
  readonly bucket: string
  /** Empty, or ending with a slash. */
  readonly prefix: string
  readonly endpoint?: string
  readonly region?: string
}

export type S3 = typeof import('@aws-sdk/client-s3')

/** An open client of a bucket. */
export interface Bucket {
  readonly s3: S3
  readonly client: S3Client
  readonly name: string
  readonly at: (key: string) => { readonly Bucket: string; readonly Key: string }
  /** ms by which the store's clock is ahead of this machine's, by the Date of its last response. */
  readonly ahead: () => number
}

/** ms that a request to the bucket may take: to connect, and until an answer. Chosen, not measured. */
const LIMIT_MS = { connect: 1500, answer: 5000 } as const

/** The folder of a key: one of 256, as on a disk, so that a sweep can list one at a time. */
export const folderOf = (prefix: string, key: string): string => `${prefix}${key.slice(0, 2)}/`

const makeClient = (s3: S3, { endpoint, region }: BucketSettings): S3Client =>
  new s3.S3Client({
    region: region ?? process.env['AWS_REGION'] ?? process.env['AWS_DEFAULT_REGION'] ?? 'us-east-1',
    // Other servers than Amazon's have no host name per bucket.
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    // Most other servers do not support trailing checksums. The digest in the metadata is checked instead.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 2,
    requestHandler: {
      connectionTimeout: LIMIT_MS.connect,
      requestTimeout: LIMIT_MS.answer,
      throwOnRequestTimeout: true,
      httpAgent: { maxSockets: 64, keepAlive: true },
      httpsAgent: { maxSockets: 64, keepAlive: true },
    },
  })

const dateOf = (response: unknown): number => {
  const { headers } = (response ?? {}) as { headers?: Record<string, string> }
  return Date.parse(headers?.['date'] ?? '')
}

/** Opens a client of a bucket. Credentials come from the environment, a profile or the machine's role, as for AWS tools. */
export const openBucket = async (settings: BucketSettings): Promise<Bucket> => {
  const s3 = await loadOptional(
    { name: '@aws-sdk/client-s3', setting: 'RESULTS_URL' },
    () => import('@aws-sdk/client-s3'),
  )
  const client = makeClient(s3, settings)
  let ahead = 0
  client.middlewareStack.add(
    (next) => async (args) => {
      const answer = await next(args)
      const date = dateOf(answer.response)
      // Date is in whole seconds, so it is half a second behind on average.
      if (Number.isFinite(date)) ahead = date + 500 - Date.now()
      return answer
    },
    { step: 'deserialize', priority: 'low' },
  )
  return {
    s3,
    client,
    name: settings.bucket,
    at: (key) => ({ Bucket: settings.bucket, Key: `${folderOf(settings.prefix, key)}${key}` }),
    ahead: () => ahead,
  }
}

/** Whether an error means that the object does not exist. */
export const isNotThere = (error: unknown): boolean =>
  error instanceof Error && ['NoSuchKey', 'NotFound'].includes(error.name)
