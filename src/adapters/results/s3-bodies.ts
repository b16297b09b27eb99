import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { ANSWER_MS, STALLED_MS } from '../../core/intervals.ts'
import type { ByteRange, ResultMeta } from '../../ports/results.ts'
import { type Bucket, isNotThere } from './bucket.ts'
import type { StoreGuard } from './s3-guard.ts'
import { isBody, verifying } from './verified.ts'

/** Maximum bytes of a body that is read and checked before it is sent. Larger ones are streamed. */
export const MAX_WHOLE_BYTES = 4e6

/** Reads objects or parts of them, and verifies their bytes. */
export const openBodies = ({ s3, client, at }: Bucket, guard: StoreGuard) => {
  const getObject = (key: string, range?: ByteRange) => {
    const part = range === undefined ? {} : { Range: `bytes=${range.first}-${range.last}` }
    const command = new s3.GetObjectCommand({ ...at(key), ...part })
    return guard(() => client.send(command, { abortSignal: AbortSignal.timeout(ANSWER_MS) })).catch(
      (error: unknown) => {
        if (isNotThere(error)) return undefined
        throw error
      },
    )
  }

  const stream = async (key: string, meta: ResultMeta, range?: ByteRange): Promise<NodeJS.ReadableStream> => {
    const object = await getObject(key, range)
    if (object === undefined) throw new Error('This result was removed meanwhile.')
    const body = object.Body as Readable
    if (range !== undefined && object.ContentRange !== `bytes ${range.first}-${range.last}/${meta.bytes}`) {
      body.destroy()
      throw new Error('The store sent another part of a result than it was asked for.')
    }
    // Only the length of a part can be checked.
    const checked = verifying(range === undefined ? meta : { bytes: range.last - range.first + 1, etag: '' })
    body.on('error', (error) => checked.destroy(error))
    checked.once('close', () => body.destroy())
    return body.pipe(checked)
  }

  /** The body of a small result. undefined for a large one, `wrong` for other bytes than were stored. */
  const readWhole = async (body: Readable, meta: ResultMeta): Promise<Buffer | 'wrong' | undefined> => {
    if (meta.bytes > MAX_WHOLE_BYTES) {
      body.destroy()
      return undefined
    }
    const timer = setTimeout(() => body.destroy(new Error('The store stopped in the middle of a result.')), STALLED_MS)
    const bytes = await guard(() => buffer(body)).finally(() => clearTimeout(timer))
    return isBody(bytes, meta) ? bytes : 'wrong'
  }

  return { getObject, stream, readWhole }
}
