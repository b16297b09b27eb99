import type { Server, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { LOOK_MS } from '../core/intervals.ts'

/** Counts running exchanges of a server. */
export const countExchanges = (server: Server): (() => number) => {
  let exchanges = 0
  const count = (_request: unknown, response: ServerResponse): void => {
    exchanges += 1
    response.once('close', () => {
      exchanges -= 1
    })
  }
  server.on('request', count).on('checkContinue', count)
  return () => exchanges
}

/** Waits until nothing is running, at most `graceMs`, then closes the server with all its connections. */
export const shutDown = async (server: Server, countRunning: () => number, graceMs: number): Promise<void> => {
  const graceEnds = performance.now() + graceMs
  while (countRunning() > 0 && performance.now() < graceEnds) await sleep(LOOK_MS)
  const closed = new Promise<void>((done) => server.close(() => done()))
  server.closeAllConnections()
  await closed
}
