import type { Point } from '../core/image.ts'
import type { Setup } from './setup.ts'

/** The image to send: a file, or an address. */
export type Origin = { readonly file: File } | { readonly url: string }

/** The outcome of a request. */
export type Outcome = Done | Refused

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
  /** SSIMULACRA 2.1 */
  readonly score?: number
  /** Butteraugli, 3-norm */
  readonly butteraugli?: number
  readonly encodes?: number
  /** The middle of the part that crop=auto kept, as fractions of the source. */
  readonly focus?: Point
  readonly quotaRemaining?: number
  /** The timeout expired before any result, and these are the source's own bytes. */
  readonly timedOut: boolean
  readonly warnings: readonly string[]
}

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
  /** The point that a crop keeps near its middle. */
  readonly focus: Point
}

/** The service is unreachable. */
export class ServiceAway extends Error {}

/** The texts of Warning headers. Browsers join several with commas. */
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

/** Reads `0.42x0.31`. */
const pointIn = (header: string | null): Point | undefined => {
  const [, x, y] = /^([\d.]+)x([\d.]+)$/.exec(header ?? '') ?? []
  return x === undefined || y === undefined ? undefined : { x: Number(x), y: Number(y) }
}

const targetOf = (setup: Setup, account: string, list: string, origin: Origin): string => {
  const place = `${setup.path}/${encodeURIComponent(account)}/${list}`
  return 'url' in origin ? `${place}/${encodeURIComponent(origin.url)}` : place
}

/** An account, and its access key if it has one. */
export interface Caller {
  readonly account: string
  readonly accessKey: string
}

/** The header that carries the access key of a caller. */
export const authorization = ({ accessKey }: Caller): Record<string, string> =>
  accessKey === '' ? {} : { Authorization: `Bearer ${accessKey}` }

const bodyOf = (origin: Origin): FormData | undefined => {
  if ('url' in origin) return undefined
  const form = new FormData()
  form.set('file', origin.file, origin.file.name)
  return form
}

/** Start of the Warning on a response with the unchanged source (§5.2). */
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

/** Requests one result. Fails with {@link ServiceAway}, or with the signal's reason. */
export const ask = async (
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
    throw new ServiceAway('the service does not answer', { cause: error })
  }
}

const isFraction = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1

/** Reads the response of `info` (§9.1). undefined when it is invalid. */
const readInsight = (answer: unknown): Insight | undefined => {
  const { focus, faces = [] } = (answer ?? {}) as { readonly focus?: Point; readonly faces?: readonly Face[] }
  if (!isFraction(focus?.x) || !isFraction(focus?.y) || !Array.isArray(faces)) return undefined
  const whole = faces.filter(({ x, y, width, height }: Face) => [x, y, width, height].every(isFraction))
  return { focus: { x: focus.x, y: focus.y }, faces: whole }
}

/** Requests the description of an image, which is charged like a result. undefined when it is unavailable. */
export const askInsight = async (
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

/** Whether the service responds. */
export const isThere = async (setup: Setup): Promise<boolean> => {
  try {
    return (await fetch(`${setup.path}/-/live`, { signal: AbortSignal.timeout(3000) })).ok
  } catch {
    return false
  }
}
