/** How long one file holds up the main loop while it is identified: `node bench/identify.ts --help`. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { identify } from '../src/source/identify.ts'
import { FILES as BOMBS } from '../test/hostile/attacks/bombs.ts'
import { FILES as MARKUP } from '../test/hostile/attacks/markup.ts'
import { readCommand } from './corpus/help.ts'

const HELP = `How long the identification of one file holds up the main loop, and its CPU, in ms: the eight worst of hostile files, for
docs/security.md.

Usage: node bench/identify.ts

  --help  says this
`
readCommand(HELP, {})

const TIMES = 7

/** ms of CPU that this thread spends, and the longest that no timer got its turn. */
const held = async (path: string): Promise<{ readonly cpu: number; readonly longest: number }> => {
  let longest = 0
  let last = performance.now()
  const ticking = setInterval(() => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
  }, 1)
  await sleep(20)
  longest = 0
  const before = process.threadCpuUsage()
  await identify(path).catch(() => undefined)
  const { user, system } = process.threadCpuUsage(before)
  await sleep(5)
  clearInterval(ticking)
  return { cpu: (user + system) / 1000, longest }
}

const text = (start: string, piece: string, end = ''): Buffer =>
  Buffer.from(start + piece.repeat(Math.floor((262_000 - start.length) / piece.length)) + end)
const MORE = [
  { name: '256 KB of attributes', make: () => text('<svg ', 'a="" ', '/>') },
  { name: '256 KB of open elements', make: () => text('<svg>', '<g>') },
  { name: '256 KB of entities', make: () => text('<!DOCTYPE svg [', '<!ENTITY a "&a;">', ']><svg width="&a;"/>') },
  { name: '256 KB of comments', make: () => text('', '<!---->', '<svg/>') },
  { name: 'SVGZ of the same', make: () => gzipSync(text('', '<!---->', '<svg/>')) },
]

const directory = await mkdtemp(join(tmpdir(), 'whittle-identify-'))
const rows: { readonly name: string; readonly cpu: number; readonly longest: number }[] = []
for (const { name, make } of [...MARKUP, ...BOMBS, ...MORE]) {
  const path = join(directory, 'file')
  await writeFile(path, await make())
  const tries = []
  for (let turn = 0; turn < TIMES; turn += 1) tries.push(await held(path))
  const middle = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[TIMES >> 1]!
  rows.push({ name, cpu: middle(tries.map(({ cpu }) => cpu)), longest: middle(tries.map(({ longest }) => longest)) })
}
await rm(directory, { recursive: true })
for (const { name, cpu, longest } of rows.toSorted((a, b) => b.cpu - a.cpu).slice(0, 8))
  console.log(`${cpu.toFixed(1).padStart(7)} ms of CPU, ${longest.toFixed(1)} ms held up: ${name}`)
