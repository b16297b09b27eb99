import { defineConfig } from 'vitest/config'

const common = { pool: 'forks', maxWorkers: 2, testTimeout: 60_000, hookTimeout: 60_000 } as const

/** What the contract says of requests and answers, whichever node they meet; what is left out looks into one process, at its socket or its clock, or at pixels, which no node changes. */
const CONTRACT = ['accounts', 'deferred', 'options', 'sharing', 'source']

// Real PostgreSQL, Redis, S3 and nginx, from Debian packages on loopback: npm run test:cluster.
export default defineConfig({
  test: {
    projects: [
      { test: { ...common, name: 'cluster', include: ['test/cluster/**/*.test.ts'] } },
      {
        test: {
          ...common,
          name: 'contract',
          include: CONTRACT.map((name) => `test/http/${name}.test.ts`),
          globalSetup: 'test/cluster/servers/shared-stores.ts',
        },
      },
    ],
  },
})
