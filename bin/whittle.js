#!/usr/bin/env node
// Plain old JavaScript, so that an older Node can say what is wrong.
if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    'whittle: Node 24 or newer is needed, and this is Node ' +
      process.versions.node +
      '. Install it, for example with: npm install -g node@24. In a checkout, npm ci brings one: use ./whittle there.',
  )
  process.exit(1)
}
// A checkout runs its own sources; the published package has only what was built from them.
import('node:fs')
  .then(({ existsSync }) =>
    existsSync(new URL('../src/cli/main.ts', import.meta.url))
      ? import('../src/cli/main.ts')
      : import('../dist/cli/main.js'),
  )
  .catch((error) => {
    console.error(error)
    process.exit(1)
  })
