import type { IncomingMessage } from 'node:http'
import { Failure, fail } from '../core/failure.ts'
import { batchesOf } from './batches.ts'
import { UPLOAD_CACHEABILITY } from './cacheability.ts'
import { boundaryOf, type Part, splitMultipart } from './multipart.ts'
import { pour, type Spooled, type SpoolFile, spool } from './spool.ts'

/** Limits and callbacks of one upload. */
export interface UploadOptions {
  readonly spoolDirectory: string
  /** Maximum bytes of the image. */
  readonly maxBytes: number
  /** Aborts the reception, which then throws its reason. */
  readonly signal?: AbortSignal
  /** Milliseconds for the whole body. Default: 60 s. */
  readonly timeoutMs?: number
  /** Milliseconds between two chunks. Default: 15 s. */
  readonly idleTimeoutMs?: number
  /** Called before the body is read, if its Content-Length is within the limit: sends `100 Continue`. */
  readonly accept?: () => void
  /** Called with the bytes of each chunk that is read. */
  readonly onBytes?: (count: number) => void
}

/** Bytes of boundaries, headers and small fields around the image. */
const MAX_OVERHEAD_BYTES = 1_000_000

const tooSlow = (cause?: unknown): Failure => new Failure({ code: 'UPLOAD_TOO_SLOW', args: [] }, cause)

const BROKEN_UPLOAD = {
  inTinyChunks: () => fail('UPLOAD_BROKEN', 'it comes in too many tiny pieces'),
  cutOff: () => new Error('the client went away'),
}

/**
 * The body in chunks, within the time limits. Never destroys the request, since the failure is answered on its connection. The unread
 * rest of the body is drained.
 */
async function* chunksOf(req: IncomingMessage, options: UploadOptions): AsyncGenerator<Buffer> {
  const clock = new AbortController()
  const stop = () => clock.abort()
  const whole = setTimeout(stop, options.timeoutMs ?? 60_000).unref()
  const idle = setTimeout(stop, options.idleTimeoutMs ?? 15_000).unref()
  const signal = options.signal === undefined ? clock.signal : AbortSignal.any([clock.signal, options.signal])
  try {
    for await (const chunk of batchesOf(req, signal, BROKEN_UPLOAD)) {
      idle.refresh()
      options.onBytes?.(chunk.length)
      yield chunk
    }
  } catch (error) {
    if (error instanceof Failure) throw error
    if (options.signal?.aborted && !clock.signal.aborted) throw options.signal.reason
    throw tooSlow(error)
  } finally {
    clearTimeout(whole)
    clearTimeout(idle)
  }
}

/** Fails with SOURCE_TOO_HEAVY if the Content-Length exceeds the limit. */
const refuseTooHeavy = ({ headers }: IncomingMessage, maxBytes: number): void => {
  if (Number(headers['content-length']) > maxBytes + MAX_OVERHEAD_BYTES) throw fail('SOURCE_TOO_HEAVY', maxBytes)
}

/** Fails as soon as an upload exceeds the limit, before it has been sent completely. */
async function* within(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let left = maxBytes + MAX_OVERHEAD_BYTES
  for await (const chunk of chunks) {
    left -= chunk.length
    if (left < 0) throw fail('SOURCE_TOO_HEAVY', maxBytes)
    yield chunk
  }
}

const isFile = (part: Part): boolean =>
  part.name === 'file' || part.fileName !== undefined || /^(image\/|application\/octet-stream)/i.test(part.type ?? '')

/** Receives the field `file`, or the first file part without one (§1.6). Resolves with its file name. */
const receiveForm = async (
  chunks: AsyncIterable<Buffer>,
  boundary: string,
  file: SpoolFile,
): Promise<string | undefined> => {
  let current: Part | undefined
  let fileName: string | undefined
  let found = false
  for await (const piece of splitMultipart(chunks, boundary)) {
    if (piece.kind === 'data') {
      if (current !== undefined) await file.add(piece.bytes)
    } else if (piece.kind === 'end') {
      if (current?.name === 'file') return fileName
      found ||= current !== undefined
      current = undefined
    } else if (piece.part.name === 'file' || (!found && isFile(piece.part))) {
      if (found) await file.clear()
      current = piece.part
      fileName = current.fileName
    }
  }
  return fileName
}

const RAW = /^\s*(image\/|application\/octet-stream\b)/i
/** The type that `curl -d` sends. curl has removed the image's line feeds by then. */
const FORM = /^\s*application\/x-www-form-urlencoded\b/i

const hasBody = (req: IncomingMessage): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0

const whyNotRaw = (contentType: string): string => {
  if (contentType === '') return 'it has no Content-Type'
  if (FORM.test(contentType)) return 'it is an encoded form (with curl, use -F file=@image.png instead of -d)'
  return `its Content-Type is "${contentType.slice(0, 60).replaceAll(/[^\x20-\x7e]|["\\]/g, '?')}"`
}

/** The boundary of a form, or undefined for a raw body. Fails when the request has neither. */
const boundaryOrRaw = (req: IncomingMessage): string | undefined => {
  const contentType = req.headers['content-type'] ?? ''
  const boundary = boundaryOf(contentType)
  const raw = RAW.test(contentType)
  if (!hasBody(req)) throw boundary === undefined && !raw ? fail('IMAGE_URL_MISSING') : fail('UPLOAD_EMPTY')
  if (boundary === undefined && !raw) throw fail('UPLOAD_BROKEN', whyNotRaw(contentType))
  return boundary
}

const fillFrom = async (
  req: IncomingMessage,
  options: UploadOptions,
  file: SpoolFile,
): Promise<Pick<Spooled, 'cacheability' | 'fileName'>> => {
  refuseTooHeavy(req, options.maxBytes)
  options.accept?.()
  const boundary = boundaryOrRaw(req)
  const chunks = within(chunksOf(req, options), options.maxBytes)
  const fileName = await (boundary === undefined ? pour(chunks, file) : receiveForm(chunks, boundary, file))
  if (file.bytes() === 0) throw fail('UPLOAD_EMPTY')
  return { cacheability: UPLOAD_CACHEABILITY, ...(fileName === undefined ? {} : { fileName }) }
}

/**
 * Receives an uploaded image into a spool file: multipart/form-data with every malformation of §1.6, or a raw body. Fails with
 * UPLOAD_BROKEN, UPLOAD_EMPTY, UPLOAD_TOO_SLOW (also when the client disconnects), SOURCE_TOO_HEAVY, or IMAGE_URL_MISSING without a
 * body. After a failure, respond at once and keep the connection open until the client has sent everything: many clients read nothing
 * before that. The rest of the body is drained.
 */
export const receiveUpload = (req: IncomingMessage, options: UploadOptions): Promise<Spooled> =>
  spool(options, (file) => fillFrom(req, options, file))
