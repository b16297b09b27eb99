import { readFileSync } from 'node:fs'

/** ms of a clock tick, in which Linux counts the CPU of processes. */
const TICK_MS = 10

/** CPU of the programs that this process started and that have ended, in ms (Linux; elsewhere 0). */
const childMs = (): number => {
  if (process.platform !== 'linux') return 0
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS
}

/** CPU of all threads and programs of this process so far, in ms. */
export const cpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000 + childMs()
}

/** Result of `act`, and the CPU ms of all its threads and programs. Wall time would count other processes. */
export const timed = async <T>(act: () => Promise<T> | T): Promise<{ readonly ms: number; readonly value: T }> => {
  const before = cpuMs()
  const value = await act()
  return { ms: cpuMs() - before, value }
}
