import { createHash } from 'node:crypto'
import { Transform, type TransformCallback } from 'node:stream'
import { STALLED_MS } from '../../core/intervals.ts'

export interface ExpectedBody {
  readonly bytes: number
  /** An entity tag: the first 128 bits of the body's SHA-256 in hex, in quotes. */
  readonly etag: string
}

/** Whether bytes are the expected body. An entity tag of another form is not checked. */
export const isBody = (body: Uint8Array, { bytes, etag }: ExpectedBody): boolean =>
  body.length === bytes && matches(createHash('sha256').update(body).digest('hex'), etag)

const matches = (digest: string, etag: string): boolean =>
  !/^"[0-9a-f]{32}"$/.test(etag) || etag === `"${digest.slice(0, 32)}"`

/**
 * Passes a body on, but holds the last chunk back until length and digest are verified. Fails when the store sends other bytes or stalls,
 * so that no reader gets a complete wrong body.
 */
export const verifying = (expected: ExpectedBody): Transform => {
  const hash = createHash('sha256')
  let seen = 0
  let kept: Buffer | undefined
  const stalled = setTimeout(
    () => stream.destroy(new Error('The store stopped in the middle of a result.')),
    STALLED_MS,
  )
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      stalled.refresh()
      seen += chunk.length
      if (seen > expected.bytes)
        return done(new Error(`The store sent more than the ${expected.bytes} bytes of a result.`))
      hash.update(chunk)
      const ready = kept
      kept = chunk
      done(null, ready)
    },
    flush(done) {
      if (seen !== expected.bytes)
        return done(new Error(`The store sent ${seen} of the ${expected.bytes} bytes of a result.`))
      if (!matches(hash.digest('hex'), expected.etag))
        return done(new Error('The store sent other bytes than were stored.'))
      done(null, kept)
    },
    destroy(error, done) {
      clearTimeout(stalled)
      done(error)
    },
  })
  return stream
}
