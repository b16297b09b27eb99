import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Kills a child with everything that it started: it leads its own process group. */
export const killGroup = (child: ChildProcess): void => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  if (!killAll(child.pid)) child.kill('SIGKILL')
}

/** Kills the remaining processes in the group of a child that has just ended. */
export const killRest = ({ pid }: ChildProcess): void => {
  if (pid !== undefined) killAll(pid)
}

/** Kills all of a process group; false where there is none. */
const killAll = (group: number): boolean => {
  try {
    return process.kill(-group, 'SIGKILL')
  } catch {
    return false
  }
}

/** A file of the proc file system, which answers from memory; empty when the process has ended, or there is no such system. */
const readProc = (path: string): string => {
  try {
    return readFileSync(`/proc/${path}`, 'utf8')
  } catch {
    return ''
  }
}

const childrenOf = (pid: number): readonly number[] =>
  readProc(`${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)

/** Resident bytes of a process and of everything that it started; 0 on systems without /proc. */
export const residentBytes = (pid: number): number => {
  const kilobytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(readProc(`${pid}/status`))?.[1] ?? 0)
  return childrenOf(pid).reduce((sum, child) => sum + residentBytes(child), kilobytes * 1024)
}
