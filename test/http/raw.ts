import { connect } from 'node:net'

/** A raw response, parsed as far as one with a Content-Length needs. */
export interface RawAnswer {
  readonly status: number
  readonly head: string
  readonly body: Buffer
  readonly whole: Buffer
}

const parse = (whole: Buffer): RawAnswer => {
  const at = whole.indexOf('\r\n\r\n')
  const head = whole.subarray(0, at < 0 ? whole.length : at).toString('latin1')
  return {
    status: Number(head.split(' ')[1] ?? 0),
    head,
    body: at < 0 ? Buffer.alloc(0) : whole.subarray(at + 4),
    whole,
  }
}

/** Sends bytes unchanged and reads until the server closes the connection. Send `Connection: close`. */
export const sendRaw = (port: number, ...pieces: readonly (string | Buffer)[]): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const received: Buffer[] = []
    const socket = connect(port, '127.0.0.1')
    socket.on('data', (chunk) => received.push(chunk))
    socket.on('error', reject)
    socket.on('close', () => resolve(parse(Buffer.concat(received))))
    for (const piece of pieces) socket.write(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece)
  })
