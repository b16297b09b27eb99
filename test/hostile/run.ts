/**
 * Attacks the service as a stranger would, class by class, each on a service of its own, and prints what came of it.
 *
 *   npm run test:hostile [-- [--short] [--seed N] [class …]]
 *
 * `/-/live` is asked for all the while. The status is 1 when anything came out that is not documented, when work was left
 * behind, or when the service ended or froze.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startService } from '../../scripts/corpus/service.ts'
import type { Attack } from './attack.ts'
import { ATTACKS } from './attacks.ts'
import { type Worst, watch } from './watch.ts'

/** ms; a service that does not answer for so long is frozen, however busy the machine is. */
const FROZEN_MS = 5_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (values.help) {
  console.log(`npm run test:hostile [-- [--short] [--seed N] [class …]]
Attacks a service of its own, class by class, and prints what came of it; the status is 1 when anything was not held.
--short  fewer tries, for CI; --seed N  another one for what is random (1)
Classes: ${ATTACKS.map(({ name }) => name).join(', ')}`)
  process.exit(0)
}
const seed = Number(values.seed)
const unknown = positionals.filter((name) => !ATTACKS.some((attack) => attack.name === name))
if (unknown.length > 0 || !Number.isSafeInteger(seed)) {
  console.error(`Unknown: ${unknown.join(', ') || 'the seed'}. Classes: ${ATTACKS.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}

interface Row extends Worst {
  readonly name: string
  readonly tries: number
  readonly problems: readonly string[]
  readonly notes: readonly string[]
}

/** ms that what a timeout cut short may take to be finished in the background: until then its files are in use. */
const FINISHING_MS = 120_000

/** Files that are no longer used but were not removed. */
const leftBehind = async (service: {
  readonly leftovers: () => Promise<readonly string[]>
}): Promise<readonly string[]> => {
  const until = performance.now() + FINISHING_MS
  for (;;) {
    const left = await service.leftovers()
    if (left.length === 0 || performance.now() > until) return left
    await sleep(250)
  }
}

const mount = async (attack: Attack): Promise<Row> => {
  const service = await startService(attack.settings)
  const watching = watch(service)
  const problems: string[] = []
  const notes: string[] = []
  let tries = 0
  try {
    const port = Number(new URL(service.address).port)
    const finding = await attack.run({ service, port, short: values.short, seed, trying: watching.trying })
    tries = finding.tries
    problems.push(...finding.problems)
    notes.push(...(finding.notes ?? []))
    service.assertAlive()
    const left = await leftBehind(service)
    if (left.length > 0) problems.push(`left behind: ${left.join(', ')}`)
  } catch (error) {
    problems.push(String(error))
  }
  const worst = await watching.stop()
  if (worst.liveMs > FROZEN_MS) problems.push(`/-/live was silent for ${Math.round(worst.liveMs)} ms`)
  problems.push(...service.complaints.filter((line) => /"level":"error"/.test(line)).map((line) => line.slice(0, 300)))
  await service.stop()
  return { name: attack.name, tries, problems, notes, ...worst }
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`
const line = (cells: readonly string[]): string =>
  [cells[0]!.padEnd(16), ...cells.slice(1, 5).map((cell) => cell.padStart(9)), ` ${cells[5]}`].join(' ')

console.log(`seed ${seed}${values.short ? ', short' : ''}`)
console.log(line(['attack', 'tries', '/-/live', 'parent', 'child', 'result']))
let held = true
for (const attack of ATTACKS) {
  if (positionals.length > 0 ? !positionals.includes(attack.name) : values.short && attack.long === true) continue
  const row = await mount(attack)
  const result = row.problems.length === 0 ? 'held' : `${row.problems.length} problems`
  const live = `${Math.round(row.liveMs)} ms`
  console.log(line([row.name, String(row.tries), live, megabytes(row.server), megabytes(row.child), result]))
  if (row.childAt !== '') console.log(`    the largest child was at ${row.childAt}`)
  for (const note of row.notes) console.log(`    ${note}`)
  for (const problem of row.problems.slice(0, 20)) console.log(`    ${problem}`)
  held &&= row.problems.length === 0
}
process.exitCode = held ? 0 : 1
