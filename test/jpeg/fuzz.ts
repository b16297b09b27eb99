/**
 * Damages JPEGs at random and stores them again: nothing but a refusal may be thrown, and nothing may take long.
 * Usage: node test/jpeg/fuzz.ts [CASES] [DIR ...]   (10000 cases over the fixtures, when nothing is said; a DIR's files up to
 * 60 kB are each read as they are, too). Ends with status 1 on the first escape, naming file and seed.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { damage, survive } from './damage.ts'

const cases = Number(process.argv[2] ?? 10_000)
const directories = [fileURLToPath(new URL('../fixtures/jpeg', import.meta.url)), ...process.argv.slice(3)]
const slowest = { ms: 0, what: '' }
const tally = { stored: 0, refused: 0 }

const sources = directories.flatMap((directory) =>
  readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => ({ name, bytes: new Uint8Array(readFileSync(`${directory}/${name}`)) }))
    .filter(({ bytes }) => bytes.length <= 60_000),
)
const jpegs = sources.filter(({ bytes }) => bytes[0] === 0xff && bytes[1] === 0xd8)

const check = (bytes: Uint8Array, what: string): void => {
  const start = performance.now()
  try {
    tally[survive(bytes)]++
  } catch (failure) {
    console.error(`${what}: ${failure}`)
    process.exit(1)
  }
  const ms = performance.now() - start
  if (ms > slowest.ms) Object.assign(slowest, { ms, what })
}

for (const { name, bytes } of sources) check(bytes, name)
for (let seed = 0; seed < cases; seed++) {
  const { name, bytes } = jpegs[seed % jpegs.length]!
  check(damage(bytes, seed), `${name}, seed ${seed}`)
}
console.log(
  `${tally.stored} stored, ${tally.refused} refused; the slowest took ${slowest.ms.toFixed(0)} ms (${slowest.what})`,
)
