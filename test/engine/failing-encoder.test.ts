import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { CODECS } from '../../src/formats/registry.ts'
import { run } from './run.ts'

const PHOTO = await readFile(resolve(import.meta.dirname, '../fixtures/pixels/pillow__hopper_orientation_2.jpg'))

afterEach(() => vi.restoreAllMocks())

const failOn = (format: 'jpeg' | 'png'): void => {
  vi.spyOn(CODECS[format], 'search').mockImplementation(async function* () {
    yield* []
    throw new Error('Failed to allocate frame buffer')
  })
}

it('says that the answer is the untouched source because its encoder failed, also where the source itself is a candidate', async () => {
  failOn('jpeg')
  const { result } = await run(PHOTO, { options: 'full,format=jpeg' })
  expect(result.untouched).toBe(true)
  expect(result.warnings.join()).toContain('JPEG could not be encoded: this is the untouched source')
})

it('says nothing of an encoder that failed where another format is the answer', async () => {
  failOn('png')
  const { result, format } = await run(PHOTO, { options: '20' })
  expect(format).toBe('jpeg')
  expect(result.warnings.join()).not.toContain('could not be encoded')
})
