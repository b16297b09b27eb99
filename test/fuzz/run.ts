/**
 * Damages well-formed inputs at random and gives them to whatever reads a stranger's bytes.
 * Usage: npm run fuzz -- [TARGET ...] [--cases N] [--from SEED]
 * All targets, 2,000 cases each from seed 0 when nothing is said. What escapes is left in the temporary directory; then the status is 1.
 */
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { damage } from './damage.ts'
import { FUZZ_TARGETS, type FuzzTarget, fuzzOnce } from './targets.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { cases: { type: 'string', default: '2000' }, from: { type: 'string', default: '0' } },
})
const [cases, from] = [Number(values.cases), Number(values.from)]
const unknown = positionals.filter((name) => FUZZ_TARGETS[name] === undefined)
if (unknown.length > 0 || !(cases > 0) || !(from >= 0)) {
  console.error(`Unknown: ${unknown.join(', ') || 'a number'}. Targets: ${Object.keys(FUZZ_TARGETS).join(', ')}`)
  process.exit(2)
}

const fuzz = async (name: string, target: FuzzTarget): Promise<number> => {
  const tally = { accepted: 0, refused: 0, escaped: 0 }
  let slowest = { ms: 0, seed: 0 }
  for (let seed = from; seed < from + cases; seed++) {
    const bytes = damage(target.corpus[seed % target.corpus.length]!, seed)
    const since = performance.now()
    try {
      tally[await fuzzOnce(target, bytes)]++
    } catch (error) {
      const path = join(tmpdir(), `fuzz-${name}-${seed}`)
      writeFileSync(path, bytes)
      console.error(`${name}, seed ${seed} (${path}): ${error}`)
      tally.escaped++
    }
    const ms = performance.now() - since
    if (ms > slowest.ms) slowest = { ms, seed }
  }
  console.log(
    `${name.padEnd(16)} ${tally.accepted} accepted, ${tally.refused} refused, ${tally.escaped} escaped; slowest ${slowest.ms.toFixed(0)} ms (seed ${slowest.seed})`,
  )
  return tally.escaped
}

let escaped = 0
for (const name of positionals.length > 0 ? positionals : Object.keys(FUZZ_TARGETS))
  escaped += await fuzz(name, FUZZ_TARGETS[name]!)
process.exitCode = escaped > 0 ? 1 : 0
