import { defineConfig } from 'vitest/config'

/** Searches of whole images and animations, by format and option: `npm run test:images`. Coverage counts them too. */
export const IMAGES = [
  'test/engine/targets.test.ts',
  'test/http/motion.test.ts',
  'test/http/pixels.test.ts',
  'test/motion/gif.test.ts',
  'test/motion/video.test.ts',
]

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // These start Chromium (npm run test:browser, test:site), servers of the system (npm run test:cluster), frameworks (npm run test:adapters), and what examples name (npm run test:docs).
    exclude: [
      'test/adapters/**',
      'test/docs/examples.test.ts',
      'test/browser/**',
      'test/site/**',
      'test/cluster/**',
      'test/leaks/**',
      ...(process.argv.includes('--coverage') ? [] : IMAGES),
      '**/node_modules/**',
    ],
    // Services and their children start in half the time when what they compiled is kept.
    env: { NODE_COMPILE_CACHE: new URL('node_modules/.cache/compiled', import.meta.url).pathname },
    globalSetup: 'test/temporary-directory.ts',
    setupFiles: 'test/remove-scratch.ts',
    pool: 'forks',
    // No test replaces modules: files of one process may share what was loaded.
    isolate: false,
    // More than there are cores here: tests wait for services, children and clocks.
    maxWorkers: 4,
    // Children and pages are not counted: what runs there alone is proved by the tests over HTTP and in browsers.
    coverage: {
      include: ['src/**'],
      exclude: ['src/playground/**', '**/*.test.ts'],
      reporter: ['text-summary', 'json-summary'],
      // Measured 88.6, 83.3, 87.1, 89.9.
      thresholds: { statements: 88, branches: 82.5, functions: 86.5, lines: 89 },
    },
    testTimeout: 30_000,
    // Busy machines take their time.
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 30_000,
  },
})
