import { once } from 'node:events'
import { createServer as createHttpServer, request } from 'node:http'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'

/** A way to a store that counts what passes, by kind. */
export interface CountingGate extends AsyncDisposable {
  /** Host and port to connect to. */
  readonly host: string
  /** Counts since the last call. */
  readonly take: () => ReadonlyMap<string, number>
}

const openCounts = () => {
  let counts = new Map<string, number>()
  return {
    add: (kind: string): void => void counts.set(kind, (counts.get(kind) ?? 0) + 1),
    take: (): ReadonlyMap<string, number> => {
      const taken = counts
      counts = new Map()
      return taken
    },
  }
}

const listen = async (server: Server, take: CountingGate['take']): Promise<CountingGate> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    take,
    [Symbol.asyncDispose]: async () => void server.close(),
  }
}

/** Messages of a PostgreSQL client that the server answers: Query, and Sync after an extended query (protocol 3.0). */
const ANSWERED = new Set(['Q', 'S'])

/** Reads a client's messages: the first has no type, all have their length in four bytes. */
const readMessages = (see: (type: string) => void): ((piece: Buffer) => void) => {
  let held = Buffer.alloc(0)
  let isFirst = true
  return (piece) => {
    held = Buffer.concat([held, piece])
    for (;;) {
      const typed = isFirst ? 0 : 1
      if (held.length < typed + 4) return
      const end = typed + held.readUInt32BE(typed)
      if (held.length < end) return
      if (!isFirst) see(held.toString('latin1', 0, 1))
      isFirst = false
      held = held.subarray(end)
    }
  }
}

/** In front of a PostgreSQL server without TLS: counts round trips. */
export const startPostgresGate = (url: string): Promise<CountingGate> => {
  const { hostname, port } = new URL(url)
  const { add, take } = openCounts()
  const server = createServer((socket) => {
    const other = connect(Number(port), hostname)
    const read = readMessages((type) => ANSWERED.has(type) && add('round trips'))
    socket.on('data', read).on('error', () => other.destroy())
    other.on('error', () => socket.destroy())
    socket.pipe(other).pipe(socket)
  })
  return listen(server, take)
}

/** In front of an S3 server: counts requests by their method. */
export const startS3Gate = (url: string): Promise<CountingGate> => {
  const { add, take } = openCounts()
  const server = createHttpServer((incoming, response) => {
    add(incoming.method ?? '')
    const passed = request(url + incoming.url, { method: incoming.method ?? 'GET', headers: incoming.headers })
    passed.on('error', () => response.destroy())
    passed.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    incoming.pipe(passed)
  })
  return listen(server, take)
}
