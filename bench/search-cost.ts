/** CPU of one JPEG search relative to one encode by sharp: `node bench/search-cost.ts --help`. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ask } from './corpus/ask.ts'
import { readCommand, requirePaths } from './corpus/help.ts'
import { makeOurs } from './corpus/ours.ts'
import { MOZJPEG } from './corpus/peers.ts'
import { timed } from './corpus/timed.ts'

const HELP = `CPU of one JPEG search at medium (survey, search, judging and encoding), relative to one sharp mozjpeg encode at quality 80 of
the same pixels. Each is the least of three alternating runs in one process.

Usage: node bench/search-cost.ts [options] <image or folder> ...

  --json FILE     writes the figures
  --against FILE  prints the bytes relative to an earlier run, whose figures --json wrote
  --help          says this
`

const ROUNDS = 3

interface Row {
  readonly file: string
  readonly megapixels: number
  readonly bytes: number
  /** CPU ms. */
  readonly search: number
  readonly encode: number
}

const { values, positionals } = readCommand(HELP, {
  allowPositionals: true,
  options: {
    json: { type: 'string' },
    against: { type: 'string' },
  },
})
const files = requirePaths(HELP, positionals).flatMap((path) =>
  statSync(path).isDirectory() ? readdirSync(path).map((name) => join(path, name)) : [path],
)

/** One round, in CPU ms: decoding; that and everything after it; sharp's encode. */
const runOnce = async (file: string) => {
  const asked = await ask(file, 'full,format=jpeg')
  const { result, cpu } = await makeOurs(asked)
  const { ms: encode } = await timed(() => MOZJPEG.encode(asked.pixels, 80))
  return { asked, result, decoding: asked.decoding, whole: cpu + asked.decoding, encode }
}

const measure = async (file: string): Promise<Row> => {
  const rounds = [await runOnce(file)]
  while (rounds.length < ROUNDS) rounds.push(await runOnce(file))
  const least = (figure: 'decoding' | 'whole' | 'encode'): number => Math.min(...rounds.map((round) => round[figure]))
  const { asked, result } = rounds[0]!
  return {
    file: basename(file),
    megapixels: (asked.pixels.width * asked.pixels.height) / 1e6,
    bytes: result.bytes,
    search: least('whole') - least('decoding'),
    encode: least('encode'),
  }
}

const costOf = ({ search, encode }: Row): number => search / encode

/** Bytes in terms of those of an earlier run. */
const earlier = new Map<string, number>(
  values.against === undefined
    ? []
    : (JSON.parse(readFileSync(values.against, 'utf8')) as Row[]).map(({ file, bytes }) => [file, bytes]),
)
const growthOf = ({ file, bytes }: Row): number => bytes / (earlier.get(file) ?? bytes)

// Once unmeasured: what a fresh process compiles, a child of the service has compiled long ago.
await measure(files[0]!)
const rows: Row[] = []
for (const file of files) {
  const row = await measure(file)
  rows.push(row)
  const growth = earlier.size === 0 ? '' : `, ${growthOf(row).toFixed(4)} of the bytes before`
  console.log(
    `${row.file} ${row.megapixels.toFixed(2)} MP: ${costOf(row).toFixed(2)} (${row.search.toFixed(0)} ms, one encode ` +
      `${row.encode.toFixed(0)}), ${row.bytes} bytes${growth}`,
  )
}
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(rows))

const costs = rows.map(costOf).toSorted((a, b) => a - b)
const mean = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length
const growth = Math.exp(mean(rows.map((row) => Math.log(growthOf(row)))))
console.log(
  `median ${costs[costs.length >> 1]!.toFixed(2)}, second largest ${costs.at(-2)?.toFixed(2) ?? '-'}, mean ${mean(costs).toFixed(2)}` +
    (earlier.size === 0 ? '' : `; bytes ${growth.toFixed(4)} of those before`),
)
