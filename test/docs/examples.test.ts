import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Case, FIXTURES, start } from '../http/start.ts'
import { type Example, examplesOf, isRunnable, PAGES, ROOT, runExample, substituted } from './examples.ts'

/** The few that are not run, by how they begin, and why. */
const NOT_RUN: readonly (readonly [begins: string, why: string])[] = [
  ['npm ci && npm start', 'installs from the registry'],
  ['npm ci\nnpm start', 'installs from the registry'],
  ['whittle audit https://www.example.com', 'asks a site on the internet'],
  ['npm run bench:eye', 'takes a corpus and many minutes'],
  ['npm ci && rm -r', 'deletes packages of this checkout'],
  ['npm pack', 'run by install.test.ts'],
  ['docker ', 'needs a container engine'],
  ['helm ', 'needs a cluster'],
  ['kubectl ', 'needs a cluster'],
  ['(umask 077 && echo "WHITTLE_PASSWORD', 'needs a container engine'],
  ['pg_dump ', 'needs a database'],
]

/** Context of examples: named by page and language. */
const AROUND: Readonly<Record<string, string>> = {
  'docs/delivery.md python': `import base64, hmac\nkey, options, source = 'key', 'full', 'https://example.com/photo.jpg'\n`,
  'docs/delivery.md php': `<?php\n[$key, $options, $source] = [strtok(shell_exec('whittle accounts keys shop'), "\\n"), 'full', 'https://example.com/photo.jpg'];\n`,
  'docs/design/metric.md ts': `import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
const { data, info: { width, height } } = await sharp('photo.png').removeAlpha().raw().toBuffer({ resolveWithObject: true })
const raster = { data, width, height, channels: 3 as const, hasAlpha: false }
const [candidate, density] = [raster, 1 as const]
`,
  'packages/client/README.md js': `import { readFile } from 'node:fs/promises'
import { whittle as open } from '@whittle-images/client'
const given = { file: await readFile('photo.png'), source: 'https://example.com/photo.png', key: process.env['KEY'] }
Object.assign(globalThis, given, { images: open('http://127.0.0.1:8080', 'demo') })
`,
  'docs/audit.md sh': `mkdir -p public && cp photo.jpg public/audited.jpg && whittle optimise --in-place public/audited.jpg && echo '<img src=audited.jpg>' > public/index.html\n`,
  'docs/guides/ci.md sh': '[ -d .git ] || git init -q .; git add public\n',
}

/** Files and folders that examples name. */
const PICTURES = [
  'photo.jpg',
  'photo.png',
  'a.png',
  'b.png',
  'source.png',
  'full.jpg',
  'result.jpg',
  ...['photos', 'public', 'images', 'products', 'looks', 'wp-content/uploads', 'pub/media/catalog'].flatMap(
    (folder) => [`${folder}/one.png`],
  ),
]

let service: Case
let place: string
let key: string
beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'whittle-docs-'))
  const photo = await sharp(join(FIXTURES, 'jpeg/kodim23-190x158.png')).resize(64).png().toBuffer()
  writeFileSync(join(place, 'photo.png'), photo)
  writeFileSync(join(place, 'photo.jpg'), await sharp(photo).jpeg({ quality: 95 }).toBuffer())
  mkdirSync(join(place, 'bin'))
  const command = `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, 'src/cli/main.ts')}' "$@"\n`
  writeFileSync(join(place, 'bin/whittle'), command, { mode: 0o755 })
  service = await start({ demo: true, accounts: { shop: {} } })
  key = execFileSync(join(place, 'bin/whittle'), ['accounts', 'rotate', 'shop'], {
    env: { ...process.env, DATA_DIR: service.dataDir },
    encoding: 'utf8',
  }).trim()
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  rmSync(place, { recursive: true, force: true })
})

/** A directory of its own with everything that the examples of a page name. */
const furnish = (page: string): string => {
  const directory = join(place, page.replaceAll(/\W/g, '-'))
  for (const name of PICTURES) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    copyFileSync(join(place, name.endsWith('.jpg') ? 'photo.jpg' : 'photo.png'), join(directory, name))
  }
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'))
  return directory
}

const isLeftOut = ({ code }: Example): boolean => NOT_RUN.some(([begins]) => code.startsWith(begins))

const environment = (directory: string): NodeJS.ProcessEnv => ({
  ...process.env,
  PATH: `${join(place, 'bin')}:${process.env['PATH']}`,
  XDG_CACHE_HOME: join(directory, 'cache'),
  DATA_DIR: service.dataDir,
  PUBLIC_URL: service.url,
  KEY: key,
  WHITTLE_KEY: key,
})

const runAll = async (page: string): Promise<readonly string[]> => {
  const directory = furnish(page)
  const world = {
    service: service.url,
    photo: service.file('jpeg/kodim23-190x158.png'),
    data: join(directory, 'data'),
  }
  const wrong: string[] = []
  for (const example of examplesOf(page).filter((one) => isRunnable(one) && !isLeftOut(one))) {
    const code = substituted((AROUND[`${page} ${example.language}`] ?? '') + example.code, world)
    const failure = await runExample(example.language, code, { directory, env: environment(directory) })
    if (failure !== undefined) wrong.push(`${page}:${example.line}\n${failure}`)
  }
  return wrong
}

const WITH_EXAMPLES = PAGES.filter((page) => examplesOf(page).some((one) => isRunnable(one) && !isLeftOut(one)))

describe.concurrent('examples run as they stand', () => {
  it.each(WITH_EXAMPLES)('%s', async (page) => expect(await runAll(page)).toEqual([]), 120_000)
})

describe('the list of what is not run', () => {
  it.each(NOT_RUN)('holds nothing that no page shows: %s', (begins) => {
    expect(PAGES.flatMap(examplesOf).some(({ code }) => code.startsWith(begins))).toBe(true)
  })
})
