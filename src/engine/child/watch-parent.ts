import { Worker } from 'node:worker_threads'

/** Code of a separate thread, because work may block the main thread for seconds. */
const WATCH = `
const { workerData } = require('node:worker_threads')
setInterval(() => {
  if (process.ppid !== workerData) process.kill(-process.pid, 'SIGKILL')
}, 500)
`

/** Kills this process and all its descendants when its parent has died. The process must lead its process group. */
export const watchParent = (): void => new Worker(WATCH, { eval: true, workerData: process.ppid }).unref()
