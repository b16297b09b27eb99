import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { readNumber, readNumbers } from '../../bench/corpus/help.ts'
import type { Call, Ended } from './run-commands.ts'

const pathOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const { scripts } = JSON.parse(readFileSync(pathOf('package.json'), 'utf8')) as { scripts: Record<string, string> }
const BENCHES = readdirSync(pathOf('bench')).filter((name) => name.endsWith('.ts'))
const PROGRAMS = [
  ...BENCHES.map((name) => `bench/${name}`),
  'scripts/check-optimise.ts',
  'scripts/simulate.ts',
  'test/fuzz/run.ts',
]

/** A wrong call and the first line of what is said about it. */
type WrongCall = readonly [program: string, args: readonly string[], line: string]

const WRONG_CALLS: readonly WrongCall[] = [
  ['bench/address.ts', ['--ipx', '.', '/no/such/folder'], '/no/such/folder does not exist'],
  ['bench/budget.ts', ['/no/such/folder', '3'], '/no/such/folder does not exist'],
  ['bench/jxl.ts', ['--turbo', '.'], "Unknown option '--turbo'; --help lists what there is"],
  ['bench/load.ts', ['--images', '--workers'], "Option '--images' argument is ambiguous; --help lists what there is"],
  ['bench/identify.ts', ['here'], "Unexpected argument 'here'; --help lists what there is"],
  [
    'bench/formats.ts',
    ['--quality', 'best', '.'],
    '--quality takes low, medium or high, not "best"; --help lists what there is',
  ],
  ['test/fuzz/run.ts', ['--from', '0', 'options', 'nothing'], 'nothing is no target; --help lists them'],
]

const WRONG_NUMBERS: readonly WrongCall[] = [
  ['bench/address.ts', ['--ipx', '.', '--rounds', 'x', '.'], '--rounds takes a number above 0, not "x"'],
  ['bench/growth.ts', ['--sizes', '4,', '.'], '--sizes takes a number above 0, not ""'],
  ['bench/deadline.ts', ['--timeouts', '1,-2', '.'], '--timeouts takes a number above 0, not "-2"'],
  ['bench/memory.ts', ['--images', '0', '.'], '--images takes a number above 0, not "0"'],
  ['bench/formats.ts', ['--limit', 'Infinity', '.'], '--limit takes a number above 0, not "Infinity"'],
  ['scripts/check-optimise.ts', ['--files', 'all', '.'], '--files takes a number above 0, not "all"'],
  ['scripts/simulate.ts', ['--nodes', 'x'], '--nodes takes a number above 0, not "x"'],
  ['test/fuzz/run.ts', ['--cases', '0'], '--cases takes a number above 0, not "0"'],
  ['test/fuzz/run.ts', ['--from', '1.5'], '--from takes a whole number from 0 on, not "1.5"'],
]

const CALLS: readonly Call[] = [
  ...PROGRAMS.map((program): Call => [program, ['--help']]),
  ...[...WRONG_CALLS, ...WRONG_NUMBERS].map(([program, args]): Call => [program, args]),
]
const nameOf = ([program, args]: Call): string => JSON.stringify([program, ...args])

/** How package.json calls a program, or else node. */
const usageOf = (program: string): string => {
  const call = `node ${program}`
  const script = Object.keys(scripts).find((name) => scripts[name] === call)
  return `\nUsage: ${script === undefined ? call : `npm run ${script}`}`
}

describe('the command line of a bench or a script', () => {
  const ended = new Map<string, Ended>()

  beforeAll(() => {
    const calls = JSON.stringify(CALLS.map(([program, args]) => [pathOf(program), args]))
    const output = execFileSync(process.execPath, [pathOf('test/bench/run-commands.ts'), calls], {
      encoding: 'utf8',
      maxBuffer: 1e7,
    })
    for (const [at, end] of (JSON.parse(output) as Ended[]).entries()) ended.set(nameOf(CALLS[at]!), end)
  })
  const endOf = (...call: Call): Ended => ended.get(nameOf(call))!

  it.each(PROGRAMS)('%s --help prints the usage and exits with 0', (program) => {
    const { code, stdout, stderr } = endOf(program, ['--help'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain(usageOf(program))
    expect(stdout).toContain('\n  --help ')
  })

  it.each(WRONG_CALLS)('%s with %j prints one line and exits with 2', (program, args, line) => {
    const { code, stderr } = endOf(program, args)
    expect([code, stderr]).toEqual([2, `${line}\n`])
  })

  it.each(WRONG_NUMBERS)('%s with %j prints the option and the help, and exits with 2', (program, args, line) => {
    const { code, stdout, stderr } = endOf(program, args)
    expect([code, stdout, stderr.split('\n')[0]]).toEqual([2, '', line])
    expect(stderr).toContain(usageOf(program))
  })

  it('reads numbers above 0, and lists of them', () => {
    expect(readNumber('', '--limit', '2.5')).toBe(2.5)
    expect(readNumbers('', '--sizes', '4,12')).toEqual([4, 12])
  })
})
