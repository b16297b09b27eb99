import { execFile, execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Confinement, findConfinement } from '../../src/engine/pool/confinement/confinement.ts'

const run = promisify(execFile)

/** Whether this machine has bubblewrap and lets it do something. */
const hasBubblewrap = (): boolean => {
  try {
    execFileSync('bwrap', ['--ro-bind', '/', '/', '--unshare-pid', '--', 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

let dataDir: string
let found: Confinement
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'whittle-confined-'))
  const work = join(dataDir, 'work')
  await mkdir(work)
  await writeFile(join(dataDir, 'secret'), 'of the service')
  found = await findConfinement({ memoryLimit: 1e9, hidden: dataDir, writable: [work] })
})
afterAll(() => rm(dataDir, { recursive: true }))

/** Output of a shell in the confinement; rejects when it failed. */
const inside = async (script: string): Promise<string> => {
  const [program = 'sh', ...args] = [...found.command, 'sh', '-c', script]
  return (await run(program, args, { cwd: '/' })).stdout.trim()
}

describe.runIf(hasBubblewrap())('a confined child', () => {
  it('does not see the files of the service', async () => {
    await expect(inside(`cat ${dataDir}/secret`)).rejects.toThrow('No such file')
    expect(await inside(`ls ${dataDir}`)).toBe('work')
  })

  it('writes where it works, and nowhere else', async () => {
    await inside(`echo done > ${dataDir}/work/result`)
    expect(await readFile(join(dataDir, 'work/result'), 'utf8')).toBe('done\n')
    await expect(inside(`echo x > ${tmpdir()}/whittle-escaped`)).rejects.toThrow('Read-only file system')
  })

  it('sees no other process, and no network but its own', async () => {
    // The shell, its pipe, and bubblewrap's own.
    expect(Number(await inside("ls /proc | grep -c '^[0-9]'"))).toBeLessThan(8)
    expect(await inside('grep -c : /proc/net/dev')).toBe('1')
  })

  it('makes no namespaces, traces no process, and has only sockets of its own machine', async () => {
    await expect(inside('unshare --user true')).rejects.toThrow('Operation not permitted')
    await expect(inside('mount -t tmpfs none /mnt')).rejects.toThrow(/permi|superuser/i)
    expect(await inside('grep Seccomp: /proc/self/status')).toMatch(/2$/)
    const connect = "require('net').connect(9, '127.0.0.1').on('error', (error) => console.log(error.code))"
    expect(await inside(`${process.execPath} -e "${connect}"`)).toBe('EAFNOSUPPORT')
  })

  it('ends with its parent', () => expect(found.endsWithParent).toBe(true))
})

it('limits what a child maps, whatever else the system offers', async () => {
  const { withheld } = found
  expect(withheld.join(' ')).toContain('memory')
  expect(await inside('ulimit -d')).toBe(String(Math.round(2e9 / 1024)))
})
