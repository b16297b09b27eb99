import { describe, expect, it } from 'vitest'
import { loadOptional } from './optional-package.ts'

const wanted = { name: 'whittle-no-such-package', setting: 'SOME_URL' }
/** Keeps the compiler from looking for what is not there. */
const load = (name: string): Promise<unknown> => import(/* @vite-ignore */ name)

describe('a package that only some need', () => {
  it('is loaded when it is there', async () => {
    expect(await loadOptional({ name: 'node:os', setting: 'X' }, () => load('node:os'))).toHaveProperty('cpus')
  })

  it('that is missing is named with its setting and how to install it', async () => {
    await expect(
      loadOptional(wanted, async () => {
        throw Object.assign(new Error("Cannot find package 'whittle-no-such-package' imported from x"), {
          code: 'ERR_MODULE_NOT_FOUND',
        })
      }),
    ).rejects.toThrow(
      'SOME_URL needs the package "whittle-no-such-package", which is not installed. Install it beside Whittle: npm install whittle-no-such-package',
    )
  })

  it('that fails for another reason fails with that reason', async () => {
    await expect(loadOptional(wanted, () => Promise.reject(new Error('broken inside')))).rejects.toThrow(
      'broken inside',
    )
  })
})
