import { decodePercent } from '../core/decode-percent.ts'
import type { Reader } from './readers.ts'

const parse = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined)

/** The address of a PostgreSQL database, in the form of its own tools. */
export const databaseUrl: Reader<string> = (text) => {
  const url = parse(text)
  return url !== undefined && /^postgres(ql)?:$/.test(url.protocol) && url.hostname !== '' && url.pathname.length > 1
    ? { value: text }
    : { expected: 'the address of a PostgreSQL database, such as postgres://user:password@db.example.com:5432/whittle' }
}

/** The address of a Redis or Valkey server, in the form of its own tools. */
export const redisUrl: Reader<string> = (text) => {
  const url = parse(text)
  return url !== undefined &&
    /^rediss?:$/.test(url.protocol) &&
    url.hostname !== '' &&
    /^\/?\d{0,2}$/.test(url.pathname) &&
    [url.username, url.password].every((part) => decodePercent(part) !== undefined)
    ? { value: text }
    : {
        expected:
          'the address of a Redis or Valkey server, such as redis://:password@redis.example.com:6379/0 (a % of the password is %25)',
      }
}

/** The secret of an installation: a text that cannot be guessed. */
export const secretText: Reader<string> = (text) =>
  text.length >= 32
    ? { value: text }
    : { expected: 'at least 32 characters that cannot be guessed (openssl rand -hex 32)' }

/** A bucket of an S3 service and a prefix in it. */
export interface BucketAddress {
  readonly bucket: string
  /** Empty, or ending with a slash. */
  readonly prefix: string
  /** Absent: Amazon S3. */
  readonly endpoint?: string
  readonly region?: string
}

const BUCKET_PARAMETERS = ['endpoint', 'region']
const isHttp = (text: string): boolean => /^https?:$/.test(parse(text)?.protocol ?? '')

const withoutOuterSlashes = (path: string): string => {
  const parts = path.split('/')
  while (parts[0] === '') parts.shift()
  while (parts.at(-1) === '') parts.pop()
  return parts.join('/')
}

/** `s3://bucket/prefix?endpoint=https://…&region=…`. Keys and passwords are not allowed. */
export const resultsUrl: Reader<BucketAddress> = (text) => {
  const url = parse(text)
  const endpoint = url?.searchParams.get('endpoint') ?? undefined
  const region = url?.searchParams.get('region') ?? undefined
  const path = decodePercent(url?.pathname ?? '')
  const isRight =
    path !== undefined &&
    url?.protocol === 's3:' &&
    /^[a-z\d][a-z\d.-]{1,62}$/.test(url.hostname) &&
    url.username === '' &&
    url.hash === '' &&
    [...url.searchParams.keys()].every((name) => BUCKET_PARAMETERS.includes(name)) &&
    (endpoint === undefined || isHttp(endpoint))
  if (!isRight) {
    return {
      expected:
        'a bucket, such as s3://bucket/prefix or s3://bucket?endpoint=https://s3.example.com&region=eu-1 (keys go into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)',
    }
  }
  const prefix = withoutOuterSlashes(path)
  return {
    value: {
      bucket: url.hostname,
      prefix: prefix === '' ? '' : `${prefix}/`,
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(region === undefined ? {} : { region }),
    },
  }
}
