import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to a TCP server that can be shut: connections through it break, new ones end at once. */
export interface Gate extends AsyncDisposable {
  /** Host and port to connect to. */
  readonly host: string
  readonly shut: () => void
  /** Nothing passes until it is opened, and connections stay: as when a cable is pulled. */
  readonly hold: () => void
  readonly open: () => void
}

/** Opens a gate in front of the server of an address. */
export const startGate = async (url: string): Promise<Gate> => {
  const { hostname, port } = new URL(url)
  const through = new Set<Socket>()
  let isOpen = true
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    if (!isOpen) return void socket.destroy()
    const other = connect(Number(port), hostname).on('error', () => undefined)
    through.add(socket)
    socket.pipe(other).pipe(socket)
    socket.once('close', () => through.delete(socket) && other.destroy())
    other.once('close', () => socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const shut = (): void => {
    isOpen = false
    for (const socket of through) socket.destroy()
  }
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    shut,
    hold: () => {
      for (const socket of through) socket.pause()
    },
    open: () => {
      isOpen = true
      for (const socket of through) socket.resume()
    },
    [Symbol.asyncDispose]: async () => {
      shut()
      server.close()
      await once(server, 'close')
    },
  }
}
