import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Kills a child and all its descendants, which are in its process group. */
export const killGroup = (child: ChildProcess): void => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  if (!killAll(child.pid)) child.kill('SIGKILL')
}

/** Kills the remaining processes in the group of a child that has just ended. */
export const killRest = ({ pid }: ChildProcess): void => {
  if (pid !== undefined) killAll(pid)
}

/** Kills all processes of a group. Returns false without any. */
const killAll = (group: number): boolean => {
  try {
    return process.kill(-group, 'SIGKILL')
  } catch {
    return false
  }
}

/** Reads a file of /proc, which is fast. Returns an empty text if the process has ended, or without /proc. */
const readProc = (path: string): string => {
  try {
    return readFileSync(`/proc/${path}`, 'utf8')
  } catch {
    return ''
  }
}

const childrenOf = (pid: number): readonly number[] =>
  readProc(`${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)

/** Returns the resident bytes of a process and all its descendants, or 0 without /proc. */
export const residentBytes = (pid: number): number => {
  const kilobytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(readProc(`${pid}/status`))?.[1] ?? 0)
  return childrenOf(pid).reduce((sum, child) => sum + residentBytes(child), kilobytes * 1024)
}
