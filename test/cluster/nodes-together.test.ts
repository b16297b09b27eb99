import { afterAll, describe } from 'vitest'
import { startCluster } from './cluster.ts'
import { testDelivery } from './delivering.ts'
import { testFairness } from './fairness.ts'
import { testMixed } from './mixed.ts'
import { testSharing } from './sharing.ts'
import { printTable } from './table.ts'

const cluster = await startCluster()
afterAll(async () => {
  printTable()
  await cluster[Symbol.asyncDispose]()
})

describe('three nodes behind nginx on PostgreSQL, Redis and S3', () => {
  testSharing(cluster)
  testDelivery(cluster)
  testFairness(cluster)
  testMixed(cluster)
})
