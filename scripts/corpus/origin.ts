import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import sharp from 'sharp'

export interface Origin {
  /** Without a slash at its end. */
  readonly address: string
  readonly close: () => Promise<void>
}

/** Images below this path are made when asked for, a different one for each number. */
export const FRESH = '/-fresh/'

const SIDE = 48

const freshPng = (seed: number): Promise<Buffer> => {
  const data = Buffer.alloc(SIDE * SIDE * 3)
  for (let at = 0; at < data.length; at++) data[at] = (at * 7 + ((seed * (at % 97)) >> 2)) & 255
  return sharp(data, { raw: { width: SIDE, height: SIDE, channels: 3 } })
    .png()
    .toBuffer()
}

/** Serves the files of a directory on loopback, as they are and without a type; nothing that is made of them may be stored. */
export const openOrigin = async (directory: string): Promise<Origin> => {
  const bodyOf = (path: string): Promise<Buffer> =>
    path.startsWith(FRESH) ? freshPng(Number.parseInt(path.slice(FRESH.length), 10)) : readFile(join(directory, path))
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://origin').pathname)
    bodyOf(path).then(
      (body) => response.writeHead(200, { 'cache-control': 'no-store', 'content-length': body.length }).end(body),
      () => response.writeHead(404).end(),
    )
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  const { port } = server.address() as AddressInfo
  const close = (): Promise<void> => {
    server.closeAllConnections()
    return new Promise((done) => server.close(() => done()))
  }
  return { address: `http://127.0.0.1:${port}`, close }
}
