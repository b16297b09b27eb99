import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripMetadata } from '../../containers/strip/strip.ts'
import type { Job, Made } from '../../core/outcome.ts'
import { optimiseAnimation } from '../../motion/optimise-animation.ts'
import type { Plan } from '../../plan/plan.ts'
import { optimiseMarkup } from './markup.ts'
import type { Report } from './report.ts'
import { optimiseStill } from './still.ts'

/** An animated source that nothing smaller was made of goes back without its comments and foreign blocks (§3.5). */
const withoutMetadata = async (job: Job<Plan>, made: Made): Promise<Made> => {
  if (made.untouched !== true || made.format !== job.facts.format) return made
  const pieces = stripMetadata(job.facts, await readFile(made.path))
  if (pieces === undefined) return made
  const bare = Buffer.concat([...pieces])
  const path = join(job.directory, `source-without-metadata.${made.format}`)
  await writeFile(path, bare)
  return { ...made, path, bytes: bare.length }
}

/** Runs a plan: everything from the decoding on, in a child process. Ever better results are offered on the way; the last is returned. */
export const optimise = async (job: Job<Plan>, report: Report): Promise<Made> => {
  if (job.plan.formats[0] === 'svg') return optimiseMarkup(job, report)
  if (job.plan.animated) return withoutMetadata(job, await optimiseAnimation({ ...job, ...report }))
  return optimiseStill(job, report)
}
