import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fromPixels } from '../../src/raster/raw.ts'
import type { EyePeer } from '../eye/peers.ts'

/** An image server to compare with: its name, and the address of a result, with {url}, {quality} and {format} in it. */
export interface ImageServer {
  readonly name: string
  readonly template: string
}

/** Reads `NAME=TEMPLATE`; throws for any other text. */
export const readServer = (text: string): ImageServer => {
  const [, name, template] = /^([^=]+)=(https?:\/\/.+)$/.exec(text) ?? []
  if (name === undefined || template === undefined || !template.includes('{url}'))
    throw new Error(`--server ${text}: NAME=TEMPLATE, an address with {url}, {quality} and {format} in it`)
  return { name, template }
}

/** Sources on loopback, from which image servers fetch. */
export interface SourceServer extends AsyncDisposable {
  /** The address of a PNG. */
  readonly publish: (png: Uint8Array) => string
}

/** Starts a server of sources. */
export const openSources = async (): Promise<SourceServer> => {
  const files = new Map<string, Uint8Array>()
  const server: Server = createServer(({ url }, response) => {
    const file = files.get(url ?? '')
    response.writeHead(file === undefined ? 404 : 200, { 'content-type': 'image/png' }).end(file)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  return {
    publish: (png) => {
      const path = `/${files.size}.png`
      files.set(path, png)
      return `http://127.0.0.1:${port}${path}`
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** ms that a server may take for an image. */
const TIMEOUT_MS = 60_000

/** An image server as an encoder of a format. Its CPU is its own, and not measured. */
export const serverPeer = ({ name, template }: ImageServer, format: string, sources: SourceServer): EyePeer => {
  const addresses = new WeakMap<object, Promise<string>>()
  return {
    name,
    alpha: false,
    isRemote: true,
    encode: async (pixels, quality) => {
      const known =
        addresses.get(pixels) ?? fromPixels(pixels).png({ compressionLevel: 1 }).toBuffer().then(sources.publish)
      addresses.set(pixels, known)
      const values: Readonly<Record<string, string>> = { url: await known, quality: `${quality}`, format }
      const address = template.replace(/\{(url|quality|format)\}/g, (_, key: string) => values[key]!)
      const response = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) })
      if (!response.ok) throw new Error(`${name} answers ${response.status} to ${address}`)
      return new Uint8Array(await response.arrayBuffer())
    },
  }
}
