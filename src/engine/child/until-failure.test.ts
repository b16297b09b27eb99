import { expect, it } from 'vitest'
import { fail } from '../../core/failure.ts'
import { untilFailure } from './until-failure.ts'

async function* failing(error: unknown): AsyncGenerator<string> {
  yield 'first'
  throw error
}

const run = async (error: unknown) => {
  const yielded: string[] = []
  const failures: unknown[] = []
  const search = untilFailure(failing(error), (failure) => void failures.push(failure))
  for await (const candidate of search) yielded.push(candidate)
  return { yielded, failures }
}

it('keeps the candidates of an encoder that fails later', async () => {
  const refused = new Error('Failed to allocate frame buffer')
  expect(await run(refused)).toEqual({ yielded: ['first'], failures: [refused] })
})

it('passes on a failure that has an answer of its own', async () => {
  await expect(run(fail('WORK_TOO_SLOW'))).rejects.toThrow()
  await expect(run(Object.assign(new Error('no space'), { code: 'ENOSPC' }))).rejects.toThrow('no space')
})
