import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import sharp from 'sharp'
import type { Attack } from '../attack.ts'

const READERS = 24
/** Bytes that the parent may hold beside its own: two dozen bodies are ten times as much. */
const MOST_BYTES = 300e6
const CUT_OFF_MS = 20_000

/** An image that no format makes small. */
const noise = (): Promise<Buffer> =>
  sharp({
    create: {
      width: 2400,
      height: 1800,
      channels: 3,
      background: '#888',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })
    .png({ compressionLevel: 1 })
    .toBuffer()

interface Reader {
  readonly socket: Socket
  /** Whether the connection is open, and an image is on its way: where the machine is slow it is a 303, which has no body to wait for. */
  readonly isOpen: () => boolean
  readonly hasImage: () => boolean
}

/** Sends an upload, and reads nothing of its answer when it comes. */
const readNothing = (port: number, body: Buffer): Promise<Reader> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let open = true
    let start = ''
    socket.once('close', () => {
      open = false
    })
    socket.on('error', () => undefined)
    socket.once('readable', () => {
      resolve({ socket, isOpen: () => open, hasImage: () => start.startsWith('HTTP/1.1 200') })
      socket.once('data', (chunk: Buffer) => {
        start = chunk.toString('latin1', 0, 20)
      })
      socket.pause()
    })
    socket.write(
      `POST /demo/full,quality=lossless HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: image/png\r\nContent-Length: ${body.length}\r\n\r\n`,
    )
    socket.write(body)
  })

/** Two dozen clients that ask for an image of 15 MB and do not read it. */
export const SLOW: Attack = {
  name: 'slow',
  run: async ({ service, port, short }) => {
    const body = await noise()
    const problems: string[] = []
    const before = (await service.memory()).server
    const readers = await Promise.all(Array.from({ length: READERS }, () => readNothing(port, body)))
    await sleep(3_000)
    const { server } = await service.memory()
    if (server > MOST_BYTES) problems.push(`the parent holds ${Math.round(server / 1e6)} MB for ${READERS} readers`)
    if (!short) {
      await sleep(CUT_OFF_MS + 5_000)
      // What a socket that is not read has taken in hides its end: reading on brings that to light.
      for (const { socket } of readers) socket.resume()
      await sleep(2_000)
      const open = readers.filter(({ isOpen, hasImage }) => isOpen() && hasImage()).length
      if (open > 0) problems.push(`${open} readers were not cut off`)
    }
    for (const { socket } of readers) socket.destroy()
    const notes = [
      `${READERS} bodies of ${Math.round(body.length / 1e6)} MB: parent ${Math.round(before / 1e6)} MB before, ${Math.round(server / 1e6)} MB with them`,
    ]
    return { tries: READERS, problems, notes }
  },
}
