import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import { type Body, sendBody } from '../../src/server/send-body.ts'

const BYTES = 50_000_000

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** Starts a server that sends a body, at most `pieceMs` per piece. Returns the socket, its traffic, and its end. */
const serve = async (body: Body, pieceMs: number) => {
  const traffic = { received: 0, sent: 0 }
  const ended = Promise.withResolvers<ServerResponse>()
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Length': BYTES })
    sendBody({ response, traffic }, body, pieceMs).then(() => ended.resolve(response), ended.reject)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => undefined)
  ends.push(
    () => socket.destroy(),
    () => server.close(),
  )
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  return { socket, traffic, ended: ended.promise }
}

const streamOf = (): Readable =>
  Readable.from(
    (function* () {
      for (let at = 0; at < BYTES; at += 1_000_000) yield Buffer.alloc(1_000_000)
    })(),
  )

describe.each([
  ['bytes in memory', () => Buffer.alloc(BYTES)],
  ['a stream', streamOf],
])('a client that is sent %s', (_, body) => {
  it('a client that reads nothing is disconnected', async () => {
    const given = body()
    const { socket, traffic, ended } = await serve(given, 100)
    socket.pause()
    const response = await ended
    expect([response.destroyed, response.writableFinished]).toEqual([true, false])
    expect(traffic.sent).toBeLessThan(BYTES / 2)
    if (given instanceof Readable) expect(given.destroyed).toBe(true)
  })

  it('a client that reads gets the whole body, even if it keeps the connection open', async () => {
    const { socket, traffic, ended } = await serve(body(), 10_000)
    let received = 0
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length
    })
    const response = await ended
    expect([response.writableFinished, traffic.sent]).toEqual([true, BYTES])
    await expect.poll(() => received).toBeGreaterThan(BYTES)
  })

  it('sending ends when the client disconnects', async () => {
    const { socket, ended } = await serve(body(), 60_000)
    await once(socket, 'data')
    socket.destroy()
    expect((await ended).writableFinished).toBe(false)
  })
})
