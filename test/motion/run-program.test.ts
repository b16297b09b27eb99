import { describe, expect, it } from 'vitest'
import { deadlineIn } from '../../src/core/deadline.ts'
import { runProgram } from '../../src/motion/run-program.ts'

const PATIENT = { command: 'sleep', args: ['60'] }

describe('a program that is run', () => {
  it('returns what a program wrote', async () => {
    expect(await runProgram({ command: 'echo', args: ['done'] }, deadlineIn(60_000))).toEqual({
      kind: 'done',
      output: Buffer.from('done\n'),
    })
  })

  it('returns the errors of a program that fails', async () => {
    const program = { command: 'sh', args: ['-c', 'echo broken >&2; exit 3'] }
    expect(await runProgram(program, deadlineIn(60_000))).toEqual({ kind: 'failed', errors: 'broken\n' })
  })

  it('reports a program that cannot be started as failed', async () => {
    expect(await runProgram({ command: '/no/such/program', args: [] }, deadlineIn(60_000))).toMatchObject({
      kind: 'failed',
    })
  })

  it('reports a program that the deadline kills as late', async () => {
    expect(await runProgram(PATIENT, deadlineIn(30))).toEqual({ kind: 'late' })
  })

  it('reports a program that its own limit kills as late, although the deadline has time', async () => {
    expect(await runProgram({ ...PATIENT, killAfter: 30 }, deadlineIn(60_000))).toEqual({ kind: 'late' })
  })

  it('starts no program after the deadline', async () => {
    expect(
      await runProgram({ command: '/no/such/program', args: [] }, { ...deadlineIn(0), signal: AbortSignal.abort() }),
    ).toEqual({
      kind: 'late',
    })
  })
})
