import { Worker } from 'node:worker_threads'

/** A thread of its own, because the work may keep the main thread busy for seconds. */
const WATCH = `
const { workerData } = require('node:worker_threads')
setInterval(() => {
  if (process.ppid !== workerData) process.kill(-process.pid, 'SIGKILL')
}, 500)
`

/** Ends this process, and everything that it started, when its parent is no more; it must lead its process group. */
export const watchParent = (): void => new Worker(WATCH, { eval: true, workerData: process.ppid }).unref()
