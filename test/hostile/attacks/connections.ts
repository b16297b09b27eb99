import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack } from '../attack.ts'
import { ask, photograph, unlike } from '../crowd.ts'

const EACH = 50

/** First bytes of a connection, and the bytes that follow one at a time. */
const KINDS: readonly (readonly [first: string, drip: string])[] = [
  ['', ''],
  ['POST /demo/full HTTP/1.1\r\nHost: a\r\nX-', 'a'],
  ['POST /demo/full HTTP/1.1\r\nHost: a\r\nContent-Type: image/png\r\nContent-Length: 1000000\r\n\r\n', 'x'],
  ['GET /-/live HTTP/1.1\r\nHost: a\r\n\r\n', 'GET /-/live HTTP/1.1\r\nHost: a\r\n\r\n'],
]

const open = (port: number, first: string, drip: string): Socket => {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined).on('data', () => undefined)
  if (first !== '') socket.write(first)
  const dripping = setInterval(() => drip !== '' && socket.writable && socket.write(drip), 500)
  socket.once('close', () => clearInterval(dripping))
  return socket
}

/** 200 connections that say nothing, never end their head, drip a body, or ask without end, for a minute. */
export const CONNECTIONS: Attack = {
  name: 'connections',
  run: async ({ service, port, short }) => {
    const problems: string[] = []
    const sockets = KINDS.flatMap(([first, drip]) => Array.from({ length: EACH }, () => open(port, first, drip)))
    const small = await photograph(300, 200)
    const until = performance.now() + (short ? 8_000 : 60_000)
    let tries = sockets.length
    while (performance.now() < until) {
      const { status } = await ask(service.address, 'demo/full', unlike(small))
      if (status !== 200) problems.push(`${status} next to ${sockets.length} connections`)
      tries += 1
      await sleep(200)
    }
    for (const socket of sockets) socket.destroy()
    return { tries, problems }
  },
}
