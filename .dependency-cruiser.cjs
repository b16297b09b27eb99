/** Put into the built files by scripts/bundle-mediabunny.ts. */
const BUNDLED = '^node_modules/mediabunny/'
/** Packages that only those install who set DATABASE_URL, RESULTS_URL or REDIS_URL, or run `whittle mcp`: optional peers, and here for the tests. */
const OPTIONAL = '^node_modules/(pg|@types/pg|@aws-sdk/client-s3|@smithy|bullmq|ioredis|@modelcontextprotocol/sdk|zod)/'

const ROOMS = require('./.import-rules.cjs')

const within = (rooms) => `^src/(${rooms.join('|')})/`

module.exports = {
  forbidden: [
    ...Object.entries(ROOMS).map(([room, allowed]) => ({
      name: `${room}-imports-only-${allowed.join('-') || 'itself'}`,
      severity: 'error',
      from: { path: `^src/${room}/`, pathNot: '\\.test\\.ts$' },
      to: { path: '^src/', pathNot: within([room, ...allowed]) },
    })),
    { name: 'no-cycles', severity: 'error', from: { path: '^(src|packages/client/src)/' }, to: { circular: true } },
    {
      name: 'nothing-imports-the-command-line',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/cli/' },
      to: { path: '^src/cli/' },
    },
    {
      name: 'only-the-engine-knows-its-child',
      comment: 'What runs in the child process is reached through the pool and its messages alone.',
      severity: 'error',
      from: { path: '^src/', pathNot: '(^src/engine/child/)|(\\.test\\.ts$)' },
      to: { path: '^src/engine/child/' },
    },
    {
      name: 'the-child-does-not-know-its-pool',
      severity: 'error',
      from: { path: '^src/engine/child/' },
      to: { path: '^src/engine/pool/' },
    },
    {
      name: 'transcoding-without-the-search',
      comment: 'Lossless JPEG transcoding is readable without the quantiser and the search.',
      severity: 'error',
      from: { path: '^src/jpeg/bitstream/', pathNot: '\\.test\\.ts$' },
      to: { path: '^src/jpeg/(quantiser|search)/' },
    },
    {
      name: 'the-quantiser-without-the-search',
      severity: 'error',
      from: { path: '^src/jpeg/quantiser/', pathNot: '\\.test\\.ts$' },
      to: { path: '^src/jpeg/search/' },
    },
    { name: 'no-barrels', severity: 'error', from: {}, to: { path: '^src/.*/index\\.ts$' } },
    {
      name: 'no-unlisted-packages',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.test\\.ts$' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown'],
        pathNot: `^node:|${OPTIONAL}|${BUNDLED}`,
      },
    },
    {
      name: 'sharp-stays-in-child-processes',
      severity: 'error',
      from: {
        path: '^src/(core|support|options|plan|source|ports|adapters|jobs|service|server|settings|start)/',
        pathNot: '\\.test\\.ts$',
      },
      to: { path: 'node_modules/sharp/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default'] },
  },
}
