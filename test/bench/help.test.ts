import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const run = (bench: string, args: readonly string[]) => {
  const path = fileURLToPath(new URL(`../../bench/${bench}.ts`, import.meta.url))
  const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...args], { encoding: 'utf8' })
  return { status, stdout, stderr }
}

it.each(['preset-table', 'known', 'address', 'sweep'])('%s says how it is called', (bench) => {
  const { status, stdout } = run(bench, ['--help'])
  expect(status).toBe(0)
  expect(stdout).toContain('Usage: npm run bench:')
})

it('bench:address ends with one line for a folder that does not exist', () => {
  const { status, stderr } = run('address', ['--ipx', '.', '/no/such/folder'])
  expect([status, stderr]).toEqual([1, '/no/such/folder does not exist\n'])
})
