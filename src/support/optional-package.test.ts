import { describe, expect, it } from 'vitest'
import { loadOptional } from './optional-package.ts'

const wanted = { name: 'whittle-no-such-package', setting: 'SOME_URL' }
/** Imports by a computed name, so that the compiler does not resolve it. */
const load = (name: string): Promise<unknown> => import(/* @vite-ignore */ name)

describe('an optional package', () => {
  it('an installed package is loaded', async () => {
    expect(await loadOptional({ name: 'node:os', setting: 'X' }, () => load('node:os'))).toHaveProperty('cpus')
  })

  it('the error for a missing package names its setting and how to install it', async () => {
    await expect(
      loadOptional(wanted, async () => {
        throw Object.assign(new Error("Cannot find package 'whittle-no-such-package' imported from x"), {
          code: 'ERR_MODULE_NOT_FOUND',
        })
      }),
    ).rejects.toThrow(
      'SOME_URL needs the package "whittle-no-such-package", which is not installed. Install it next to Whittle: npm install whittle-no-such-package',
    )
  })

  it('a package that fails for another reason rejects with it', async () => {
    await expect(loadOptional(wanted, () => Promise.reject(new Error('broken inside')))).rejects.toThrow(
      'broken inside',
    )
  })
})
