import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripMetadata } from '../../containers/strip/strip.ts'
import type { Job, ResultFile } from '../../core/outcome.ts'
import { optimiseAnimation, ownFrames } from '../../motion/optimise-animation.ts'
import { mayReturnOwn } from '../../plan/own-bytes.ts'
import type { Plan } from '../../plan/plan.ts'
import { failedWarning, withWarning } from '../../plan/winner.ts'
import { markMoving } from './mark.ts'
import type { Report } from './report.ts'
import { openRights, withMovingRights } from './rights.ts'
import { withGrowth } from './with-growth.ts'

/** Removes comments and foreign blocks from an animated source that no encode improves (§3.5). */
const withoutMetadata = async (job: Job<Plan>, result: ResultFile): Promise<ResultFile> => {
  if (result.untouched !== true || result.format !== job.facts.format) return result
  const pieces = stripMetadata(job.facts, await readFile(result.path))
  if (pieces === undefined) return result
  const bare = Buffer.concat([...pieces])
  const path = join(job.directory, `source-without-metadata.${result.format}`)
  await writeFile(path, bare)
  return { ...result, path, bytes: bare.length }
}

/** Optimises an animation. Each offer has its rights and its mark. */
export const optimiseMoving = async (job: Job<Plan>, report: Report): Promise<ResultFile> => {
  const rights = await openRights(job)
  const complete = (result: ResultFile): ResultFile =>
    withGrowth(job, markMoving(job, withMovingRights(job, rights, result)))
  const own = async (): Promise<ResultFile> => complete(await withoutMetadata(job, await ownFrames(job)))
  if (job.plan.keepsPixels === true) return own()
  const offer = (result: ResultFile): void => report.offer(complete(result))
  const { result: found, failed } = await optimiseAnimation({ ...job, ...report, offer })
  const result = complete(await withoutMetadata(job, found))
  const isKept = result.bytes <= job.facts.bytes || result.untouched === true || !mayReturnOwn(job)
  const answer = isKept ? result : await own()
  return withWarning(answer, failedWarning(failed, answer))
}
