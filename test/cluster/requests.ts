import { createHash } from 'node:crypto'

/** A response with its whole body. */
export interface Reply {
  readonly status: number
  readonly body: Buffer
  readonly headers: Headers
}

const read = async (response: Response): Promise<Reply> => ({
  status: response.status,
  headers: response.headers,
  body: Buffer.from(await response.arrayBuffer()),
})

const digest = (body: Uint8Array): string => createHash('sha256').update(body).digest('hex')

/** How many replies have each status. */
export const statuses = (replies: readonly Reply[]): Record<string, number> => {
  const found: Record<string, number> = {}
  for (const { status } of replies) found[status] = (found[status] ?? 0) + 1
  return found
}

/** `12 × 200, 3 × 503`. */
export const told = (replies: readonly Reply[]): string =>
  Object.entries(statuses(replies))
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ')

/** Whether all bodies are the same bytes. */
export const areSame = (replies: readonly Reply[]): boolean =>
  new Set(replies.map(({ body }) => digest(body))).size === 1

/** Whether an image came whole: its length and its digest are those that were announced. */
export const isWhole = ({ body, headers }: Reply): boolean =>
  headers.get('etag') === `"${digest(body).slice(0, 32)}"` && body.length === Number(headers.get('content-length'))

/** Uploads an image; follows no redirect. A connection that breaks rejects. */
export const post = async (base: string, body: Buffer, username = 'anna'): Promise<Reply> =>
  read(
    await fetch(`${base}/${username}/full`, {
      method: 'POST',
      body: new Uint8Array(body),
      headers: { 'content-type': 'image/jpeg' },
      redirect: 'manual',
      signal: AbortSignal.timeout(60_000),
    }),
  )

/** The path of the result that a 303 leads to. */
export const resultPath = ({ headers }: Reply): string => new URL(headers.get('location') ?? 'http://none/').pathname

/** Gets an address and whatever it leads to. */
export const follow = async (address: string): Promise<Reply> =>
  read(await fetch(address, { signal: AbortSignal.timeout(60_000) }))
