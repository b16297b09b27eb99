/** Damages well-formed inputs at random and gives them to the readers of untrusted bytes: `npm run fuzz -- --help`. */
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endWithError, readCommand, readNumber } from '../../bench/corpus/help.ts'
import { damage } from './damage.ts'
import { FUZZ_TARGETS, type FuzzTarget, fuzzOnce } from './targets.ts'

const HELP = `Damages well-formed inputs at random and gives them to the readers of untrusted bytes. An error that such a reader must not throw
leaves its input in the temporary directory, and the exit status is 1.

Usage: npm run fuzz -- [options] [<target> ...]

  --cases N    inputs of each target (2000)
  --from SEED  first seed, a whole number from 0 on (0)
  --help       says this

Targets, all of them without one: ${Object.keys(FUZZ_TARGETS).join(', ')}
`

const { values, positionals } = readCommand(HELP, {
  allowPositionals: true,
  options: { cases: { type: 'string', default: '2000' }, from: { type: 'string', default: '0' } },
})
const cases = readNumber(HELP, '--cases', values.cases)
const from = /^\d+$/.test(values.from)
  ? Number(values.from)
  : endWithError(`--from takes a whole number from 0 on, not "${values.from}"\n\n${HELP}`)
const unknown = positionals.find((name) => !Object.hasOwn(FUZZ_TARGETS, name))
if (unknown !== undefined) {
  console.error(`${unknown} is no target; --help lists them`)
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
