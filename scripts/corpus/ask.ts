/** Response to one request, after following redirects to a result. */
export interface Reply {
  /** 0 when no answer came at all. */
  readonly status: number
  readonly headers: Headers
  readonly body: Buffer
  /** Milliseconds until the first response began. */
  readonly firstMs: number
  readonly ms: number
  /** The answer came by way of 303; `source` is the untouched image. */
  readonly redirect?: 'result' | 'source'
  /** Why there is no answer. */
  readonly trouble?: string
}

export interface Question {
  readonly service: string
  readonly options: string
  /** Absolute and percent-encoded. */
  readonly imageUrl: string
  /** The image address is percent-encoded as a whole (§1.3). */
  readonly encoded: boolean
  /** Milliseconds after which the client gives up. */
  readonly patience: number
}

const bodyOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer())

/** Asks the service for one image, as its clients do. Never throws: what went wrong is in the reply. */
export const ask = async ({ service, options, imageUrl, encoded, patience }: Question): Promise<Reply> => {
  const address = `${service}/demo/${options}/${encoded ? encodeURIComponent(imageUrl) : imageUrl}`
  const since = performance.now()
  const signal = AbortSignal.timeout(patience)
  let firstMs = Number.POSITIVE_INFINITY
  try {
    const first = await fetch(address, { method: 'POST', redirect: 'manual', signal })
    firstMs = performance.now() - since
    const location = first.status === 303 ? (first.headers.get('location') ?? '') : undefined
    if (location === undefined) return reply(first, await bodyOf(first), { firstMs, since })
    await bodyOf(first)
    const second = await fetch(location, { signal })
    const redirect = location.startsWith(service) ? 'result' : 'source'
    return { ...reply(second, await bodyOf(second), { firstMs, since }), redirect }
  } catch (error) {
    const { message, cause } = error as Error
    const trouble = cause instanceof Error ? `${message}: ${cause.message}` : message
    return {
      status: 0,
      headers: new Headers(),
      body: Buffer.alloc(0),
      firstMs,
      ms: performance.now() - since,
      trouble,
    }
  }
}

const reply = (
  { status, headers }: Response,
  body: Buffer,
  { firstMs, since }: { firstMs: number; since: number },
): Reply => ({
  status,
  headers,
  body,
  firstMs,
  ms: performance.now() - since,
})
