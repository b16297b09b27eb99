/** Simulates many nodes, and two accounts on one node: `npm run simulate -- --help`. */
import { readCommand, readNumber } from '../bench/corpus/help.ts'
import { type Rivalry, shareOut } from './simulate/accounts.ts'
import { type Day, type Found, simulate } from './simulate/simulation.ts'

const HELP = `Simulates a day of many nodes (docs/scaling.md), and prints queue times and losses. Then simulates two accounts on one
node, and prints their shares of the workers.

Usage: npm run simulate [-- options]

  --nodes N    nodes (100)
  --workers N  workers of a node (2)
  --images N   images a day (10000000)
  --cpu S      mean seconds of CPU of an image (0.9)
  --seed N     seed of the random numbers (1)
  --help       says this
`

const { values } = readCommand(HELP, {
  options: {
    nodes: { type: 'string', default: '100' },
    images: { type: 'string', default: '10000000' },
    cpu: { type: 'string', default: '0.9' },
    workers: { type: 'string', default: '2' },
    seed: { type: 'string', default: '1' },
  },
})
const numberOf = (option: keyof typeof values): number => readNumber(HELP, `--${option}`, `${values[option]}`)

const DAY: Day = {
  seed: numberOf('seed'),
  nodes: numberOf('nodes'),
  workersPerNode: numberOf('workers'),
  imagesPerDay: numberOf('images'),
  cpu: { mean: numberOf('cpu'), sigma: 0.8 },
  queueLimit: 128,
  bursts: { share: 0.2, images: 5000, within: 60 },
  deaths: { every: 86_400, gone: 30 },
  takeOver: 4.5,
  slowStore: { from: 18 * 3600, to: 18.5 * 3600, wait: 3 },
  store: 0.02,
  redirectAfter: 20,
}

const at = (sorted: Float64Array, share: number): string =>
  `${(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(2)} s`

const rowsOf = (found: Found): [string, string][] => [
  ['images', String(found.images)],
  ['workers busy', `${(found.busy * 100).toFixed(1)} %`],
  ['queue time, half of all below', at(found.queue, 0.5)],
  ['queue time, 90 % below', at(found.queue, 0.9)],
  ['queue time, 99 % below', at(found.queue, 0.99)],
  ['queue time, longest', at(found.queue, 1)],
  ['time to the result, 99 % below', at(found.total, 0.99)],
  ['answered with 303 first', String(found.redirected)],
  ['refused with 503', String(found.refused)],
  ['deaths of nodes', String(found.deaths)],
  ['images begun again after a death', String(found.again)],
  ['images lost', String(found.lost)],
]

/** The same day as it is, and with what goes wrong more often. */
const DAYS: readonly (readonly [string, Day])[] = [
  ['a day', DAY],
  ['nodes die ten times as often', { ...DAY, deaths: { ...DAY.deaths, every: DAY.deaths.every / 10 } }],
  ['a quarter fewer nodes', { ...DAY, nodes: Math.round(DAY.nodes * 0.75) }],
]

for (const [name, day] of DAYS) {
  process.stdout.write(
    `\n${name}: ${day.nodes} nodes of ${day.workersPerNode} workers, ${day.cpu.mean} s of CPU an image\n`,
  )
  for (const [what, value] of rowsOf(simulate(day))) process.stdout.write(`  ${what.padEnd(36)}${value}\n`)
}

/** One account abandons each of its requests, the other waits for its images. */
const RIVALRY: Omit<Rivalry, 'workers' | 'patient'> = {
  cost: 10,
  msPerCost: 300,
  impatient: 16,
  leavesAfter: 1000,
  restart: 1000,
}

process.stdout.write(
  '\nshares of the workers: an account that waits, and one that abandons each request after a second\n',
)
for (const workers of [1, 2, 4])
  for (const patient of [1, 2, 8]) {
    const shares = shareOut({ ...RIVALRY, workers, patient })
    const name = `${workers} workers, ${patient} requests`
    process.stdout.write(`  ${name.padEnd(36)}${shares.patient.toFixed(2)}  ${shares.impatient.toFixed(2)}\n`)
  }
