import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { sendRaw } from './raw.ts'
import { type Case, FIXTURES, start } from './start.ts'

let service: Case
let image: Buffer
beforeAll(async () => {
  service = await start({ accounts: { tiny: { limits: { maxBytes: 1000 } } } })
  image = await readFile(join(FIXTURES, 'jpeg/kodim23-190x158.png'))
})
afterAll(() => service[Symbol.asyncDispose]())
afterEach(() => expect.poll(service.leftovers).toEqual([]))

/** A body in HTTP chunks of `size` bytes. */
const chunked = (body: Buffer, size: number): Buffer => {
  const pieces: Buffer[] = []
  for (let at = 0; at < body.length; at += size) {
    const piece = body.subarray(at, at + size)
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'))
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')])
}

const upload = (target: string, more: string): string =>
  `POST /${target} HTTP/1.1\r\nHost: x\r\nContent-Type: image/png\r\n${more}\r\n`

describe('a body in many pieces', () => {
  it('a body in chunks of one byte is received up to the limit', async () => {
    const answer = await sendRaw(
      service.port,
      upload('anna/30', 'Transfer-Encoding: chunked\r\nConnection: close\r\n'),
      chunked(image.subarray(0, 15_000), 1),
    )
    // Truncated but decodable, so it is optimised with a Warning.
    expect(answer.status).toBe(200)
  })

  it('a body of too many tiny chunks is refused, and the response arrives', async () => {
    const answer = await sendRaw(
      service.port,
      upload('anna/30', 'Transfer-Encoding: chunked\r\nConnection: close\r\n'),
      chunked(Buffer.alloc(40_000), 1),
    )
    expect([answer.status, answer.body.toString()]).toEqual([400, expect.stringContaining('too many tiny pieces')])
  })

  it('a body in chunks of usual size is received', async () => {
    const answer = await sendRaw(
      service.port,
      upload('anna/30', 'Transfer-Encoding: chunked\r\nConnection: close\r\n'),
      chunked(image, 100),
    )
    expect(answer.status).toBe(200)
  })
})

describe('the head of a request', () => {
  it.each([
    ['two hosts', 'Host: a\r\nHost: b\r\n', 400],
    ['the same host twice', 'Host: a\r\nhost: a\r\n', 400],
    ['no host', '', 400],
    ['one host', 'Host: a\r\n', 200],
  ])('a request with %s gets %s', async (_what, hosts, status) => {
    const answer = await sendRaw(service.port, `GET /-/live HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`)
    expect(answer.status).toBe(status)
  })

  it('CONNECT gets 405, and the connection ends', async () => {
    const answer = await sendRaw(service.port, 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n')
    expect([answer.status, answer.head]).toEqual([405, expect.stringContaining('Allow: POST')])
  })
})

describe('an upload that is refused', () => {
  /** Like most clients: sends everything before it reads anything. */
  const sendAll = (target: string, body: Buffer): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      const asked = request(
        `${service.url}/${target}`,
        { method: 'POST', headers: { 'content-type': 'image/png', 'content-length': body.length } },
        async (response) => {
          let text = ''
          for await (const chunk of response) text += chunk
          resolve({ status: response.statusCode ?? 0, text })
        },
      )
      asked.on('error', reject)
      asked.end(body)
    })

  it.each([
    ['tiny/30', 413, 'which is the most that is accepted'],
    ['nobody/30', 403, 'no account'],
    ['anna/nonsense', 400, 'is not an option'],
  ])('the refusal of an upload to %s reaches its sender', async (target, status, text) => {
    const answer = await sendAll(target, Buffer.alloc(20_000_000, 1))
    expect(answer).toEqual({ status, text: expect.stringContaining(text) })
  })

  it('a refused upload leaves the connection for the next request', async () => {
    const answer = await sendRaw(
      service.port,
      upload('nobody/30', 'Content-Length: 3000000\r\n'),
      Buffer.alloc(3_000_000),
      'GET /-/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    )
    expect(answer.whole.toString('latin1').match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 403', 'HTTP/1.1 200'])
  })

  it('a refused upload does not lose the response to an earlier request', async () => {
    // The second request never ends; the first one runs for some time.
    const received: Buffer[] = []
    const socket = connect(service.port, '127.0.0.1')
    socket.on('error', () => undefined).on('data', (chunk) => received.push(chunk))
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.write(upload('anna/full,format=webp', `Content-Length: ${image.length}\r\n`))
    socket.write(image)
    socket.write(upload('nobody/30', 'Transfer-Encoding: chunked\r\n'))
    socket.write(chunked(Buffer.alloc(70_000), 1))
    await closed
    const text = Buffer.concat(received).toString('latin1')
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 403'])
  })
})

it('no timer of a form upload keeps the service running', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout')
  onTestFinished(() => timers.mockRestore())
  await using other = await start({ env: { UPLOAD_TIMEOUT: '1h' } })
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(image)], { type: 'image/png' }), 'a.png')
  const answer = await other.post('anna/30', { body: form })
  await answer.arrayBuffer()
  const ofUploads = timers.mock.results.filter((_, at) => timers.mock.calls[at]?.[1] === 3_600_000)
  expect(ofUploads.map(({ value }) => value.hasRef())).toEqual([false])
})
