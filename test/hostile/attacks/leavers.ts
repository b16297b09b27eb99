import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startService } from '../../../scripts/corpus/service.ts'
import type { Attack } from '../attack.ts'
import { keepBusy, photograph, unlike } from '../crowd.ts'

const MAIN_LOOP = fileURLToPath(new URL('../main-loop.ts', import.meta.url))
const CLIENTS = 200
const LEAVE_MS = 150
/** ms of CPU: what one turn of the main loop may take, and /-/live therefore waits at most on a machine that is free. */
const LONGEST_TURN_MS = 250

/** Sends an image, and closes the connection a moment later. */
const sendAndLeave = (port: number, image: Buffer): Promise<void> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const clock = setTimeout(() => socket.destroy(), LEAVE_MS)
    socket.on('error', () => undefined).on('data', () => undefined)
    socket.once('close', () => {
      clearTimeout(clock)
      resolve()
    })
    socket.write(
      `POST /demo/full HTTP/1.1\r\nHost: a\r\nContent-Type: image/jpeg\r\nContent-Length: ${image.length}\r\n\r\n`,
    )
    socket.write(image)
  })

/** The last printed delay of the main loop, in ms; undefined before the first. */
const longestTurn = (complaints: readonly string[]): number | undefined => {
  const said = complaints.findLast((line) => line.startsWith('main loop: '))
  return said === undefined ? undefined : Number.parseInt(said.slice('main loop: '.length), 10)
}

/** 200 clients that leave 150 ms after they sent an image, again and again: `/-/live` is answered all the while. */
export const LEAVERS: Attack = {
  name: 'leavers',
  run: async ({ short }) => {
    const service = await startService({ NODE_OPTIONS: `--import=${MAIN_LOOP}` })
    try {
      const image = await photograph(2400, 1600)
      const port = Number(new URL(service.address).port)
      let tries = 0
      const ask = async (): Promise<number> => {
        const before = service.complaints.length
        process.kill(service.pid, 'SIGUSR2')
        for (;;) {
          const turn = longestTurn(service.complaints.slice(before))
          if (turn !== undefined) return turn
          await sleep(20)
        }
      }
      // The time of the start does not count.
      await ask()
      const leaving = keepBusy(CLIENTS, () => {
        tries += 1
        return sendAndLeave(port, unlike(image))
      })
      await sleep(short ? 5_000 : 20_000)
      await leaving.stop()
      const turn = await ask()
      service.assertAlive()
      const problems = turn > LONGEST_TURN_MS ? [`a turn of the main loop took ${turn} ms of CPU`] : []
      return { tries, problems, notes: [`the longest turn of the main loop took ${turn} ms of CPU`] }
    } finally {
      await service.stop()
    }
  },
}
