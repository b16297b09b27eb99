import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { resolve, sep } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'

/** One request that the origin received. */
export interface OriginRequest {
  readonly method: string
  /** Raw request target. */
  readonly target: string
  readonly headers: IncomingMessage['headers']
}

/** A web server on loopback that serves files. Some of its paths misbehave. */
export interface Origin extends AsyncDisposable {
  /** The absolute address of a path. `host` replaces 127.0.0.1, for instance by `localhost`. */
  readonly url: (path: string, host?: string) => string
  readonly port: number
  readonly requests: readonly OriginRequest[]
  /** Number of open connections. */
  readonly connections: () => number
  readonly close: () => Promise<void>
}

interface Exchange {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  /** The path after the behaviour's name, without its slash. */
  readonly rest: string
  readonly query: URLSearchParams
  readonly file: (name: string) => Promise<Buffer>
}

type Behave = (exchange: Exchange) => Promise<void> | void

const text = (res: ServerResponse, status: number, body: string): void => {
  res.writeHead(status, { 'content-type': 'text/plain' }).end(body)
}

/** Reads `?type=` and any number of `?header=Name:value`. */
const headersOf = (query: URLSearchParams): Record<string, string> =>
  Object.fromEntries([
    ['content-type', query.get('type') ?? 'application/octet-stream'],
    ...query
      .getAll('header')
      .map((pair) => [pair.slice(0, pair.indexOf(':')), pair.slice(pair.indexOf(':') + 1).trim()]),
  ])

const CODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  br: brotliCompressSync,
  deflate: deflateSync,
  'raw-deflate': deflateRawSync,
  zstd: zstdCompressSync,
}

function* endlessly(chunk: Buffer): Generator<Buffer> {
  for (;;) yield chunk
}

const BEHAVIOURS: Readonly<Record<string, Behave>> = {
  /** /file/<name>?type=&header= */
  file: async ({ res, rest, query, file }) => {
    const bytes = await file(rest)
    res.writeHead(200, { ...headersOf(query), 'content-length': bytes.length }).end(bytes)
  },
  /** /status/<code>?header= */
  status: ({ res, rest, query }) => {
    res.writeHead(Number(rest), headersOf(query)).end('this is no image')
  },
  /** /zeros/<n>: n bytes, then the end of the connection */
  zeros: ({ res, rest }) => {
    res.writeHead(200, { 'content-length': rest, connection: 'close' }).end(Buffer.alloc(Number(rest)))
  },
  /** /redirect/<code>?to=<Location>&body=<bytes>; no `to`, no Location */
  redirect: ({ res, rest, query }) => {
    const to = query.get('to')
    res.writeHead(Number(rest), to === null ? {} : { location: to }).end(Buffer.alloc(Number(query.get('body') ?? 0)))
  },
  /** /chain/<n>?to=<Location>: n redirects, then to `to` */
  chain: ({ res, rest, query }) => {
    const to = query.get('to') ?? '/'
    const left = Number(rest)
    res.writeHead(302, { location: left <= 1 ? to : `/chain/${left - 1}?to=${encodeURIComponent(to)}` }).end()
  },
  loop: ({ res }) => {
    res.writeHead(302, { location: '/loop/' }).end()
  },
  /** Accepts the request and never answers. */
  hang: () => undefined,
  /** /slow-headers/<ms>/<name> */
  'slow-headers': async ({ res, rest, file }) => {
    const [, ms = '', name = ''] = /^(\d+)\/(.*)$/.exec(rest) ?? []
    await sleep(Number(ms))
    res.end(await file(name))
  },
  /** /drip/<ms>/<name>: a byte each <ms> */
  drip: async ({ res, rest, file }) => {
    const [, ms = '', name = ''] = /^(\d+)\/(.*)$/.exec(rest) ?? []
    for (const byte of await file(name)) {
      if (res.destroyed) return
      res.write(Buffer.of(byte))
      await sleep(Number(ms))
    }
    res.end()
  },
  /** Half of the body, then nothing more, on an open connection. */
  stall: async ({ res, rest, file }) => {
    const bytes = await file(rest)
    res.writeHead(200, { 'content-length': bytes.length }).write(bytes.subarray(0, bytes.length / 2))
  },
  /** Half of the body that Content-Length announces, then the end of the connection. */
  'break-off': async ({ res, rest, file }) => {
    const bytes = await file(rest)
    res.writeHead(200, { 'content-length': bytes.length })
    res.write(bytes.subarray(0, bytes.length / 2), () => res.destroy())
  },
  /** Half of a chunked body, then the end of the connection. */
  'break-chunked': async ({ res, rest, file }) => {
    const bytes = await file(rest)
    res.write(bytes.subarray(0, bytes.length / 2), () => res.destroy())
  },
  /** No length and no chunks: the end of the connection ends the body. */
  'until-close': async ({ res, rest, file }) => {
    res.socket?.end(Buffer.concat([Buffer.from('HTTP/1.0 200 OK\r\n\r\n'), await file(rest)]))
  },
  /** /length/<n>/<name>: Content-Length is n, whatever the file's size */
  length: async ({ res, rest, file }) => {
    const [, n = '', name = ''] = /^(\d+)\/(.*)$/.exec(rest) ?? []
    res.socket?.end(Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${n}\r\n\r\n`), await file(name)]))
  },
  /** Never ends, and does not compress. */
  endless: ({ res }) => pipeline(Readable.from(endlessly(randomBytes(65_536))), res).catch(() => undefined),
  /** /encoded/<coding>/<name>: `+` joins codings, first applied first; raw-deflate announces itself as deflate */
  encoded: async ({ res, rest, file }) => {
    const [, codings = '', name = ''] = /^([^/]*)\/(.*)$/.exec(rest) ?? []
    const names = codings.split('+')
    const bytes = names.reduce((body, coding) => CODERS[coding]?.(body) ?? body, await file(name))
    res.writeHead(200, { 'content-encoding': names.join(', ').replaceAll('raw-', ''), 'content-length': bytes.length })
    res.end(bytes)
  },
  /** Claims gzip without being it. */
  'lying-gzip': async ({ res, rest, file }) => {
    res.writeHead(200, { 'content-encoding': 'gzip' }).end(await file(rest))
  },
  /** The first half of a gzip stream, in a complete HTTP response. */
  'cut-gzip': async ({ res, rest, file }) => {
    const bytes = gzipSync(await file(rest))
    res.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes.subarray(0, bytes.length / 2))
  },
  /** /gzip-bomb/<n>: n million zero bytes */
  'gzip-bomb': ({ res, rest }) => {
    res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(Number(rest) * 1_000_000)))
  },
  /** /auth/<name>: requires Basic authentication, with any password */
  auth: async ({ req, res, rest, file }) => {
    if (req.headers.authorization?.startsWith('Basic ')) res.end(await file(rest))
    else res.writeHead(401, { 'www-authenticate': 'Basic realm="origin"' }).end()
  },
  /** Answers with something that is not HTTP. */
  garbage: ({ res }) => {
    res.socket?.end('220 mail.example.com ESMTP\r\n')
  },
  /** Resets the connection without a response. */
  reset: ({ res }) => {
    res.socket?.destroy()
  },
}

const fileReader =
  (directory: string) =>
  async (name: string): Promise<Buffer> => {
    const path = resolve(directory, decodeURIComponent(name))
    if (!path.startsWith(resolve(directory) + sep)) throw new Error('outside of the directory')
    return readFile(path)
  }

const answer = async (directory: string, req: IncomingMessage, res: ServerResponse): Promise<void> => {
  const [path = '', search = ''] = (req.url ?? '').split(/\?(.*)/s)
  const [, name = '', rest = ''] = /^\/([^/]*)\/?(.*)$/s.exec(path) ?? []
  const behave = BEHAVIOURS[name]
  if (behave === undefined) return text(res, 404, 'no such path')
  await behave({ req, res, rest, query: new URLSearchParams(search), file: fileReader(directory) })
}

/** Starts an origin that serves the files of a directory, on an unused port of loopback. */
export const startOrigin = async ({ files }: { readonly files: string }): Promise<Origin> => {
  const requests: OriginRequest[] = []
  const sockets = new Set<Socket>()
  const server = createServer((req, res) => {
    requests.push({ method: req.method ?? '', target: req.url ?? '', headers: req.headers })
    answer(files, req, res).catch((error: Error) => (res.headersSent ? res.destroy() : text(res, 404, error.message)))
  })
  server.on('connection', (socket) => sockets.add(socket.on('close', () => sockets.delete(socket))))
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  }
  return {
    url: (path, host = '127.0.0.1') => `http://${host}:${port}${path}`,
    port,
    requests,
    connections: () => sockets.size,
    close,
    [Symbol.asyncDispose]: close,
  }
}
