import { afterAll, describe } from 'vitest'
import { startCluster } from './cluster.ts'
import { testDeaths } from './deaths.ts'
import { testOutages } from './outages.ts'
import { testRestarts } from './restarts.ts'
import { printTable } from './table.ts'

const cluster = await startCluster()
afterAll(async () => {
  printTable()
  await cluster[Symbol.asyncDispose]()
})

describe('three nodes behind nginx on PostgreSQL, Redis and S3', () => {
  testRestarts(cluster)
  testOutages(cluster)
  testDeaths(cluster)
})
