import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import sharp from 'sharp'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { writeAtomically } from '../../src/cli/optimise/write-result.ts'

// These tests start processes, on possibly busy machines.
vi.setConfig({ testTimeout: 120_000 })

const MAIN = resolve(import.meta.dirname, '../../src/cli/main.ts')
const FIXTURES = resolve(import.meta.dirname, '../fixtures')
const PHOTO = join(FIXTURES, 'jpeg/kodim23-190x158.png')
/** PNGs of one colour, stored without compression: their search takes no time, and the result is a smaller PNG. */
const [PLAIN, OTHER_PLAIN] = await Promise.all(
  ['#fa0', '#08f'].map((background) =>
    sharp({ create: { width: 32, height: 32, channels: 3, background } })
      .png({ compressionLevel: 0 })
      .toBuffer(),
  ),
)

let place: string
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'whittle-cli-'))
  mkdirSync(join(place, 'in'))
})
afterEach(() => rmSync(place, { recursive: true, force: true }))

const at = (...parts: string[]): string => join(place, ...parts)
const put = (name: string, from = PHOTO): string => {
  copyFileSync(from, at('in', name))
  return at('in', name)
}

const putPlain = (name: string, bytes = PLAIN!): string => {
  writeFileSync(at(name), bytes)
  return at(name)
}

interface Ran {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

const environment = () => ({ ...process.env, XDG_CACHE_HOME: at('cache') })

const run = (...args: string[]): Ran => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, 'optimise', ...args], {
    cwd: place,
    env: environment(),
    encoding: 'utf8',
    timeout: 170_000,
  })
  return { status, stdout, stderr }
}

describe('whittle optimise', () => {
  it('writes results into a directory, reports each, and does nothing the second time', () => {
    put('a.png')
    mkdirSync(at('in/sub'))
    copyFileSync(join(FIXTURES, 'jpeg/squoosh__screenshot2.jpg'), at('in/sub/b.jpg'))
    const first = run('--out', 'out', 'in')
    expect(first).toMatchObject({ status: 0, stderr: '' })
    expect(first.stdout).toMatch(
      /in\/a\.png -> .*out\/a\.jpg: [\d,]+ -> [\d,]+ bytes \(-\d+\.\d %\), SSIMULACRA 7\d\.\d/,
    )
    expect(readFileSync(at('out/a.jpg')).subarray(0, 3).toString('hex')).toBe('ffd8ff')
    expect(statSync(at('out/sub/b.jpg')).size).toBeLessThan(statSync(at('in/sub/b.jpg')).size)
    const second = run('--out', 'out', 'in')
    expect(second.stdout).toMatch(/^2 results: .*, 2 already optimised\n$/)
    expect(run('--out', 'out', '--no-cache', 'in').stdout).not.toContain('already optimised')
  })

  it('replaces files in place, keeping format and permissions, and leaves them alone the second time', () => {
    const path = put('a.png')
    chmodSync(path, 0o640)
    const before = statSync(path).size
    expect(run('--in-place', 'in').status).toBe(0)
    const after = statSync(path)
    expect([after.size < before, after.mode & 0o777, readFileSync(path).subarray(1, 4).toString()]).toEqual([
      true,
      0o640,
      'PNG',
    ])
    const second = run('--in-place', 'in')
    expect(second.stdout).toContain('1 already optimised')
    expect(statSync(path).mtimeMs).toBe(after.mtimeMs)
    expect(readdirSync(at('in'))).toEqual(['a.png'])
  })

  it('warns before it replaces files with loss, keeps the originals, and changes nothing again without a cache', () => {
    const path = put('a.png')
    const original = readFileSync(path)
    const first = run('--in-place', '--backup', 'kept', 'in')
    expect(first.stderr).toBe('The files are replaced by lossy results at quality=medium. The originals go to kept.\n')
    expect(readFileSync(at('kept/a.png')).equals(original)).toBe(true)
    const result = readFileSync(path)
    const again = run('--in-place', '--backup', 'kept', '--no-cache', 'in')
    expect(again.stdout).toContain('nothing smaller')
    expect(readFileSync(path).equals(result)).toBe(true)
    expect(readdirSync(at('kept'))).toEqual(['a.png'])
  })

  it('keeps the older backup when a file of the same name is replaced', () => {
    putPlain('in/a.png')
    run('--in-place', '--backup', 'kept', 'in')
    putPlain('in/a.png', OTHER_PLAIN)
    run('--in-place', '--backup', 'kept', 'in')
    expect(readFileSync(at('kept/a.png')).equals(PLAIN!)).toBe(true)
    expect(readdirSync(at('kept')).length).toBe(2)
  })

  it('checks without writing: exit code 1 when a file could be smaller', () => {
    const path = putPlain('in/a.png')
    const failing = run('--check', '10', 'in')
    expect([failing.status, failing.stderr]).toEqual([
      1,
      'The check fails: 1 file could be at least 10 % smaller. To make them smaller: whittle optimise --out DIR, or --in-place, which keeps formats.\n',
    ])
    expect(failing.stdout).toContain('in/a.png: ')
    expect(statSync(path).size).toBe(PLAIN!.length)
    expect(run('--check', '99.9', 'in').status).toBe(0)
    expect(readdirSync(at('in'))).toEqual(['a.png'])
  })

  it('writes several formats, and reports them as JSON', () => {
    put('a.png')
    const { stdout, status } = run('--out', 'out', '--format', 'jpeg,webp', '--size', '80', '--report', 'json', 'in')
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      results: [
        { kind: 'written', format: 'jpeg', output: at('out/a.jpg') },
        { kind: 'written', format: 'webp', output: at('out/a.webp') },
      ],
      totals: { files: 2, failed: 0 },
    })
  })

  it('reports each bad file in one line, processes the others, and exits with 1', () => {
    putPlain('in/good.png')
    writeFileSync(at('in/text.png'), 'no image')
    writeFileSync(at('in/empty.png'), '')
    writeFileSync(at('in/huge.jpg'), '')
    truncateSync(at('in/huge.jpg'), 2e9)
    putPlain('in/new\nline \u{1f99c}.png')
    const { status, stdout, stderr } = run('--out', 'out', 'in', 'nowhere.png')
    expect(status).toBe(1)
    expect(stdout).toContain('in/good.png -> ')
    expect(stdout).toContain('new\\nline \u{1f99c}.png')
    expect(stdout).toContain('4 failed')
    expect(stderr.trim().split('\n').toSorted()).toEqual([
      'in/empty.png: The source is not an image: it looks like an empty file. Check the file, or that the address leads to the image itself.',
      'in/huge.jpg: The source is larger than 50 MB, which is the most that is accepted.',
      'in/text.png: The source is not an image: it looks like plain text. Check the file, or that the address leads to the image itself.',
      'nowhere.png: There is nothing of this name.',
    ])
  })

  it('refuses two files with the same result name before it writes anything', () => {
    for (const folder of ['x1', 'x2']) {
      mkdirSync(at(folder))
      putPlain(join(folder, 'a.png'))
    }
    const { status, stderr } = run('--out', 'out', 'x1', 'x2')
    expect([status, readdirSync(place).includes('out')]).toEqual([2, false])
    expect(stderr).toContain('x1/a.png and x2/a.png would both be written to a.png. Name the folder that holds both')
    expect(run('--out', 'out', '--size', '80', '.').status).toBe(0)
    expect(readdirSync(at('out')).toSorted()).toEqual(['x1', 'x2'])
  })

  it('--out never replaces a source', () => {
    const path = putPlain('in/a.png')
    const { status, stderr } = run('--out', 'in', path)
    expect([status, statSync(path).size]).toEqual([2, PLAIN!.length])
    expect(stderr).toContain('would replace a source. Give --in-place')
  })

  it.each([['--in-place'], ['--out', 'out']])('a link out of the named folder is not followed (%s)', (...target) => {
    putPlain('in/a.png')
    mkdirSync(at('elsewhere'))
    putPlain('elsewhere/b.png')
    symlinkSync(at('elsewhere'), at('in/link'))
    const { status, stderr } = run(...target, 'in')
    expect([status, statSync(at('elsewhere/b.png')).size]).toEqual([1, PLAIN!.length])
    expect(stderr).toContain(
      'in/link: This link leads out of the folder. Name the folder that it leads to, to work on that too.\n',
    )
  })

  it('results are not written through a link out of the output directory', () => {
    for (const folder of ['in/sub', 'out', 'elsewhere']) mkdirSync(at(folder))
    putPlain('in/sub/a.png')
    symlinkSync(at('elsewhere'), at('out/sub'))
    const { status, stderr } = run('--out', 'out', 'in')
    expect([status, readdirSync(at('elsewhere'))]).toEqual([1, []])
    expect(stderr).toContain('A link leads out of the output directory there.')
  })

  it('leaves out files that match --exclude, and prints only failures with --quiet', () => {
    for (const name of ['a.png', 'b.min.png']) putPlain(`in/${name}`)
    mkdirSync(at('in/node_modules'))
    putPlain('in/node_modules/c.png')
    const args = ['--out', 'out', '--quiet', '--exclude', 'node_modules', '--exclude', '*.min.png', 'in']
    expect(run(...args)).toEqual({ status: 0, stdout: '', stderr: '' })
    expect(readdirSync(at('out'))).toEqual(['a.png'])
  })

  it('ends without a stack trace when its output is closed', () => {
    for (const name of ['a', 'b', 'c', 'd']) putPlain(`in/${name}.png`)
    const script = `"${process.execPath}" "${MAIN}" optimise --dry-run --no-cache --max-cpu 1 in | true; echo "\${PIPESTATUS[0]}"`
    const { stdout, stderr } = spawnSync('bash', ['-c', script], { cwd: place, env: environment(), encoding: 'utf8' })
    expect(stdout).toBe('141\n')
    expect(stderr).not.toMatch(/EPIPE|at .*:\d+:\d+/)
  })

  it('reports a folder without images', () => {
    expect(run('--in-place', 'in')).toMatchObject({ status: 1, stderr: 'in: There is no image in it.\n' })
    expect(run('--in-place', 'in/*.png').stderr).toBe('in/*.png: No image has such a name.\n')
  })

  it('leaves a read-only file and a symbolic link alone', () => {
    chmodSync(putPlain('in/read-only.png'), 0o444)
    symlinkSync(PHOTO, at('in/link.png'))
    const { status, stderr } = run('--in-place', 'in')
    expect(status).toBe(1)
    expect(stderr).toContain('in/read-only.png: The file is read-only. Make it writable, or use --out.')
    expect(stderr).toContain('in/link.png: It is a symbolic link')
    expect(statSync(at('in/read-only.png')).size).toBe(PLAIN!.length)
  })

  it('leaves existing files complete when the disk is full', async () => {
    // The kernel's full disk: every write fails with ENOSPC.
    await expect(writeAtomically('/dev/full/x', new Uint8Array(9))).rejects.toThrow()
    const { status, stderr } = run('--out', '/dev/full', putPlain('in/a.png'))
    expect([status, stderr.includes('a.png: ')]).toEqual([1, true])
  })

  it('keeps watching a folder', async () => {
    putPlain('in/a.png')
    const child = spawn(process.execPath, [MAIN, 'optimise', '--watch', '--out', 'out', './in'], {
      cwd: place,
      env: environment(),
    })
    try {
      await until(child, /1 result/)
      putPlain('in/b.png', OTHER_PLAIN)
      await until(child, /in\/b\.png -> /)
      expect(readdirSync(at('out')).toSorted()).toEqual(['a.png', 'b.png'])
    } finally {
      child.kill('SIGINT')
      await new Promise((done) => child.once('exit', done))
    }
  })

  it('ten interruptions leave every file complete and no other file', async () => {
    const names = Array.from({ length: 6 }, (_, n) => `${n}.png`)
    for (const name of names) put(name)
    const source = readFileSync(PHOTO)
    for (let time = 1; time <= 10; time++) {
      const child = spawn(process.execPath, [MAIN, 'optimise', '--in-place', '--no-cache', 'in'], {
        cwd: place,
        env: environment(),
      })
      const exit = new Promise((done) => child.once('exit', done))
      await sleep(100 * time)
      child.kill('SIGINT')
      await exit
      expect(readdirSync(at('in')).toSorted()).toEqual(names)
      for (const name of names) {
        const bytes = readFileSync(at('in', name))
        // A PNG is complete when it equals the source, or ends with its last chunk.
        expect(bytes.equals(source) || bytes.subarray(-8, -4).toString() === 'IEND').toBe(true)
      }
    }
  })
})

const until = (child: ChildProcess, pattern: RegExp): Promise<void> =>
  new Promise((resolve, reject) => {
    let told = ''
    const hear = (chunk: Buffer): void => {
      told += chunk.toString()
      if (pattern.test(told)) resolve()
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    child.once('exit', () => reject(new Error(`it ended: ${told}`)))
  })
