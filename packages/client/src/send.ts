import type { ErrorStatus } from './tables.ts'

/** An image to send: bytes, a Blob or File, or a stream of bytes. */
export type UploadBody = Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array>

/** Settings of a client. */
export interface ClientSettings {
  /** Number of retries while the service is busy (429, 503) or unreachable; 3 by default. */
  readonly retries?: number
  /** Access key of the account, if it requires one. Keep it on a server: everyone can read it in a page. */
  readonly key?: string
  /** A replacement of the global `fetch`, for tests or proxies. */
  readonly fetch?: typeof fetch
}

/** An optimised image with the facts from the response headers. */
export interface ImageResult {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly contentType: string
  /** Size of the source in bytes. */
  readonly sourceBytes?: number
  /** SSIMULACRA 2.1 score of the result; 100 equals the source. */
  readonly score?: number
  /** Butteraugli distance to the source, 3-norm; 0 equals the source. */
  readonly butteraugli?: number
  /** Images left in the quota of the account. */
  readonly quotaRemaining?: number
  /** Texts of the `Warning` headers, such as options that had no effect. */
  readonly warnings: readonly string[]
  /** `Cache-Control` of the result. For an image by address it follows the source's server. */
  readonly cacheControl?: string
}

/** An error response of the service. `message` states the mistake and the remedy. */
export class WhittleError extends Error {
  /** HTTP status. */
  readonly status: ErrorStatus | number
  /** `IM2ACCOUNT` for an error of the account, otherwise undefined. */
  readonly code: string | undefined
  constructor(status: number, message: string, code?: string) {
    super(message)
    this.name = 'WhittleError'
    this.status = status
    this.code = code
  }
}

const BUSY: ReadonlySet<number> = new Set([429, 503])
/** Limits the effect of a long `Retry-After`. Chosen, not measured. */
const MAX_WAIT_MS = 60_000

/** Milliseconds until the next attempt: the value of `Retry-After`, or else 0.5, 1, 2 … seconds; at most a minute. */
export const retryDelay = (retryAfter: string | null, attempt: number): number => {
  const seconds = retryAfter === null || retryAfter.trim() === '' ? Number.NaN : Number(retryAfter)
  const until = Number.isNaN(seconds) && retryAfter !== null ? Date.parse(retryAfter) - Date.now() : Number.NaN
  const requested = Number.isNaN(seconds) ? until : seconds * 1000
  return Math.min(MAX_WAIT_MS, Math.max(0, Number.isNaN(requested) ? 500 * 2 ** attempt : requested))
}

const sleep = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })

const numberIn = (headers: Headers, name: string): number | undefined => {
  const text = headers.get(name)
  return text === null || text === '' || Number.isNaN(Number(text)) ? undefined : Number(text)
}

const warningsIn = (header: string | null): readonly string[] =>
  [...(header ?? '').matchAll(/299 - "((?:\\.|[^"\\])*)"/g)].map(([, text = '']) => text.replaceAll(/\\(.)/g, '$1'))

const optional = <Name extends string, Value>(name: Name, value: Value | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { readonly [Key in Name]?: Value }

const resultOf = async (response: Response): Promise<ImageResult> => {
  const { headers } = response
  return {
    bytes: new Uint8Array(await response.arrayBuffer()),
    contentType: headers.get('content-type') ?? 'application/octet-stream',
    warnings: warningsIn(headers.get('warning')),
    ...optional('sourceBytes', numberIn(headers, 'x-source-bytes')),
    ...optional('score', numberIn(headers, 'x-score')),
    ...optional('butteraugli', numberIn(headers, 'x-butteraugli')),
    ...optional('quotaRemaining', numberIn(headers, 'x-quota-remaining')),
    ...optional('cacheControl', headers.get('cache-control') ?? undefined),
  }
}

const errorOf = async (response: Response): Promise<WhittleError> => {
  const text = await response.text()
  try {
    const { status, error, code } = JSON.parse(text) as { status: number; error: string; code?: string }
    return new WhittleError(status, error, code)
  } catch {
    return new WhittleError(response.status, text.trim() || response.statusText)
  }
}

type Upload = { readonly upload: UploadBody; readonly name: string } | undefined

/** Sends a stream as the body itself. Sends anything else as a form, which carries the file name. */
const bodyOf = (upload: Upload): RequestInit => {
  if (upload === undefined) return {}
  if (upload.upload instanceof ReadableStream)
    return {
      body: upload.upload,
      headers: { 'Content-Type': 'application/octet-stream' },
      duplex: 'half',
    } as RequestInit
  const form = new FormData()
  form.set('file', upload.upload instanceof Blob ? upload.upload : new Blob([upload.upload]), upload.name)
  return { body: form }
}

const keyHeader = ({ key }: ClientSettings): Record<string, string> =>
  key === undefined ? {} : { Authorization: `Bearer ${key}` }

/**
 * Posts a request and returns its result. Follows redirects. Retries while the service is busy or unreachable, except for a
 * stream, which can be sent once only. Fails with a WhittleError, the signal's reason, or the error of `fetch`.
 */
export const send = async (
  address: string,
  upload: Upload,
  settings: ClientSettings,
  signal?: AbortSignal,
): Promise<ImageResult> => {
  const canRepeat = !(upload?.upload instanceof ReadableStream)
  const retries = canRepeat ? (settings.retries ?? 3) : 0
  const fetchIt = settings.fetch ?? fetch
  for (let attempt = 0; ; attempt++) {
    const { headers, ...body } = bodyOf(upload)
    const response = await fetchIt(address, {
      method: 'POST',
      ...body,
      headers: { ...headers, ...keyHeader(settings), Accept: 'image/*, application/json, application/im2+json' },
      ...(signal === undefined ? {} : { signal }),
    }).catch((error: unknown) => {
      if (signal?.aborted === true) throw signal.reason
      if (attempt >= retries) throw error
      return undefined
    })
    if (response?.ok === true) return resultOf(response)
    if (response !== undefined && (attempt >= retries || !BUSY.has(response.status))) throw await errorOf(response)
    await response?.arrayBuffer()
    await sleep(retryDelay(response?.headers.get('retry-after') ?? null, attempt), signal)
  }
}
