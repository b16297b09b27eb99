import { execFileSync, spawnSync } from 'node:child_process'
import { linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { CLI_COMMANDS } from '../../src/cli/commands.ts'
import { OPTIMISE_FLAGS } from '../../src/cli/optimise/flags.ts'

// These tests start processes, on possibly busy machines.
vi.setConfig({ testTimeout: 120_000 })

const MAIN = resolve(import.meta.dirname, '../../src/cli/main.ts')
const FIXTURES = resolve(import.meta.dirname, '../fixtures')
const run = (...args: string[]) => spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8', timeout: 170_000 })

describe('whittle explain', () => {
  it('explains how a list is read', () => {
    const { status, stdout } = run('explain', '300X200,crop')
    expect(status).toBe(0)
    expect(stdout).toContain('  300X200  300 x 200 CSS px\n')
    expect(stdout).toContain('Warning: 300X200 was read as 300x200: options are written in lower case.\n')
  })
  it('explains what is wrong with a list, and what was probably meant', () => {
    expect(run('explain', '300x200,corp')).toMatchObject({
      status: 1,
      stderr: 'whittle: "corp" is not an option. Did you mean "crop"?\nProbably meant: 300x200,crop\n',
    })
  })
  it('requires exactly one list', () => expect(run('explain').status).toBe(2))
})

describe('whittle compare', () => {
  const photo = join(FIXTURES, 'jpeg/kodim23-190x158.png')
  it('finds an image identical to itself', () => {
    const { status, stdout } = run('compare', photo, photo, '--report', 'json')
    expect([status, JSON.parse(stdout)]).toMatchObject([0, { width: 190, height: 158, score: 100, butteraugli: 0 }])
  })
  it('prints tiles, and draws the difference', () => {
    const place = mkdtempSync(join(tmpdir(), 'whittle-compare-'))
    try {
      run('optimise', '--out', place, '--quality', 'low', '--no-cache', photo)
      const { stdout } = run(
        'compare',
        photo,
        join(place, 'kodim23-190x158.jpg'),
        '--tiles',
        '--difference',
        join(place, 'd.png'),
      )
      expect(stdout).toMatch(
        /^190x158 px\nSSIMULACRA 2\.1 {3}5\d\.\d\d \(worst tile .*\nButteraugli {6}\d\.\d{3} .*\n +5\d\.\d {2}190x158 at 0,0\n$/,
      )
      expect(readFileSync(join(place, 'd.png')).subarray(1, 4).toString()).toBe('PNG')
    } finally {
      rmSync(place, { recursive: true })
    }
  })
  it('replaces a difference by a whole file, and refuses a folder before the work', () => {
    const place = mkdtempSync(join(tmpdir(), 'whittle-compare-'))
    try {
      const [target, link] = [join(place, 'd.png'), join(place, 'old.png')]
      writeFileSync(target, 'old', { mode: 0o640 })
      linkSync(target, link)
      expect(run('compare', photo, photo, '--difference', target).status).toBe(0)
      // The old file was replaced and not written to.
      expect(readFileSync(link, 'utf8')).toBe('old')
      expect(readFileSync(target).subarray(1, 4).toString()).toBe('PNG')
      expect([statSync(target).mode & 0o777, readdirSync(place).length]).toEqual([0o640, 2])
      expect(run('compare', photo, photo, '--difference', place)).toMatchObject({
        status: 1,
        stdout: '',
        stderr: `whittle: ${place}: Only a file can be replaced.\n`,
      })
    } finally {
      rmSync(place, { recursive: true })
    }
  })
  it('prints the figures where the difference cannot be written', () => {
    const { status, stdout, stderr } = run('compare', photo, photo, '--difference', join(tmpdir(), 'd'.repeat(300)))
    expect([status, stdout]).toEqual([1, expect.stringContaining('SSIMULACRA 2.1   100.00')])
    expect(stderr).toContain('The name of the result is too long.')
  })
  it('reports files that cannot be compared', () => {
    expect(run('compare', photo, join(FIXTURES, 'http/wide.png'))).toMatchObject({ status: 1 })
    expect(run('compare', photo, join(FIXTURES, 'http/wide.png')).stderr).toContain(
      'only images of the same size can be compared',
    )
    expect(run('compare', photo, photo, '--report', 'xml')).toMatchObject({
      status: 2,
      stderr: 'whittle: --report xml is wrong: expected text or json.\n',
    })
    expect(run('compare', photo, photo, '--difference', 'nowhere/d.png')).toMatchObject({
      status: 1,
      stderr: 'whittle: nowhere/d.png: There is no such folder.\n',
    })
    expect(run('compare', photo, 'nowhere').stderr).toBe(
      'whittle: nowhere: There is no such file, or it may not be read.\n',
    )
    const text = resolve(import.meta.dirname, 'tools.test.ts')
    expect(run('compare', photo, text).stderr).toMatch(`whittle: ${text}: The source is not an image: it looks like`)
  })
})

describe('a command that takes no arguments', () => {
  it('names the argument that it was given, and exits with 2', () => {
    expect(run('serve', '--port=80')).toMatchObject({
      status: 2,
      stderr:
        'whittle: serve takes no "--port=80". Its settings are environment variables, such as PORT: see docs/settings.md.\n',
    })
  })
})

describe('completion and manual', () => {
  it('bash completes commands and flags', () => {
    const complete = (...words: string[]): string[] => {
      const script = `eval "$1"; COMP_WORDS=(whittle ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _whittle; printf '%s\\n' "\${COMPREPLY[@]}"`
      return execFileSync('bash', ['-c', script, 'bash', run('completion', 'bash').stdout], { encoding: 'utf8' })
        .trim()
        .split('\n')
    }
    expect(complete('opt')).toEqual(['optimise'])
    expect(complete('optimise', '--in')).toEqual(['--in-place'])
    expect(complete('optimise', '--quality', 'h')).toEqual(['high'])
    expect(complete('completion', 'z')).toEqual(['zsh'])
  })
  it.each(['zsh', 'fish'])('completion for %s has every flag', (shell) => {
    const { stdout } = run('completion', shell)
    for (const name of Object.keys(OPTIMISE_FLAGS))
      expect(stdout).toContain(shell === 'fish' ? `-l ${name}` : `--${name}[`)
  })
  it('the manual page and the help name every command', () => {
    for (const text of [run('man').stdout, run('--help').stdout])
      for (const name of Object.keys(CLI_COMMANDS)) expect(text).toContain(name)
    expect(run('optimise', '--help').stdout).toContain('--in-place')
  })
})
