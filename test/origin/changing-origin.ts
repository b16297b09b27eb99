import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The origin's current response at every path. */
export interface Shown {
  readonly body: Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  readonly status?: number
  /** ms until it answers. */
  readonly afterMs?: number
}

/** A web server on loopback with one image that tests can change or take away. It answers conditional requests by `etag` and `last-modified`. */
export interface ChangingOrigin extends AsyncDisposable {
  readonly host: string
  readonly url: (path?: string) => string
  /** Sets the response from now on. `away` breaks every connection. */
  readonly show: (next: Shown | 'away') => void
  readonly asked: readonly { readonly target: string; readonly headers: IncomingHttpHeaders; readonly status: number }[]
}

const isUnchanged = (asked: IncomingHttpHeaders, { headers = {} }: Shown): boolean =>
  (asked['if-none-match'] !== undefined && asked['if-none-match'] === headers['etag']) ||
  (asked['if-none-match'] === undefined &&
    asked['if-modified-since'] !== undefined &&
    asked['if-modified-since'] === headers['last-modified'])

/** Starts the origin with its first response. */
export const startChangingOrigin = async (first: Shown): Promise<ChangingOrigin> => {
  let shown: Shown | 'away' = first
  const asked: { target: string; headers: IncomingHttpHeaders; status: number }[] = []
  const server = createServer((request, response) => {
    const note = (status: number): void =>
      void asked.push({ target: request.url ?? '', headers: request.headers, status })
    if (shown === 'away') {
      note(0)
      response.destroy()
      return
    }
    const status = isUnchanged(request.headers, shown) ? 304 : (shown.status ?? 200)
    note(status)
    const { headers, body, afterMs = 0 } = shown
    const answer = (): void => void response.writeHead(status, headers).end(status === 304 ? undefined : body)
    if (afterMs === 0) answer()
    else setTimeout(answer, afterMs).unref()
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    url: (path = '/photo.png') => `http://${host}${path}`,
    show: (next) => {
      shown = next
    },
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
