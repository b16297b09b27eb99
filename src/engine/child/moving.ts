import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripMetadata } from '../../containers/strip/strip.ts'
import type { Job, Made } from '../../core/outcome.ts'
import { optimiseAnimation, ownFrames } from '../../motion/optimise-animation.ts'
import { mayReturnOwn } from '../../plan/own-bytes.ts'
import type { Plan } from '../../plan/plan.ts'
import { growthWarning } from '../../plan/winner.ts'
import { markMoving } from './mark.ts'
import type { Report } from './report.ts'
import { openRights, withMovingRights } from './rights.ts'

/** Adds a Warning to a finished file, with rights and mark, that is larger than its source. */
const withGrowth = ({ plan, facts }: Job<Plan>, made: Made): Made => {
  const growth = growthWarning(plan, facts, made)
  return growth === undefined ? made : { ...made, warnings: [...made.warnings, growth] }
}

/** Removes comments and foreign blocks from an animated source that no encode improves (§3.5). */
const withoutMetadata = async (job: Job<Plan>, made: Made): Promise<Made> => {
  if (made.untouched !== true || made.format !== job.facts.format) return made
  const pieces = stripMetadata(job.facts, await readFile(made.path))
  if (pieces === undefined) return made
  const bare = Buffer.concat([...pieces])
  const path = join(job.directory, `source-without-metadata.${made.format}`)
  await writeFile(path, bare)
  return { ...made, path, bytes: bare.length }
}

/** Optimises an animation. Each offer has its rights and its mark. */
export const optimiseMoving = async (job: Job<Plan>, report: Report): Promise<Made> => {
  const rights = await openRights(job)
  const complete = (made: Made): Made => withGrowth(job, markMoving(job, withMovingRights(job, rights, made)))
  const own = async (): Promise<Made> => complete(await withoutMetadata(job, await ownFrames(job)))
  if (job.plan.keepsPixels === true) return own()
  const offer = (made: Made): void => report.offer(complete(made))
  const made = complete(await withoutMetadata(job, await optimiseAnimation({ ...job, ...report, offer })))
  return made.bytes <= job.facts.bytes || made.untouched === true || !mayReturnOwn(job) ? made : own()
}
