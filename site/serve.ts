/** Serves the built site on loopback, to look at it and for its tests. */
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

const DIST = fileURLToPath(new URL('dist/', import.meta.url))
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
}

/** Serves `dist/` on a free port, or on the one given; resolves with the address and what ends it. */
export const serveSite = async (port = 0): Promise<{ readonly url: string; readonly stop: () => void }> => {
  const server = createServer(async ({ url = '/' }, response) => {
    const path = normalize(decodeURIComponent(new URL(url, 'http://site').pathname))
    const file = join(DIST, path.endsWith('/') ? `${path}index.html` : path)
    const body = await readFile(file).catch(() => undefined)
    response.writeHead(body === undefined ? 404 : 200, { 'Content-Type': TYPES[extname(file)] ?? 'text/plain' })
    response.end(body ?? 'There is no such page.')
  })
  await new Promise<void>((listening) => void server.listen(port, '127.0.0.1', listening))
  const stop = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}

if (import.meta.main) process.stdout.write(`The site is at ${(await serveSite(8081)).url}\n`)
