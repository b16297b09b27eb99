import { randomBytes } from 'node:crypto'
import { type Bucket, folderOf } from './bucket.ts'

/** Objects to sweep, and the interval. */
export interface SweepSettings {
  readonly bucket: string
  readonly prefix: string
  /** Ms between looks into one of the 256 folders. */
  readonly everyMs: number
  /** Time in ms, by the store's clock, before which what was written is too old. */
  readonly before: () => number
  /** Called with errors. The remaining objects are tried again with their folder. */
  readonly onError?: ((error: unknown) => void) | undefined
}

interface Found {
  readonly old: readonly { readonly Key: string }[]
  /** Where the next page begins. */
  readonly next: string | undefined
}

/** One page of what lies in a folder: the keys of S3 that were last written before a time. At most 1000 of them (the most that S3 lists, and deletes, at once). */
const findOld = async (
  { s3, client }: Bucket,
  { bucket, before }: SweepSettings,
  { prefix, from }: { readonly prefix: string; readonly from: string | undefined },
): Promise<Found> => {
  const { Contents = [], NextContinuationToken: next } = await client.send(
    new s3.ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: 1000, ContinuationToken: from }),
  )
  const limit = before()
  const old = Contents.flatMap(({ Key, LastModified }) =>
    Key !== undefined && LastModified !== undefined && LastModified.getTime() < limit ? [{ Key }] : [],
  )
  return { old, next }
}

const removeAll = async ({ s3, client }: Bucket, bucket: string, keys: Found['old']): Promise<void> => {
  if (keys.length === 0) return
  const { Errors = [] } = await client.send(
    new s3.DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: [...keys], Quiet: true } }),
  )
  if (Errors.length > 0) throw new Error(`${Errors.length} old results could not be removed (${Errors[0]?.Code}).`)
}

/** Removes what is too old in a folder, page by page. */
const sweepFolder = async (store: Bucket, settings: SweepSettings, prefix: string): Promise<void> => {
  let from: string | undefined
  do {
    const { old, next } = await findOld(store, settings, { prefix, from })
    await removeAll(store, settings.bucket, old)
    from = next
  } while (from !== undefined)
}

/** Removes what is too old, one folder after the other, from a random one on: several nodes share the work. */
export const startSweep = (store: Bucket, settings: SweepSettings): { readonly stop: () => void } => {
  let folder = randomBytes(1)[0]!
  let sweeping = false
  const sweep = async (): Promise<void> => {
    if (sweeping) return
    sweeping = true
    folder = (folder + 1) % 256
    const prefix = folderOf(settings.prefix, folder.toString(16).padStart(2, '0'))
    await sweepFolder(store, settings, prefix)
      .catch((error: unknown) => settings.onError?.(error))
      .finally(() => {
        sweeping = false
      })
  }
  const timer = setInterval(() => void sweep(), settings.everyMs).unref()
  return { stop: () => clearInterval(timer) }
}
