import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Failure } from '../../src/core/failure.ts'
import { fetchSource } from '../../src/source/fetch.ts'
import { makeSpoolDirectory, type SpoolDirectory } from './spool-directory.ts'

let spool: SpoolDirectory
let server: Server
let answer = Buffer.alloc(0)
/** Fraction of the response in the first packet, and whether the connection is reset. */
let cut = { share: 1, reset: false }
const sockets = new Set<Socket>()

const serve = (socket: Socket): void => {
  sockets.add(socket)
  socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
  socket.once('data', () => {
    const at = Math.floor(answer.length * cut.share)
    socket.write(answer.subarray(0, at))
    setImmediate(() => {
      socket.write(answer.subarray(at))
      if (cut.reset) socket.resetAndDestroy()
      else socket.end()
    })
  })
}

beforeAll(async () => {
  spool = await makeSpoolDirectory()
  server = createServer(serve).listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await new Promise((closed) => server.close(closed))
  await spool[Symbol.asyncDispose]()
})

const body = gzipSync('x'.repeat(1000))
const STARTS = [
  'HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n',
  `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\nContent-Encoding: gzip\r\n`,
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: deflate, br\r\n',
  'HTTP/1.1 302 Found\r\nLocation: /again\r\n',
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n',
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 7\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: -1\r\nContent-Encoding: zstd\r\n',
  'HTTP/1.0 404 \r\n',
  'HTTP/1.1 200 OK\r\nCache-Control: \xff\r\nExpires: \x01\r\n',
  'HTTP/2.0 200\r\n',
].map((head) => Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), body]))

it('any response of an origin gives an image or a failure, and leaves no file or connection', async () => {
  const { port } = server.address() as AddressInfo
  const fetchOnce = async (): Promise<unknown> => {
    await using source = await fetchSource(`http://127.0.0.1:${port}/`, {
      spoolDirectory: spool.path,
      maxBytes: 10_000,
      allowPrivate: ['127.0.0.0/8'],
      timeouts: { totalMs: 1000 },
    })
    return source.bytes
  }
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...STARTS),
      fc.array(fc.tuple(fc.nat({ max: 200 }), fc.integer({ min: 0, max: 255 })), { maxLength: 4 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.boolean(),
      async (start, changes, length, share, reset) => {
        answer = Buffer.from(start.subarray(0, Math.ceil(start.length * length)))
        for (const [at, value] of changes) if (at < answer.length) answer[at] = value
        cut = { share, reset }
        const outcome = await fetchOnce().catch((error: unknown) => error)
        expect(outcome instanceof Failure ? outcome.status : outcome).toEqual(expect.any(Number))
        expect(await spool.left()).toEqual([])
      },
    ),
    { numRuns: 400 },
  )
})
