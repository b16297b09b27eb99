import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { sendRaw } from './raw.ts'
import { type Case, FIXTURES, PAST_ONE_MACHINE, start } from './start.ts'

let service: Case
let picture: Buffer
beforeAll(async () => {
  service = await start({ env: { MAX_SOURCE_BYTES: '2MB' } })
  picture = await readFile(join(FIXTURES, 'jpeg/kodim23-190x158.png'))
})
afterAll(() => service[Symbol.asyncDispose]())
afterEach(() => expect.poll(service.leftovers).toEqual([]))

const part = (headers: string, body: Buffer | string): Buffer =>
  Buffer.concat([Buffer.from(`--X\r\n${headers}\r\n\r\n`), Buffer.from(body), Buffer.from('\r\n')])

interface Upload {
  readonly target?: string
  readonly type?: string
  readonly headers?: string
  readonly body: Buffer
}

const upload = ({
  target = 'anna/30,format=jpeg',
  type = 'multipart/form-data; boundary=X',
  headers = '',
  body,
}: Upload) =>
  sendRaw(
    service.port,
    `POST /${target} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n${headers}Connection: close\r\n\r\n`,
    body,
  )

const FILE = 'Content-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png'
const END = Buffer.from('--X--\r\n')
const form = (...parts: readonly Buffer[]): Buffer => Buffer.concat([...parts, END])

/** Skipped behind a proxy, which receives the whole upload before a node does. */
const ofOneNode = it.skipIf(PAST_ONE_MACHINE !== undefined)

describe('an upload (§1.6)', () => {
  it('returns both metrics within the bounds of medium (§3.1)', async () => {
    const { head } = await upload({ target: 'anna/full,format=jpeg', body: form(part(FILE, picture)) })
    const figure = (name: string): number => Number(new RegExp(`^${name}: ([0-9.]+)`, 'im').exec(head)?.[1])
    expect(figure('X-Score')).toBeGreaterThanOrEqual(70)
    expect(figure('X-Butteraugli')).toBeLessThanOrEqual(1.5)
  })

  it("the result has the upload's name with the extension of its format (§5)", async () => {
    const answer = await upload({ body: form(part(FILE.replace('a.png', 'my photo.png'), picture)) })
    expect(answer.head).toContain('Content-Disposition: inline; filename="my photo.jpg"')
  })

  it.each<[string, () => Upload]>([
    ['well-formed', () => ({ body: form(part(FILE, picture)) })],
    ['with a trailing slash', () => ({ target: 'anna/30,format=jpeg/', body: form(part(FILE, picture)) })],
    [
      'with a comma for the semicolon',
      () => ({ type: 'multipart/form-data, boundary=X', body: form(part(FILE, picture)) }),
    ],
    ['whose last boundary lacks CRLF', () => ({ body: Buffer.concat([part(FILE, picture), Buffer.from('--X--')]) })],
    [
      'with escaped quotes in the file name',
      () => ({ body: form(part(FILE.replace('a.png', 'a\\"b\\".png'), picture)) }),
    ],
    [
      'with a Content-MD5 of something else',
      () => ({ headers: 'Content-MD5: 1B2M2Y8AsgTpgAmY7PhCfg==\r\n', body: form(part(FILE, picture)) }),
    ],
    ['in another field than file', () => ({ body: form(part(FILE.replace('"file"', '"picture"'), picture)) })],
    [
      'after text fields and before other files',
      () => ({
        body: form(
          part('Content-Disposition: form-data; name="a"', 'b'),
          part(FILE, picture),
          part(FILE.replace('"file"', '"z"'), 'z'),
        ),
      }),
    ],
    [
      'of the field file after another file',
      () => ({ body: form(part(FILE.replace('"file"', '"z"'), 'zzz'), part(FILE, picture)) }),
    ],
    ['with a quoted boundary', () => ({ type: 'multipart/form-data; boundary="X"', body: form(part(FILE, picture)) })],
    ['as a raw image', () => ({ type: 'image/png', body: picture })],
    ['as a raw image of another type than it says', () => ({ type: 'image/jpeg', body: picture })],
    ['as raw bytes', () => ({ type: 'application/octet-stream', body: picture })],
  ])('%s is optimised', async (_, given) => {
    const answer = await upload(given())
    expect(answer.status).toBe(200)
    expect(answer.head).toMatch(/\r\nCache-Control: no-store\r\n/)
    expect(await sharp(answer.body).metadata()).toMatchObject({ width: 30, height: 25 })
  })

  it.each<[string, () => Upload, number, string]>([
    ['without a body', () => ({ body: Buffer.alloc(0) }), 400, 'no image'],
    ['of nothing and no type', () => ({ type: '', body: Buffer.alloc(0) }), 400, 'image address is missing'],
    ['with an empty file', () => ({ body: form(part(FILE, '')) }), 400, 'no image'],
    ['without a file', () => ({ body: form(part('Content-Disposition: form-data; name="a"', 'b')) }), 400, 'no image'],
    ['of text', () => ({ type: 'text/plain', body: picture }), 400, 'application/octet-stream'],
    ['as curl -d sends it', () => ({ type: 'application/x-www-form-urlencoded', body: picture }), 400, '-F file=@'],
    [
      'without a boundary',
      () => ({ type: 'multipart/form-data', body: form(part(FILE, picture)) }),
      400,
      'multipart/form-data',
    ],
    ['of a web page', () => ({ body: form(part(FILE, '<!doctype html><p>hello')) }), 415, 'not an image'],
    ['over the limit', () => ({ type: 'image/png', body: Buffer.alloc(3_500_000) }), 413, '2 MB'],
    [
      'a little over the limit',
      () => ({ body: form(part(FILE, Buffer.concat([picture, Buffer.alloc(2_000_000)]))) }),
      413,
      '2 MB',
    ],
    ['to an unknown account', () => ({ target: 'nobody/full', body: form(part(FILE, picture)) }), 403, 'no account'],
    ['with wrong options', () => ({ target: 'anna/fulll', body: form(part(FILE, picture)) }), 400, 'full'],
  ])('%s is refused in plain words', async (_, given, status, text) => {
    const answer = await upload(given())
    expect([answer.status, answer.body.toString()]).toEqual([status, expect.stringContaining(text)])
  })

  ofOneNode('that stops half-way gets 408', async () => {
    await using hasty = await start({ env: { UPLOAD_TIMEOUT: '1s', WORKERS: '1' } })
    const answer = await sendRaw(
      hasty.port,
      `POST /anna/full HTTP/1.1\r\nHost: x\r\nContent-Type: image/png\r\nContent-Length: 1000\r\nConnection: close\r\n\r\nhalf`,
    )
    expect([answer.status, answer.body.toString()]).toEqual([408, expect.stringContaining('Send it again')])
  })

  ofOneNode('is asked for when the client expects 100-continue, and refused without it', async () => {
    const head = (options: string) =>
      `POST /anna/${options} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Type: image/png\r\nContent-Length: ${picture.length}\r\nConnection: close\r\n\r\n`
    expect((await sendRaw(service.port, head('30,format=jpeg'), picture)).whole.toString('latin1')).toMatch(
      /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200/,
    )
    expect((await sendRaw(service.port, head('wrong'))).status).toBe(400)
    const huge = head('full').replace(/Content-Length: \d+/, 'Content-Length: 1000000000000')
    expect((await sendRaw(service.port, huge)).status).toBe(413)
  })

  it('is optimised when the client expects what the service does not know', async () => {
    const head = `POST /anna/30,format=jpeg HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nContent-Type: image/png\r\nContent-Length: ${picture.length}\r\nConnection: close\r\n\r\n`
    expect((await sendRaw(service.port, head, picture)).status).toBe(200)
  })

  it('an upload in chunks is optimised', async () => {
    const answer = await service.post('anna/30,format=jpeg', {
      body: new Blob([new Uint8Array(picture)]).stream(),
      headers: { 'content-type': 'image/png' },
      duplex: 'half',
    } as RequestInit)
    expect(answer.status).toBe(200)
    await answer.arrayBuffer()
  })

  ofOneNode('leaves nothing behind when the client goes away', async () => {
    const leaving = new AbortController()
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1000)) })
    const init = {
      body,
      duplex: 'half',
      signal: leaving.signal,
      headers: { 'content-type': 'image/png' },
    } as RequestInit
    const sent = service.post('anna/full', init)
    await expect.poll(service.leftovers).toHaveLength(1)
    leaving.abort()
    await expect(sent).rejects.toThrow()
    await expect.poll(service.leftovers).toEqual([])
  })
})

describe('the official PHP client', () => {
  const ACCEPT = 'Accept: image/*,application/im2+json\r\n'
  const field =
    'Content-Disposition: form-data; name="file"; filename="a \\"quoted\\" name.png"\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: binary'

  it('accepts an upload with a comma, without the last line break, and with an MD5', async () => {
    const body = Buffer.concat([part(field, picture), Buffer.from('--X--')])
    const headers = `${ACCEPT}Content-MD5: abc\r\n`
    const answer = await upload({ target: 'anna/30', type: 'multipart/form-data, boundary=X', headers, body })
    expect([answer.status, (await sharp(answer.body).metadata()).width]).toEqual([200, 30])
  })

  it('accepts URL-encoded addresses', async () => {
    const url = encodeURIComponent(service.file('jpeg/kodim23-190x158.png'))
    const answer = await sendRaw(
      service.port,
      `POST /anna/15x15,2x,quality=low/${url} HTTP/1.0\r\nHost: x\r\n${ACCEPT}\r\n`,
    )
    expect([answer.status, (await sharp(answer.body).metadata()).width]).toEqual([200, 30])
  })

  it('returns errors as JSON of the general type when Accept names it', async () => {
    const answer = await service.post('anna/nonsense/http%3A%2F%2Fe.com', {
      headers: { accept: 'application/json, */*' },
    })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'application/json'])
    expect(await answer.json()).toEqual({ status: 400, error: expect.stringContaining('nonsense') })
  })

  it.each([
    ['nobody/full/http%3A%2F%2Fe.com', 403, 'IM2ACCOUNT'],
    ['anna/nonsense/http%3A%2F%2Fe.com', 400, undefined],
    ['anna/full/relative', 404, undefined],
  ])('returns errors as JSON: %s', async (target, status, code) => {
    const answer = await service.post(target, { headers: { accept: 'image/*,application/im2+json' } })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/im2+json'])
    expect(await answer.json()).toEqual({
      status,
      error: expect.stringMatching(/\w+ .*\./),
      ...(code === undefined ? {} : { code }),
    })
  })
})
