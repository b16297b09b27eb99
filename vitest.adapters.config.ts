import { defineConfig } from 'vitest/config'

/** Builds by the real frameworks, each in a process of its own, against a running service: npm run test:adapters. */
export default defineConfig({
  test: {
    include: ['test/adapters/*.test.ts'],
    globalSetup: 'test/adapters/pack.ts',
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
