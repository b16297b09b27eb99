import { defineConfig } from 'vitest/config'

// Real PostgreSQL, Redis, S3 and nginx, from Debian packages on loopback: npm run test:cluster.
export default defineConfig({
  test: {
    include: ['test/cluster/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
