import { startCeph } from './ceph.ts'
import { startPostgres } from './postgres.ts'

/** Where the tests of the HTTP contract find the stores that nodes share; see ../contract-case.ts. */
export interface SharedStores {
  /** A PostgreSQL on which databases may be made. */
  readonly postgres: string
  /** A bucket, as RESULTS_URL names it. */
  readonly results: string
}

/** Starts the stores once for all test files, which find them in the environment. vitest calls the returned function at the end. */
export default async (): Promise<() => Promise<void>> => {
  const [postgres, s3] = await Promise.all([startPostgres(), startCeph()])
  const stores: SharedStores = { postgres: postgres.url, results: await s3.newBucket('contract') }
  process.env['WHITTLE_TEST_STORES'] = JSON.stringify(stores)
  process.env['AWS_ACCESS_KEY_ID'] = s3.keys.accessKeyId
  process.env['AWS_SECRET_ACCESS_KEY'] = s3.keys.secretAccessKey
  return async () => {
    await Promise.all([postgres, s3].map((store) => store[Symbol.asyncDispose]()))
  }
}
