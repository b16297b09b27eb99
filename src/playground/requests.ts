import type { Point } from '../core/image.ts'
import type { Setup } from './setup.ts'

/** The image to send: a file, or an address. */
export type Origin = { readonly file: File } | { readonly url: string }

/** The outcome of a request for a result. */
export type Outcome = Done | Refused

/** A result with the facts from the response headers. */
export interface Done {
  readonly kind: 'done'
  readonly blob: Blob
  /** Object URL of the blob. Its owner revokes it. */
  readonly address: string
  readonly type: string
  readonly bytes: number
  /** Milliseconds from sending to the last byte. */
  readonly ms: number
  readonly sourceBytes?: number
  /** SSIMULACRA 2.1 score. */
  readonly score?: number
  /** Butteraugli distance, 3-norm. */
  readonly butteraugli?: number
  /** Number of trials of the search. */
  readonly encodes?: number
  /** Centre of the window of `crop=auto`, as fractions of the source. */
  readonly focus?: Point
  readonly quotaRemaining?: number
  /** Whether the timeout expired before any result. The bytes are then those of the source. */
  readonly timedOut: boolean
  readonly warnings: readonly string[]
}

/** An error response, or a cancelled request with status 0. */
export interface Refused {
  readonly kind: 'refused'
  readonly status: number
  readonly text: string
}

/** A face, as fractions of the source's sides. */
export interface Face {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Faces and focus of an image, as fractions of its sides. */
export interface Insight {
  readonly faces: readonly Face[]
  /** The point that a crop keeps near its centre. */
  readonly focus: Point
}

/** The failure of a request while the service is unreachable. */
export class ServiceUnreachable extends Error {}

/** Returns the texts of `Warning` headers. Browsers join several headers with commas. */
export const warningTexts = (header: string | null): readonly string[] =>
  [...(header ?? '').matchAll(/299 - "((?:\\.|[^"\\])*)"/g)].map(([, text = '']) => text.replaceAll(/\\(.)/g, '$1'))

const numberIn = (headers: Headers, name: string): number | undefined => {
  const text = headers.get(name)
  return text === null || !Number.isFinite(Number(text)) ? undefined : Number(text)
}

/** Removes undefined fields. */
const known = <Fields extends Record<string, unknown>>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Fields]?: Exclude<Fields[Key], undefined>
  }

/** Parses a point such as `0.42x0.31`. */
const pointIn = (header: string | null): Point | undefined => {
  const [, x, y] = /^([\d.]+)x([\d.]+)$/.exec(header ?? '') ?? []
  return x === undefined || y === undefined ? undefined : { x: Number(x), y: Number(y) }
}

const targetOf = (setup: Setup, account: string, list: string, origin: Origin): string => {
  const prefix = `${setup.path}/${encodeURIComponent(account)}/${list}`
  return 'url' in origin ? `${prefix}/${encodeURIComponent(origin.url)}` : prefix
}

/** An account, and its access key if it has one. */
export interface Caller {
  readonly account: string
  readonly accessKey: string
}

/** Returns the header with the access key of a caller. */
export const authorization = ({ accessKey }: Caller): Record<string, string> =>
  accessKey === '' ? {} : { Authorization: `Bearer ${accessKey}` }

const bodyOf = (origin: Origin): FormData | undefined => {
  if ('url' in origin) return undefined
  const form = new FormData()
  form.set('file', origin.file, origin.file.name)
  return form
}

/** Start of the Warning of a response with the unchanged source (§5.2). */
const TIMED_OUT = 'The timeout expired before anything was made'

const readDone = async (response: Response, since: number): Promise<Done> => {
  const blob = await response.blob()
  const { headers } = response
  const warnings = warningTexts(headers.get('warning'))
  return {
    kind: 'done',
    blob,
    address: URL.createObjectURL(blob),
    type: blob.type,
    bytes: blob.size,
    ms: performance.now() - since,
    timedOut: warnings.some((text) => text.startsWith(TIMED_OUT)),
    warnings,
    ...known({
      sourceBytes: numberIn(headers, 'x-source-bytes'),
      score: numberIn(headers, 'x-score'),
      butteraugli: numberIn(headers, 'x-butteraugli'),
      encodes: numberIn(headers, 'x-encodes'),
      focus: pointIn(headers.get('x-focus')),
      quotaRemaining: numberIn(headers, 'x-quota-remaining'),
    }),
  }
}

/** Requests one result. Fails with {@link ServiceUnreachable}, or with the signal's reason. */
export const requestResult = async (
  setup: Setup,
  request: Caller & { readonly list: string; readonly origin: Origin },
  signal: AbortSignal,
): Promise<Outcome> => {
  const since = performance.now()
  const body = bodyOf(request.origin)
  try {
    const response = await fetch(targetOf(setup, request.account, request.list, request.origin), {
      method: 'POST',
      headers: { Accept: 'image/*, text/plain', ...authorization(request) },
      signal,
      ...(body === undefined ? {} : { body }),
    })
    if (response.ok) return await readDone(response, since)
    return { kind: 'refused', status: response.status, text: (await response.text()).trim() }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw new ServiceUnreachable('the service does not answer', { cause: error })
  }
}

const isFraction = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1

/** Parses the response of `info` (§9.1). Returns undefined if it is invalid. */
const readInsight = (response: unknown): Insight | undefined => {
  const { focus, faces = [] } = (response ?? {}) as { readonly focus?: Point; readonly faces?: readonly Face[] }
  if (!isFraction(focus?.x) || !isFraction(focus?.y) || !Array.isArray(faces)) return undefined
  const valid = faces.filter(({ x, y, width, height }: Face) => [x, y, width, height].every(isFraction))
  return { focus: { x: focus.x, y: focus.y }, faces: valid }
}

/** Requests faces and focus of an image, which costs the quota one image. Returns undefined if they are unavailable. Fails if the service is unreachable. */
export const requestInsight = async (
  setup: Setup,
  request: Caller & { readonly origin: Origin },
): Promise<Insight | undefined> => {
  const body = bodyOf(request.origin)
  const response = await fetch(targetOf(setup, request.account, 'info', request.origin), {
    method: 'POST',
    headers: authorization(request),
    signal: AbortSignal.timeout(60_000),
    ...(body === undefined ? {} : { body }),
  })
  return response.ok ? readInsight(await response.json()) : undefined
}

/** Whether the service responds within 3 s. */
export const serviceResponds = async (setup: Setup): Promise<boolean> => {
  try {
    return (await fetch(`${setup.path}/-/live`, { signal: AbortSignal.timeout(3000) })).ok
  } catch {
    return false
  }
}
