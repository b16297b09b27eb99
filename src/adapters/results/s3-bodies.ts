import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { ByteRange, ResultMeta } from '../../ports/results.ts'
import { type Bucket, isNotThere } from './bucket.ts'
import type { StoreGuard } from './s3-guard.ts'
import { isBody, verifying } from './verified.ts'

/** Bodies up to here are read and checked before they are answered with, in one request; larger ones stream. */
export const WHOLE_BYTES = 4e6
/** Most time until an object begins to be answered. */
const GET_MS = 5000
/** Most time for a body that is read whole. */
const WHOLE_MS = 10_000

/** Reads objects, or a part of one, and checks that what comes is what was stored. */
export const openBodies = ({ s3, client, at }: Bucket, guard: StoreGuard) => {
  const getObject = (key: string, range?: ByteRange) => {
    const part = range === undefined ? {} : { Range: `bytes=${range.first}-${range.last}` }
    const command = new s3.GetObjectCommand({ ...at(key), ...part })
    return guard(() => client.send(command, { abortSignal: AbortSignal.timeout(GET_MS) })).catch((error: unknown) => {
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

  return { getObject, stream, readWhole }
}
