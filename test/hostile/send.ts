import { connect } from 'node:net'
import type { Arena } from './attack.ts'

/** Response to an upload. */
export interface Reply {
  readonly status: number
  readonly type: string
  readonly body: Buffer
}

/** Uploads bytes under some options as the account of the arena; status 0 when no answer came. */
export const upload = async ({ service }: Pick<Arena, 'service'>, options: string, body: Buffer): Promise<Reply> => {
  try {
    const answer = await fetch(`${service.address}/demo/${options}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/octet-stream' },
      body: new Uint8Array(body),
      signal: AbortSignal.timeout(60_000),
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    return { status: answer.status, type: answer.headers.get('content-type') ?? '', body: bytes }
  } catch {
    return { status: 0, type: '', body: Buffer.alloc(0) }
  }
}

/** The same; a busy machine's 303 is followed to the result's address, which waits for it. */
export const uploadAndWait = async (arena: Pick<Arena, 'service'>, options: string, body: Buffer): Promise<number> => {
  const { address } = arena.service
  const follow = async (answer: Response, turns: number): Promise<number> => {
    await answer.arrayBuffer()
    const place = answer.headers.get('location')
    if (answer.status !== 303 || place === null || turns === 0) return answer.status
    return follow(await fetch(new URL(place, address), { redirect: 'manual' }), turns - 1)
  }
  const headers = { 'content-type': 'application/octet-stream' }
  const init = { method: 'POST', redirect: 'manual', headers, body: new Uint8Array(body) } as const
  return fetch(`${address}/demo/${options}`, init).then(
    (answer) => follow(answer, 9),
    () => 0,
  )
}

/** Sends bytes over a connection of their own, and returns what came back until it closed or `ms` had passed. */
export const sendBytes = (port: number, bytes: Uint8Array, ms = 1_000): Promise<string> =>
  new Promise((resolve) => {
    const received: Buffer[] = []
    const socket = connect(port, '127.0.0.1')
    const clock = setTimeout(() => socket.destroy(), ms)
    socket.on('data', (chunk) => received.push(chunk)).on('error', () => undefined)
    socket.once('close', () => {
      clearTimeout(clock)
      resolve(Buffer.concat(received).toString('latin1'))
    })
    socket.write(bytes)
    socket.setNoDelay()
  })
