import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { interfaceFileOf, interfaceOf } from '../../scripts/kernel-interface.ts'

const ROOT = join(import.meta.dirname, '../..')
const KERNELS = readdirSync(join(ROOT, 'kernels')).filter((name) => name !== 'common')

it.each(KERNELS)('the interface of the kernel %s is the one that `npm run kernels` writes', (name) => {
  const written = interfaceOf(join(ROOT, 'kernels', name), name)
  expect(readFileSync(interfaceFileOf(ROOT, name)!, 'utf8')).toBe(written)
  expect(written).toContain('readonly memory: WebAssembly.Memory')
})
