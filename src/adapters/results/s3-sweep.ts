import { randomBytes } from 'node:crypto'
import { type Bucket, folderOf } from './bucket.ts'

/** What is swept, and how often. */
export interface SweepSettings {
  readonly bucket: string
  readonly prefix: string
  /** Ms between looks into one of the 256 folders. */
  readonly everyMs: number
  /** Time in ms, by the store's clock, before which what was written is too old. */
  readonly before: () => number
}

/** What was last written before a time under a prefix, as keys of S3; at most the first thousand. */
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

/**
 * Removes what is too old, one folder after the other, from a random one on: several nodes share the work. What goes wrong is
 * left for the next time.
 */
export const startSweep = (store: Bucket, settings: SweepSettings): { readonly stop: () => void } => {
  const { s3, client } = store
  const { bucket } = settings
  let folder = randomBytes(1)[0]!
  const sweep = async (): Promise<void> => {
    folder = (folder + 1) % 256
    const prefix = folderOf(settings.prefix, folder.toString(16).padStart(2, '0'))
    for (const { Key } of await findOld(store, { bucket, prefix, before: settings.before() }))
      await client.send(new s3.DeleteObjectCommand({ Bucket: bucket, Key }))
  }
  const timer = setInterval(() => void sweep().catch(() => undefined), settings.everyMs).unref()
  return { stop: () => clearInterval(timer) }
}
