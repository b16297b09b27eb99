import { defineConfig } from 'vitest/config'

/** Thousands of requests to one service, and what is left of them. */
export default defineConfig({
  test: { include: ['test/leaks/**/*.test.ts'], pool: 'forks', maxWorkers: 1, hookTimeout: 60_000 },
})
