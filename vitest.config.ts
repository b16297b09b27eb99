import { join } from 'node:path'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'

type ProjectOptions = NonNullable<TestProjectInlineConfiguration['test']>

/** Searches of whole images, and whole programs that search: a file that takes more than 3 s of CPU. `npm run test:images` runs them. */
const IMAGES = [
  'test/action/action.test.ts',
  'test/attention/damaged-models.test.ts',
  'test/attention/detectors.test.ts',
  'test/attention/find-focus.test.ts',
  'test/attention/same-answer.test.ts',
  'test/audit/audit.test.ts',
  'test/cli/mcp.test.ts',
  'test/cli/optimise-run.test.ts',
  'test/cli/tools.test.ts',
  'test/engine/both-metrics.test.ts',
  'test/engine/budget.test.ts',
  'test/engine/drawing-budget.test.ts',
  'test/engine/jxl.test.ts',
  'test/engine/kernel-vectors.test.ts',
  'test/engine/pool.test.ts',
  'test/engine/properties.test.ts',
  'test/engine/rounds.test.ts',
  'test/engine/targets.test.ts',
  'test/formats/anytime.test.ts',
  'test/formats/avif-tiles.test.ts',
  'test/formats/avif.test.ts',
  'test/formats/levels.test.ts',
  'test/formats/png.test.ts',
  'test/formats/webp-nearest.test.ts',
  'test/formats/webp.test.ts',
  'test/fuzz/targets.test.ts',
  'test/golden/ssimulacra2.test.ts',
  'test/http/delivery.test.ts',
  'test/http/focus.test.ts',
  'test/http/gamut.test.ts',
  'test/http/motion.test.ts',
  'test/http/partial-result.test.ts',
  'test/http/pixels.test.ts',
  'test/http/rights.test.ts',
  'test/jxl/from-jpeg.test.ts',
  'test/library/library.test.ts',
  'test/motion/apng.test.ts',
  'test/motion/gif-coder.test.ts',
  'test/motion/gif-kernel.test.ts',
  'test/motion/gif.test.ts',
  'test/motion/video.test.ts',
  'test/motion/webp-source.test.ts',
  'test/motion/webp.test.ts',
]

/** Folders of tests that start browsers, servers of the system, frameworks or what examples name. */
const APART = ['adapters', 'browser', 'chart', 'cluster', 'docs', 'leaks', 'site', 'wordpress']

/** Tests of one process's sockets, descriptors, data directory, log and queue: three nodes cannot pass them. */
const OF_ONE_PROCESS = [
  'test/http/body-file.test.ts',
  'test/http/connections.test.ts',
  'test/http/load.test.ts',
  'test/http/machine.test.ts',
  'test/http/playground.test.ts',
  'test/http/secrets.test.ts',
  'test/http/slow-reader.test.ts',
  'test/http/telemetry.test.ts',
]

// Services and their children start in half the time when what they compiled is kept.
const env = { NODE_COMPILE_CACHE: new URL('node_modules/.cache/compiled', import.meta.url).pathname }

/** Limits of a test that hangs. A busy machine stays below them: with 25 processes on two cores a test of 1.5 s of CPU took 35 s. */
const patient: ProjectOptions = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
}

/** Tests that share processes: none of them replaces modules, so files may share what was loaded. */
const sharing: ProjectOptions = {
  env,
  globalSetup: 'test/temporary-directory.ts',
  setupFiles: 'test/remove-scratch.ts',
  isolate: false,
  // More than there are cores here: tests wait for services, children and clocks. Six load modules for longer than they wait.
  maxWorkers: 4,
}

/** Tests of several nodes: more workers than cores here too, since most of a test waits for servers, kills and leases. */
const ofManyNodes: ProjectOptions = { maxWorkers: 3, hookTimeout: 240_000, testTimeout: 240_000 }

const PROJECTS: Readonly<Record<string, ProjectOptions>> = {
  unit: {
    ...sharing,
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: [...APART.map((name) => `test/${name}/**`), ...IMAGES, '**/node_modules/**'],
  },
  images: { ...sharing, include: IMAGES, testTimeout: 180_000 },
  // Builds by the real frameworks, each in a process of its own, against a running service.
  adapters: { globalSetup: 'test/adapters/pack.ts', maxWorkers: 2, testTimeout: 240_000, hookTimeout: 240_000 },
  browser: {
    globalSetup: 'test/temporary-directory.ts',
    setupFiles: 'test/remove-scratch.ts',
    maxWorkers: 1,
  },
  // The chart by the real Helm and kubeconform, which Go builds where they are missing.
  chart: { hookTimeout: 600_000 },
  // Real PostgreSQL, Redis, S3 and nginx, from Debian packages on loopback.
  cluster: ofManyNodes,
  // The tests over HTTP, asked of three nodes behind nginx.
  contract: {
    include: ['test/http/*.test.ts'],
    exclude: OF_ONE_PROCESS,
    globalSetup: 'test/cluster/servers/shared-stores.ts',
    ...ofManyNodes,
  },
  // Every command and program of README and docs/, as it stands: needs bash, curl, git, Python, PHP and Ruby.
  docs: { env, maxConcurrency: 4 },
  // Thousands of requests to one service, then its memory and files.
  leaks: { maxWorkers: 1 },
  site: { maxWorkers: 1 },
  // A real WordPress on MariaDB, PHP-FPM and nginx, from Debian packages on loopback, used in Chromium.
  wordpress: { setupFiles: 'test/remove-scratch.ts', maxWorkers: 1, testTimeout: 500_000, hookTimeout: 120_000 },
}

/** `vitest run FILE` runs the file once: the contract's project, which has files of `unit` too, is there when it is named. */
const isOffered = (name: string): boolean => name !== 'contract' || process.argv.includes('--project=contract')

/** Projects run one after another, but `contract` runs together with `cluster`: that leaves no worker without a file. */
const groupOf = (name: string): number => Object.keys(PROJECTS).indexOf(name === 'contract' ? 'cluster' : name)

export default defineConfig({
  test: {
    projects: Object.entries(PROJECTS)
      .filter(([name]) => isOffered(name))
      .map(([name, options]) => ({
        test: {
          include: [join('test', name, '*.test.ts')],
          ...patient,
          ...options,
          name,
          pool: 'forks' as const,
          sequence: { groupOrder: groupOf(name) },
        },
      })),
    // Children and pages are not counted: what runs there alone is proved by the tests over HTTP and in browsers.
    coverage: {
      include: ['src/**'],
      exclude: ['src/playground/**', '**/*.test.ts'],
      reporter: ['text-summary', 'json-summary'],
      // Measured 88.6, 83.3, 87.1, 89.9.
      thresholds: { statements: 88, branches: 82.5, functions: 86.5, lines: 89 },
    },
  },
})
