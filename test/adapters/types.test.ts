import { execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const TSC = resolve(import.meta.dirname, '../../node_modules/typescript/bin/tsc')

it("the adapters' exports have the frameworks' own types", () => {
  const compile = (): string => {
    try {
      return execFileSync(process.execPath, [TSC, '-p', join(import.meta.dirname, 'types')], { encoding: 'utf8' })
    } catch (error) {
      return (error as { stdout: string }).stdout
    }
  }
  expect(compile()).toBe('')
})
