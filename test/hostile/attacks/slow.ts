import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import sharp from 'sharp'
import type { Attack } from '../attack.ts'

const READERS = 24
/** Growth of the parent's memory; two dozen whole bodies would be ten times as much. */
const MAX_PARENT_BYTES = 300e6
const CUT_OFF_MS = 20_000

/** An image that no format makes small. It exceeds the buffers of a connection whose client reads nothing: up to 33 MB where the system allows it. */
const noise = (): Promise<Buffer> =>
  sharp({
    create: {
      width: 4200,
      height: 3400,
      channels: 3,
      background: '#888',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })
    .png({ compressionLevel: 1 })
    .toBuffer()

interface Reader {
  readonly socket: Socket
  readonly isOpen: () => boolean
  /** Whether an image is on its way: where the machine is slow it is a 303, which has no body to wait for. */
  readonly isImage: boolean
}

/** Sends an upload, and reads the first piece of its answer when it comes, and no more. */
const readNothing = (port: number, body: Buffer): Promise<Reader> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let open = true
    socket.once('close', () => {
      open = false
    })
    socket.on('error', () => undefined)
    // By 'data' alone: a listener for 'readable' would set the socket going again when it is removed.
    socket.once('data', (chunk: Buffer) => {
      socket.pause()
      const isImage = chunk.toString('latin1', 0, 20).startsWith('HTTP/1.1 200')
      resolve({ socket, isOpen: () => open, isImage })
    })
    socket.write(
      `POST /${TARGET} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: image/png\r\nContent-Length: ${body.length}\r\n\r\n`,
    )
    socket.write(body)
  })

const TARGET = 'demo/full,quality=lossless,timeout=60'

/** Has the image made. A busy machine answers with a 303 first, which is followed. */
const make = async (address: string, body: Buffer): Promise<number> => {
  const init = { method: 'POST', headers: { 'content-type': 'image/png' }, body: new Uint8Array(body) }
  const answer = await fetch(`${address}/${TARGET}`, init)
  await answer.arrayBuffer()
  return answer.status
}

/** Two dozen clients that ask for an image of 40 MB, which is made already, and do not read it. */
export const SLOW: Attack = {
  name: 'slow',
  settings: { MAX_TIMEOUT: '60' },
  run: async ({ service, port, short }) => {
    const body = await noise()
    const problems: string[] = []
    const status = await make(service.address, body)
    if (status !== 200) problems.push(`${status} for who made the image`)
    const before = (await service.memory()).server
    const readers = await Promise.all(Array.from({ length: READERS }, () => readNothing(port, body)))
    await sleep(3_000)
    const { server } = await service.memory()
    if (server > MAX_PARENT_BYTES)
      problems.push(`the parent holds ${Math.round(server / 1e6)} MB for ${READERS} readers`)
    if (!short) {
      await sleep(CUT_OFF_MS + 5_000)
      // Buffered bytes of an unread socket hide its end: reading on reveals it.
      for (const { socket } of readers) socket.resume()
      await sleep(2_000)
      const sent = readers.filter(({ isImage }) => isImage).length
      if (sent < READERS / 2) problems.push(`only ${sent} of ${READERS} were sent an image`)
      const open = readers.filter(({ isOpen, isImage }) => isOpen() && isImage).length
      if (open > 0) problems.push(`${open} readers were not cut off`)
    }
    for (const { socket } of readers) socket.destroy()
    const notes = [
      `${READERS} bodies of ${Math.round(body.length / 1e6)} MB: parent ${Math.round(before / 1e6)} MB before, ${Math.round(server / 1e6)} MB with them`,
    ]
    return { tries: READERS, problems, notes }
  },
}
