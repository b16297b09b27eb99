import { afterAll, describe } from 'vitest'
import { startCluster } from './cluster.ts'

import { printTable } from './table.ts'
import { testThroughput } from './throughput.ts'

const cluster = await startCluster()
afterAll(async () => {
  printTable()
  await cluster[Symbol.asyncDispose]()
})

describe('three nodes behind nginx on PostgreSQL, Redis and S3', () => {
  testThroughput(cluster)
})
