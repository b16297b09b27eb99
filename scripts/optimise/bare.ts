/** The bare engine: every path that is given is optimised and the result thrown away; no command line, cache or output. */
import { availableParallelism } from 'node:os'
import { openOptimiser } from '../../src/library/optimiser.ts'

const [, , ...paths] = process.argv
const workers = availableParallelism()
await using optimiser = openOptimiser({ workers })
const left = paths.values()
let failed = 0
const work = async (): Promise<void> => {
  for (const path of left) await optimiser.optimiseFile(path, 'full').catch(() => (failed += 1))
}
await Promise.all(Array.from({ length: workers }, work))
process.stdout.write(`${failed}\n`)
