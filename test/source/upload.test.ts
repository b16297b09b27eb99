import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Failure } from '../../src/core/failure.ts'
import { receiveUpload, type UploadOptions } from '../../src/source/upload.ts'
import { makeSpoolDirectory, type SpoolDirectory } from './spool-directory.ts'

const IMAGE = await readFile(fileURLToPath(new URL('../fixtures/source/serenity__Qpalette.webp', import.meta.url)))

/** The outcome of one upload. */
interface Outcome {
  readonly status: number
  readonly code: string
  readonly body: Buffer
  readonly message: string
}

let spool: SpoolDirectory
let server: Server
let limits: Partial<UploadOptions> = {}
/** Outcomes in the order in which receptions ended, including those that no test awaits. */
const outcomes: Outcome[] = []

const receive = async (req: IncomingMessage): Promise<Outcome> => {
  try {
    await using source = await receiveUpload(req, { spoolDirectory: spool.path, maxBytes: 100_000, ...limits })
    const body = await readFile(source.path)
    const { cacheControl, shareable } = source.cacheability
    expect([cacheControl, shareable, source.bytes]).toEqual(['no-store', false, body.length])
    expect(source.digest).toBe(createHash('sha256').update(body).digest('hex'))
    return { status: 200, code: 'OK', body, message: '' }
  } catch (error) {
    if (error instanceof Failure)
      return { status: error.status, code: error.code, body: Buffer.alloc(0), message: error.message }
    return { status: 500, code: String(error), body: Buffer.alloc(0), message: '' }
  }
}

beforeAll(async () => {
  spool = await makeSpoolDirectory()
  server = createServer(async (req, res) => {
    const outcome = await receive(req)
    outcomes.push(outcome)
    res.writeHead(outcome.status, { 'x-code': outcome.code })
    res.end(outcome.status === 200 ? outcome.body : outcome.message)
  }).listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((closed) => server.close(closed))
  await spool[Symbol.asyncDispose]()
})
afterEach(async () => {
  limits = {}
  outcomes.length = 0
  await expect.poll(spool.left).toEqual([])
})

const port = (): number => (server.address() as AddressInfo).port

/** Sends a body with a Content-Length or in chunks, and collects the response. */
const send = (headers: Record<string, string>, body: Buffer, chunked = false): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const length = chunked ? {} : { 'content-length': String(body.length) }
    const req = request({ port: port(), method: 'POST', headers: { ...headers, ...length } }, async (res) => {
      const answer = await buffer(res)
      resolve({
        status: res.statusCode ?? 0,
        code: String(res.headers['x-code']),
        body: answer,
        message: answer.toString(),
      })
    })
    req.on('error', reject)
    req.end(body)
  })

const file = (name = 'file'): string =>
  `Content-Disposition: form-data; name="${name}"; filename="a \\"b\\".png"\r\nContent-Type: image/png\r\nContent-MD5: AAAA\r\n\r\n`
const text = (name: string, value: string): string =>
  `--X\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const form = (...pieces: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat(pieces.map((piece) => Buffer.from(piece)))
const FORM = { 'content-type': 'multipart/form-data; boundary=X' }

describe('an upload is received', () => {
  it.each<[string, Record<string, string>, Buffer]>([
    ['a form', FORM, form('--X\r\n', file(), IMAGE, '\r\n--X--\r\n')],
    [
      'the form of the PHP client',
      { 'content-type': 'multipart/form-data, boundary=X', 'content-md5': 'AAAA' },
      form('--X\r\n', file(), IMAGE, '\r\n--X--'),
    ],
    [
      'a quoted boundary',
      { 'content-type': 'multipart/form-data; boundary="X"' },
      form('--X\r\n', file(), IMAGE, '\r\n--X--'),
    ],
    ['no last boundary', FORM, form('--X\r\n', file(), IMAGE)],
    ['a last boundary stuck to the image', FORM, form('--X\r\n', file(), IMAGE, '--X--')],
    ['fields around it', FORM, form(text('a', '1'), '--X\r\n', file(), IMAGE, '\r\n', text('b', '2'), '--X--')],
    ['another field name', FORM, form(text('a', '1'), '--X\r\n', file('image'), IMAGE, '\r\n--X--')],
    ['the first of two', FORM, form('--X\r\n', file('a'), IMAGE, '\r\n--X\r\n', file('b'), 'no\r\n--X--')],
    ['`file` after another', FORM, form('--X\r\n', file('a'), IMAGE, IMAGE, '\r\n--X\r\n', file(), IMAGE, '\r\n--X--')],
    ['`file` before another', FORM, form('--X\r\n', file(), IMAGE, '\r\n--X\r\n', file('b'), 'no\r\n--X--')],
    [
      '`file` without file name and type',
      FORM,
      form('--X\r\nContent-Disposition: form-data; name="file"\r\n\r\n', IMAGE, '\r\n--X--'),
    ],
    ['raw, an image', { 'content-type': 'image/webp' }, IMAGE],
    ['raw, another image', { 'content-type': 'IMAGE/x-whatever; a=b' }, IMAGE],
    ['raw, bytes', { 'content-type': 'application/octet-stream' }, IMAGE],
  ])('receives %s', async (_what, headers, body) => {
    for (const chunked of [false, true]) {
      const outcome = await send(headers, body, chunked)
      expect([outcome.status, outcome.body.equals(IMAGE)]).toEqual([200, true])
    }
  })

  it('an upload after 100 Continue is received', async () => {
    const answer = await new Promise<number | undefined>((resolve) => {
      const headers = { 'content-type': 'image/webp', expect: '100-continue', 'content-length': IMAGE.length }
      const req = request({ port: port(), method: 'POST', headers }, (res) => resolve(res.resume().statusCode))
      req.on('continue', () => req.end(IMAGE))
    })
    expect(answer).toBe(200)
  })

  it('an upload of exactly the size limit is received', async () => {
    limits = { maxBytes: IMAGE.length }
    expect((await send({ 'content-type': 'image/webp' }, IMAGE)).status).toBe(200)
    expect((await send(FORM, form('--X\r\n', file(), IMAGE, '\r\n--X--'))).status).toBe(200)
  })
})

describe('an upload is refused', () => {
  it.each<[string, Record<string, string>, Buffer, string, RegExp]>([
    ['nothing at all', {}, form(''), 'IMAGE_URL_MISSING', /address is missing/],
    ['an empty image', { 'content-type': 'image/png' }, form(''), 'UPLOAD_EMPTY', /no image/],
    ['an empty form', FORM, form(''), 'UPLOAD_EMPTY', /no image/],
    ['a form without file', FORM, form(text('a', '1'), '--X--'), 'UPLOAD_EMPTY', /field "file"/],
    ['a form with an empty file', FORM, form('--X\r\n', file(), '\r\n--X--'), 'UPLOAD_EMPTY', /no image/],
    ['no boundary', { 'content-type': 'multipart/form-data' }, form('--X'), 'UPLOAD_BROKEN', /names no boundary/],
    ['another boundary', FORM, form('--Y\r\n', file(), IMAGE, '\r\n--Y--'), 'UPLOAD_BROKEN', /not in it/],
    ['an encoded form', { 'content-type': 'application/x-www-form-urlencoded' }, IMAGE, 'UPLOAD_BROKEN', /-F file=@/],
    ['no type', {}, IMAGE, 'UPLOAD_BROKEN', /no Content-Type/],
    ['another type', { 'content-type': 'text/html' }, IMAGE, 'UPLOAD_BROKEN', /"text\/html"/],
    ['too heavy an image', { 'content-type': 'image/png' }, Buffer.alloc(100_001), 'SOURCE_TOO_HEAVY', /0.1 MB/],
    [
      'too heavy a file',
      FORM,
      form('--X\r\n', file(), Buffer.alloc(100_001), '\r\n--X--'),
      'SOURCE_TOO_HEAVY',
      /0.1 MB/,
    ],
    ['too much around it', FORM, form(text('a', 'x'.repeat(1_200_000)), '--X--'), 'SOURCE_TOO_HEAVY', /0.1 MB/],
  ])('refuses %s', async (_what, headers, body, code, words) => {
    expect(await send(headers, body)).toMatchObject({ code, message: expect.stringMatching(words) })
    expect((await send(headers, body, true)).code).toBe(code)
  })
})

/** Sends the beginning of an upload. Returns the socket. */
const begin = (start: Buffer, length = 1_000_000) => {
  const socket = connect(port(), '127.0.0.1')
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Type: image/png\r\nContent-Length: ${length}\r\n\r\n`)
  socket.write(start)
  return socket.on('error', () => undefined)
}

const firstLine = (socket: ReturnType<typeof begin>): Promise<string> =>
  new Promise((resolve) => socket.once('data', (data) => resolve(data.toString().split('\r\n')[0] ?? '')))

describe('an incomplete upload', () => {
  it('an upload that exceeds its total time gets 408', async () => {
    limits = { timeoutMs: 150 }
    const socket = begin(IMAGE)
    const drip = setInterval(() => socket.write('a'), 20)
    expect(await firstLine(socket)).toBe('HTTP/1.1 408 Request Timeout')
    clearInterval(drip)
    socket.destroy()
  })

  it('an upload that stalls gets 408', async () => {
    limits = { idleTimeoutMs: 100 }
    const socket = begin(IMAGE)
    expect(await firstLine(socket)).toBe('HTTP/1.1 408 Request Timeout')
    socket.destroy()
  })

  it('an upload whose Content-Length exceeds the limit is refused unread', async () => {
    const socket = begin(IMAGE, 10_000_000)
    expect(await firstLine(socket)).toBe('HTTP/1.1 413 Payload Too Large')
    socket.destroy()
  })

  it('the refusal reaches a client that reads only after it has sent everything', async () => {
    const socket = begin(Buffer.alloc(20_000_000), 20_000_000)
    socket.pause()
    await new Promise((sent) => socket.write('', sent))
    expect(await firstLine(socket.resume())).toBe('HTTP/1.1 413 Payload Too Large')
    socket.destroy()
  })

  it('an upload whose client disconnects leaves no file', async () => {
    const socket = begin(IMAGE)
    await expect.poll(spool.left).toHaveLength(1)
    socket.destroy()
    await expect.poll(() => outcomes.map(({ code }) => code)).toEqual(['UPLOAD_TOO_SLOW'])
  })

  it('reception ends with the reason of the signal', async () => {
    const stop = new AbortController()
    limits = { signal: stop.signal }
    const socket = begin(IMAGE)
    await expect.poll(spool.left).toHaveLength(1)
    stop.abort(new Error('shutting down'))
    await expect.poll(() => outcomes.map(({ code }) => code)).toEqual(['Error: shutting down'])
    socket.destroy()
  })
})
