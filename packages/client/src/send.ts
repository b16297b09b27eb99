import type { ErrorStatus } from './tables.ts'

/** An image to send: bytes, a Blob or File, or a stream of bytes. */
export type UploadBody = Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array>

export interface ClientSettings {
  /** How often a request is sent again when the service is busy (429, 503) or cannot be reached; 3 unless given. */
  readonly retries?: number
  /** The access key of the account, where it needs one. Keep it on a server: a page gives it away. */
  readonly key?: string
  /** Another fetch, for tests or proxies. */
  readonly fetch?: typeof fetch
}

/** A result, with what the service says of it. */
export interface ImageResult {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly contentType: string
  readonly sourceBytes?: number
  /** SSIMULACRA 2.1 */
  readonly score?: number
  /** Butteraugli, 3-norm */
  readonly butteraugli?: number
  readonly quotaRemaining?: number
  readonly warnings: readonly string[]
  /** Whether caches may keep it, as the source's own server says. */
  readonly cacheControl?: string
}

/** The service refused: `message` says in plain words what is wrong and what to do. */
export class WhittleError extends Error {
  readonly status: ErrorStatus | number
  /** `IM2ACCOUNT` for what is wrong with the account. */
  readonly code: string | undefined
  constructor(status: number, message: string, code?: string) {
    super(message)
    this.name = 'WhittleError'
    this.status = status
    this.code = code
  }
}

const BUSY: ReadonlySet<number> = new Set([429, 503])
const MAX_WAIT_MS = 60_000

/** ms until the next try: what the service asks for, else 0.5, 1, 2 … seconds. */
export const waitFor = (retryAfter: string | null, tries: number): number => {
  const seconds = retryAfter === null || retryAfter.trim() === '' ? Number.NaN : Number(retryAfter)
  const until = Number.isNaN(seconds) && retryAfter !== null ? Date.parse(retryAfter) - Date.now() : Number.NaN
  const asked = Number.isNaN(seconds) ? until : seconds * 1000
  return Math.min(MAX_WAIT_MS, Math.max(0, Number.isNaN(asked) ? 500 * 2 ** tries : asked))
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

/** A stream goes as it comes; anything else as a form, which keeps its name. */
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

/** Posts a request; follows 303, and tries again while the service is busy. */
export const send = async (
  address: string,
  upload: Upload,
  settings: ClientSettings,
  signal?: AbortSignal,
): Promise<ImageResult> => {
  const canRepeat = !(upload?.upload instanceof ReadableStream)
  const retries = canRepeat ? (settings.retries ?? 3) : 0
  const fetchIt = settings.fetch ?? fetch
  for (let tries = 0; ; tries++) {
    const { headers, ...body } = bodyOf(upload)
    const response = await fetchIt(address, {
      method: 'POST',
      ...body,
      headers: { ...headers, ...keyHeader(settings), Accept: 'image/*, application/json, application/im2+json' },
      ...(signal === undefined ? {} : { signal }),
    }).catch((error: unknown) => {
      if (signal?.aborted === true) throw signal.reason
      if (tries >= retries) throw error
      return undefined
    })
    if (response?.ok === true) return resultOf(response)
    if (response !== undefined && (tries >= retries || !BUSY.has(response.status))) throw await errorOf(response)
    await response?.arrayBuffer()
    await sleep(waitFor(response?.headers.get('retry-after') ?? null, tries), signal)
  }
}
