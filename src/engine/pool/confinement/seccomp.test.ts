import { describe, expect, it } from 'vitest'
import { seccompFilter } from './seccomp.ts'

const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7 }
const ALLOWED = 0x7fff0000
const KILLED = 0x80000000
const refused = (errno: number): number => 0x00050000 + errno
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97]

interface Call {
  readonly nr: number
  readonly arguments?: readonly number[]
  readonly audit?: number
}

/** Runs the filter's instructions on a call, like the kernel, and returns the decision. */
const decide = (architecture: keyof typeof AUDIT, call: Call): number => {
  const filter = seccompFilter(architecture)!
  const data = Buffer.alloc(64)
  data.writeUInt32LE(call.nr, 0)
  data.writeUInt32LE(call.audit ?? AUDIT[architecture], 4)
  for (const [i, argument] of (call.arguments ?? []).entries()) data.writeBigUInt64LE(BigInt(argument), 16 + i * 8)
  let word = 0
  for (let at = 0; at * 8 < filter.length; at++) {
    const [code, operand] = [filter.readUInt16LE(at * 8), filter.readUInt32LE(at * 8 + 4)]
    const compared = { 21: word === operand, 53: word >= operand, 69: (word & operand) !== 0 }[code]
    if (code === 0x06) return operand
    if (code === 0x20) word = data.readUInt32LE(operand)
    else if (compared === undefined) throw new Error(`instruction ${code}`)
    else at += filter.readUInt8(at * 8 + (compared ? 2 : 3))
  }
  throw new Error('the filter ran over its end')
}

describe('the filter of system calls', () => {
  it.each([
    ['x64', 'read', { nr: 0 }, ALLOWED],
    ['arm64', 'read', { nr: 63 }, ALLOWED],
    ['x64', 'execve', { nr: 59 }, ALLOWED],
    ['arm64', 'execve', { nr: 221 }, ALLOWED],
    ['x64', 'ptrace', { nr: 101 }, refused(EPERM)],
    ['arm64', 'ptrace', { nr: 117 }, refused(EPERM)],
    ['x64', 'unshare', { nr: 272 }, refused(EPERM)],
    ['arm64', 'mount', { nr: 40 }, refused(EPERM)],
    ['x64', 'setdomainname, the last in the list', { nr: 171 }, refused(EPERM)],
    ['arm64', 'ioperm, which is not there', { nr: 173 }, ALLOWED],
    ['x64', 'clone of a thread', { nr: 56, arguments: [0x3d0f00] }, ALLOWED],
    ['x64', 'clone into a namespace of users', { nr: 56, arguments: [0x10000011] }, refused(EPERM)],
    ['arm64', 'clone into a namespace of mounts', { nr: 220, arguments: [0x20011] }, refused(EPERM)],
    ['x64', 'clone3', { nr: 435 }, refused(ENOSYS)],
    ['x64', 'a socket of the machine', { nr: 41, arguments: [1] }, ALLOWED],
    ['x64', 'a socket of IPv4', { nr: 41, arguments: [2] }, refused(EAFNOSUPPORT)],
    ['arm64', 'a socket of the kernel (netlink)', { nr: 198, arguments: [16] }, refused(EAFNOSUPPORT)],
    ['x64', 'the size of a terminal', { nr: 16, arguments: [1, 0x5413] }, ALLOWED],
    ['x64', 'input for a terminal', { nr: 16, arguments: [1, 0x5412] }, refused(EPERM)],
    ['x64', 'a call of x32', { nr: 0x40000000 }, refused(ENOSYS)],
    ['x64', 'a call of 32 bits', { nr: 0, audit: 0x40000003 }, KILLED],
  ] as const)('decides for %s: %s', (architecture, _, call, outcome) => {
    expect(decide(architecture, call)).toBe(outcome)
  })

  it('is short enough for the kernel, and unknown elsewhere', () => {
    expect(seccompFilter('x64')!.length / 8).toBeLessThan(4096)
    expect(seccompFilter('riscv64')).toBeUndefined()
  })
})
