/**
 * Loaded into a service before anything else. At each SIGUSR2 it prints the most CPU, in ms, that one turn of the main loop has used since
 * the last one. A busy machine makes a turn long, but costs it no CPU.
 */
import { isMainThread } from 'node:worker_threads'

const EVERY_MS = 10

const watchTurns = (): void => {
  let worst = 0
  let last = process.threadCpuUsage()
  setInterval(() => {
    const now = process.threadCpuUsage()
    worst = Math.max(worst, now.user + now.system - last.user - last.system)
    last = now
  }, EVERY_MS).unref()
  process.on('SIGUSR2', () => {
    console.error(`main loop: ${Math.round(worst / 1000)} ms`)
    worst = 0
  })
}

if (isMainThread) watchTurns()
