import { defineConfig } from 'vitest/config'

/** Every command and program of README and docs/, as it stands: needs bash, curl, git, Python and PHP. */
export default defineConfig({
  test: {
    include: ['test/docs/examples.test.ts'],
    env: { NODE_COMPILE_CACHE: new URL('node_modules/.cache/compiled', import.meta.url).pathname },
    pool: 'forks',
    maxConcurrency: 4,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
})
