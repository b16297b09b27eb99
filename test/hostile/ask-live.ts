/** A thread that asks a service whether it lives: files that take seconds to make must not look like silence of the service. */
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

const EVERY_MS = 50

let over = false
parentPort?.once('message', () => {
  over = true
})

let worst = 0
while (!over) {
  const since = performance.now()
  await fetch(`${workerData}/-/live`, { signal: AbortSignal.timeout(60_000) })
    .then((answer) => answer.text())
    .catch(() => undefined)
  worst = Math.max(worst, performance.now() - since)
  await sleep(EVERY_MS)
}
parentPort?.postMessage(worst)
