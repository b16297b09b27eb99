import { expect, test } from 'vitest'
import { openInProcessJobs } from '../../src/adapters/jobs/in-process.ts'
import { describeJobs } from './jobs-contract.ts'

describeJobs('in process', async () => openInProcessJobs<string>())

test('the age of the oldest work is told', async () => {
  let now = 1000
  const jobs = openInProcessJobs<void>({ now: () => now })
  const { promise, resolve } = Promise.withResolvers<void>()
  const flight = jobs.run('a', () => promise, new AbortController().signal)
  now = 5000
  expect(jobs.underWay().oldestMs).toBe(4000)
  resolve()
  await flight.promise
})
