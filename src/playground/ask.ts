import type { Point } from '../core/image.ts'
import type { Setup } from './setup.ts'

/** What is sent: a file, or the address of an image. */
export type Origin = { readonly file: File } | { readonly url: string }

/** A result of the service, or why there is none. */
export type Outcome = Done | Refused

export interface Done {
  readonly kind: 'done'
  readonly blob: Blob
  /** Address of the blob; its owner revokes it. */
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
  /** The middle of what crop=auto kept, as fractions of the source. */
  readonly focus?: Point
  readonly quotaRemaining?: number
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

/** What the service sees in an image, as fractions of its sides. */
export interface Insight {
  readonly faces: readonly Face[]
  /** What a crop should keep in its middle. */
  readonly focus: Point
}

/** The service cannot be reached at all. */
export class ServiceAway extends Error {}

/** The texts of Warning headers, which a browser joins with commas. */
export const warningTexts = (header: string | null): readonly string[] =>
  [...(header ?? '').matchAll(/299 - "((?:\\.|[^"\\])*)"/g)].map(([, text = '']) => text.replaceAll(/\\(.)/g, '$1'))

const numberIn = (headers: Headers, name: string): number | undefined => {
  const text = headers.get(name)
  return text === null || !Number.isFinite(Number(text)) ? undefined : Number(text)
}

/** Leaves out what is undefined. */
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

const bodyOf = (origin: Origin): FormData | undefined => {
  if ('url' in origin) return undefined
  const form = new FormData()
  form.set('file', origin.file, origin.file.name)
  return form
}

const readDone = async (response: Response, since: number): Promise<Done> => {
  const blob = await response.blob()
  const { headers } = response
  return {
    kind: 'done',
    blob,
    address: URL.createObjectURL(blob),
    type: blob.type,
    bytes: blob.size,
    ms: performance.now() - since,
    warnings: warningTexts(headers.get('warning')),
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

/** Asks the service for one result. Fails with {@link ServiceAway}, or with the signal's reason. */
export const ask = async (
  setup: Setup,
  request: { readonly account: string; readonly list: string; readonly origin: Origin },
  signal: AbortSignal,
): Promise<Outcome> => {
  const since = performance.now()
  const body = bodyOf(request.origin)
  try {
    const response = await fetch(targetOf(setup, request.account, request.list, request.origin), {
      method: 'POST',
      headers: { Accept: 'image/*, text/plain' },
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

/** Reads what the page shows of the answer to `info` (§9.1); undefined where it is none. */
const readInsight = (answer: unknown): Insight | undefined => {
  const { focus, faces = [] } = (answer ?? {}) as { readonly focus?: Point; readonly faces?: readonly Face[] }
  if (!isFraction(focus?.x) || !isFraction(focus?.y) || !Array.isArray(faces)) return undefined
  const whole = faces.filter(({ x, y, width, height }: Face) => [x, y, width, height].every(isFraction))
  return { focus: { x: focus.x, y: focus.y }, faces: whole }
}

/** Asks the service what it sees in an image. It is charged like a result. Undefined where it does not say. */
export const askInsight = async (
  setup: Setup,
  { account, origin }: { readonly account: string; readonly origin: Origin },
): Promise<Insight | undefined> => {
  const body = bodyOf(origin)
  const response = await fetch(targetOf(setup, account, 'info', origin), {
    method: 'POST',
    signal: AbortSignal.timeout(60_000),
    ...(body === undefined ? {} : { body }),
  })
  return response.ok ? readInsight(await response.json()) : undefined
}

/** Whether the service answers at all. */
export const isThere = async (setup: Setup): Promise<boolean> => {
  try {
    return (await fetch(`${setup.path}/-/live`, { signal: AbortSignal.timeout(3000) })).ok
  } catch {
    return false
  }
}
