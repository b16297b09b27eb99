import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Failure } from '../core/failure.ts'
import { boundaryOf, splitMultipart } from './multipart.ts'

async function* inChunks(body: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size)
}

interface Received {
  readonly name: string | undefined
  readonly fileName: string | undefined
  readonly body: string
}

const split = async (text: string, boundary = 'X', chunk = text.length): Promise<readonly Received[]> => {
  const received: Received[] = []
  let open: { name: string | undefined; fileName: string | undefined; body: Buffer[] } | undefined
  for await (const piece of splitMultipart(inChunks(Buffer.from(text, 'latin1'), Math.max(1, chunk)), boundary)) {
    if (piece.kind === 'part') open = { name: piece.part.name, fileName: piece.part.fileName, body: [] }
    if (piece.kind === 'data') open?.body.push(piece.bytes)
    if (piece.kind === 'end' && open) received.push({ ...open, body: Buffer.concat(open.body).toString('latin1') })
  }
  return received
}

const head = 'Content-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n'

describe('the boundary in a Content-Type', () => {
  it.each([
    ['multipart/form-data; boundary=abc', 'abc'],
    ['multipart/form-data, boundary=abc', 'abc'],
    ['multipart/form-data,boundary=abc', 'abc'],
    ['Multipart/Form-Data; Boundary="a b;c"', 'a b;c'],
    ['multipart/form-data; charset=utf-8; boundary=----=_Part_1', '----=_Part_1'],
    ['multipart/form-data; boundary=abc; charset=utf-8', 'abc'],
    ['multipart/form-data; boundary = abc', 'abc'],
    ['image/png', undefined],
    ['', undefined],
    ['text/plain; x=multipart/form-data; boundary=a', undefined],
  ])('finds the boundary in %j', (contentType, boundary) => {
    expect(boundaryOf(contentType)).toBe(boundary)
  })

  it.each([
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=""',
    `multipart/form-data; boundary=${'x'.repeat(300)}`,
  ])('a missing boundary is reported in %s', (contentType) => {
    expect(() => boundaryOf(contentType)).toThrow(Failure)
  })
})

describe('a body as it should be, and as clients send it', () => {
  const bodies: readonly (readonly [string, string])[] = [
    ['well-formed', `--X\r\n${head}DATA\r\n--X--\r\n`],
    ['last boundary without CRLF', `--X\r\n${head}DATA\r\n--X--`],
    ['last boundary without its hyphens', `--X\r\n${head}DATA\r\n--X`],
    ['last boundary stuck to the data', `--X\r\n${head}DATA--X--\r\n`],
    ['no last boundary', `--X\r\n${head}DATA`],
    ['bare line feeds', `--X\n${head.replaceAll('\r', '')}DATA\n--X--\n`],
    ['a preamble and an epilogue', `hello\r\n--X\r\n${head}DATA\r\n--X--\r\nbye --X bye`],
    ['blanks after the boundary', `--X  \r\n${head}DATA\r\n--X--  \r\n`],
    ['an empty line first', `\r\n--X\r\n${head}DATA\r\n--X--\r\n`],
  ]

  it.each(
    bodies.flatMap(([what, body]) => [1, 2, 3, 7, body.length].map((size) => [what, size, body] as const)),
  )('%s, in pieces of %d', async (_what, size, body) => {
    expect(await split(body, 'X', size)).toEqual([{ name: 'file', fileName: 'a.png', body: 'DATA' }])
  })

  it('keeps every byte of data that resembles boundaries', async () => {
    const data = '\r\n--\r\n--Y\r\n-X\r\r\n\n--x\r\n\r'
    expect((await split(`--X\r\n${head}${data}\r\n--X--`, 'X', 1))[0]?.body).toBe(data)
  })

  it('separates parts, an empty one included', async () => {
    const body = `--X\r\n\r\nbare\r\n--X\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n--X\r\n${head}DATA\r\n--X--`
    for (const size of [1, 5, body.length])
      expect(await split(body, 'X', size)).toEqual([
        { name: undefined, fileName: undefined, body: 'bare' },
        { name: 'a', fileName: undefined, body: '' },
        { name: 'file', fileName: 'a.png', body: 'DATA' },
      ])
  })
})

describe('the header of a part', () => {
  const nameOf = async (disposition: string): Promise<Received | undefined> =>
    (await split(`--X\r\nContent-Disposition: ${disposition}\r\n\r\nD\r\n--X--`))[0]

  it.each([
    ['form-data; name="file"; filename="a\\"b; name=\\"x\\".png"', 'file', 'a"b; name="x".png'],
    ['form-data; filename="a\\"; name=\\"x"; name="file"', 'file', 'a"; name="x'],
    ['form-data; name=file; filename=a.png', 'file', 'a.png'],
    ['form-data; name="file"; filename*=UTF-8\'\'a%20b.png', 'file', "UTF-8''a%20b.png"],
    ['form-data; name="file"; filename="C:\\dir\\a.png"', 'file', 'C:\\dir\\a.png'],
    ['form-data;name="file";filename=""', 'file', ''],
    ['form-data, name="file", filename="a.png"', 'file', 'a.png'],
    ['form-data; NAME="file"', 'file', undefined],
  ])('reads name and file name of %s', async (disposition, name, fileName) => {
    expect(await nameOf(disposition)).toMatchObject({ name, fileName, body: 'D' })
  })

  it('a header with thousands of backslashes is read', async () => {
    expect(await nameOf(`form-data; name="file"; filename="${'\\'.repeat(9_999)}`)).toMatchObject({ name: 'file' })
  })

  it('a folded header is read', async () => {
    expect(await nameOf('form-data;\r\n  name="file"')).toMatchObject({ name: 'file' })
  })
})

describe('bodies that cannot be read', () => {
  it.each([
    ['nothing at all', '', 'UPLOAD_EMPTY'],
    ['another boundary', `--Y\r\n${head}DATA\r\n--Y--`, 'UPLOAD_BROKEN'],
    ['the end inside of a header', '--X\r\nContent-Disposition: form-data', 'UPLOAD_BROKEN'],
    ['a header without end', `--X\r\nA: ${'a'.repeat(20_000)}`, 'UPLOAD_BROKEN'],
    ['parts without end', '--X\r\n\r\n\r\n'.repeat(200), 'UPLOAD_BROKEN'],
  ])('refuses a body with %s', async (_what, body, code) => {
    await expect(split(body)).rejects.toMatchObject({ code })
  })
})

it('any body gives parts or a failure', async () => {
  const piece = fc.constantFrom(
    '--X',
    '--X--',
    '\r\n',
    '\n',
    '\r',
    '--',
    'X',
    head,
    'DATA',
    ': ',
    '"',
    ';',
    '=',
    'name',
  )
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 30 }), fc.integer({ min: 1, max: 40 }), async (pieces, size) => {
      const outcome = await split(pieces.join(''), 'X', size).catch((error: unknown) => error)
      expect(outcome instanceof Failure || Array.isArray(outcome)).toBe(true)
    }),
    { numRuns: 500 },
  )
})

it('the size of the chunks makes no difference', async () => {
  const piece = fc.constantFrom('--X\r\n', '\r\n--X\r\n', '\r\n--X--', '\r\n', '\r', '-', head, 'DATA')
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 12 }), fc.integer({ min: 1, max: 40 }), async (pieces, size) => {
      const body = `--X\r\n${head}${pieces.join('')}`
      const read = (chunk: number) => split(body, 'X', chunk).catch((error: Failure) => error.code)
      expect(await read(size)).toEqual(await read(body.length))
    }),
    { numRuns: 500 },
  )
})
