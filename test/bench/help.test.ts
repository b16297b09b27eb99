import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { readNumber, readNumbers } from '../../bench/corpus/help.ts'

const pathOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const { scripts } = JSON.parse(readFileSync(pathOf('package.json'), 'utf8')) as { scripts: Record<string, string> }
const BENCHES = readdirSync(pathOf('bench')).filter((name) => name.endsWith('.ts'))

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const run = (bench: string, args: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const child = execFile(process.execPath, [pathOf(`bench/${bench}`), ...args], (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? Number.NaN, stdout, stderr }),
    )
  })

/** As package.json calls it, where it does. */
const usageOf = (bench: string): string => {
  const call = `node bench/${bench}`
  const script = Object.keys(scripts).find((name) => scripts[name] === call)
  return `\nUsage: ${script === undefined ? call : `npm run ${script}`}`
}

it.concurrent.each(BENCHES)('bench/%s says how it is called', async (bench) => {
  const { code, stdout, stderr } = await run(bench, ['--help'])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain(usageOf(bench))
  expect(stdout).toContain('\n  --help ')
}, 120_000)

it.concurrent.each([
  ['address.ts', ['--ipx', '.', '/no/such/folder'], '/no/such/folder does not exist\n'],
  ['budget.ts', ['/no/such/folder', '3'], '/no/such/folder does not exist\n'],
  ['jxl.ts', ['--turbo', '.'], "Unknown option '--turbo'; --help lists what there is\n"],
  ['load.ts', ['--images', '--workers'], "Option '--images' argument is ambiguous; --help lists what there is\n"],
  ['identify.ts', ['here'], "Unexpected argument 'here'; --help lists what there is\n"],
] as const)(
  'bench/%s ends with one line for %j',
  async (bench, args, line) => {
    const { code, stderr } = await run(bench, args)
    expect([code, stderr]).toEqual([1, line])
  },
  120_000,
)

it.concurrent.each([
  ['address.ts', ['--ipx', '.', '--rounds', 'x', '.'], '--rounds takes a number above 0, not "x"'],
  ['growth.ts', ['--sizes', '4,', '.'], '--sizes takes a number above 0, not ""'],
  ['deadline.ts', ['--timeouts', '1,-2', '.'], '--timeouts takes a number above 0, not "-2"'],
  ['memory.ts', ['--images', '0', '.'], '--images takes a number above 0, not "0"'],
  ['formats.ts', ['--limit', 'Infinity', '.'], '--limit takes a number above 0, not "Infinity"'],
] as const)(
  'bench/%s exits with 2 and its help for %j',
  async (bench, args, line) => {
    const { code, stdout, stderr } = await run(bench, args)
    expect([code, stdout, stderr.split('\n')[0]]).toEqual([2, '', line])
    expect(stderr).toContain(usageOf(bench))
  },
  120_000,
)

it('reads numbers above 0, and lists of them', () => {
  expect(readNumber('', '--limit', '2.5')).toBe(2.5)
  expect(readNumbers('', '--sizes', '4,12')).toEqual([4, 12])
})
