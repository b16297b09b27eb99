import { defineConfig } from 'vitest/config'

const common = { pool: 'forks', maxWorkers: 2, testTimeout: 60_000, hookTimeout: 60_000 } as const

/** Tests that look into one process: at its sockets, descriptors, data directory, log and queue, at what it shows on its own machine alone. */
const OF_ONE_PROCESS = [
  'body-file',
  'connections',
  'load',
  'machine',
  'playground',
  'secrets',
  'slow-reader',
  'telemetry',
]

// Real PostgreSQL, Redis, S3 and nginx, from Debian packages on loopback: npm run test:cluster.
export default defineConfig({
  test: {
    projects: [
      { test: { ...common, name: 'cluster', include: ['test/cluster/**/*.test.ts'] } },
      {
        test: {
          ...common,
          name: 'contract',
          include: ['test/http/*.test.ts'],
          exclude: OF_ONE_PROCESS.map((name) => `test/http/${name}.test.ts`),
          globalSetup: 'test/cluster/servers/shared-stores.ts',
        },
      },
    ],
  },
})
