import { readFileSync } from 'node:fs'

/** ms of a clock tick, in which Linux counts the CPU of processes. */
const TICK_MS = 10

/** Fields of /proc/<pid>/stat that follow the name; undefined where there is no such process, or no /proc. */
const statOf = (pid: string): readonly string[] | undefined => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
  } catch {
    return undefined
  }
}

/** Programs of this process that run, or have ended and were not yet waited for. */
const runningPrograms = (): readonly string[] =>
  readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean)

/** CPU of the programs that this process started, in ms (Linux; elsewhere 0). */
const childMs = (): number => {
  if (process.platform !== 'linux') return 0
  const sumOf = (pid: string, first: number): number => {
    const fields = statOf(pid)
    return fields === undefined ? 0 : Number(fields[first]) + Number(fields[first + 1])
  }
  const ended = sumOf('self', 13)
  return runningPrograms().reduce((sum, pid) => sum + sumOf(pid, 11), ended) * TICK_MS
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
