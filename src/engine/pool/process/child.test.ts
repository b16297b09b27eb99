import { fork } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { openChild } from './child.ts'

/** Starts a program in its own process group, sends that program's process id, and waits. */
const WITH_ANOTHER = `
  const { pid } = require('node:child_process').spawn('sleep', ['1000'], { stdio: 'ignore' })
  process.send({ kind: 'notice', message: String(pid) })
  setInterval(() => undefined, 1000)`

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

it('a program that a child started ends with it when only the child is killed from outside', async () => {
  const leader = fork('-e', [WITH_ANOTHER], { detached: true, execArgv: [] })
  const child = openChild(leader)
  const [{ message }] = (await once(leader, 'message')) as [{ message: string }]
  expect(isAlive(Number(message))).toBe(true)
  process.kill(leader.pid!, 'SIGKILL')
  await child.ended
  await expect.poll(() => isAlive(Number(message))).toBe(false)
})
