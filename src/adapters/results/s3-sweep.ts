import { randomBytes } from 'node:crypto'
import { type Bucket, folderOf } from './bucket.ts'

/** Objects to sweep, and the interval. */
export interface SweepSettings {
  readonly bucket: string
  readonly prefix: string
  /** ms between sweeps of one of the 256 folders. */
  readonly everyMs: number
  /** Objects written before this time, in ms by the store's clock, are removed. */
  readonly before: () => number
  /** Called with errors. The next sweep of the folder tries again. */
  readonly onError?: ((error: unknown) => void) | undefined
}

interface Found {
  readonly old: readonly { readonly Key: string }[]
  /** Token of the next page. */
  readonly next: string | undefined
}

/** The expired objects in one page of a folder. A page has 1000 objects, the maximum that S3 lists or deletes in one request. */
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

/** Removes the expired objects of a folder, page by page. */
const sweepFolder = async (store: Bucket, settings: SweepSettings, prefix: string): Promise<void> => {
  let from: string | undefined
  do {
    const { old, next } = await findOld(store, settings, { prefix, from })
    await removeAll(store, settings.bucket, old)
    from = next
  } while (from !== undefined)
}

/** Removes expired objects, one folder after the other. Starts at a random folder, so that several nodes share the work. */
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
