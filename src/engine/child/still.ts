import { fail } from '../../core/failure.ts'
import type { Raster } from '../../core/image.ts'
import type { Job, Made } from '../../core/outcome.ts'
import { alphaWarnings, settleAlpha } from '../../plan/alpha.ts'
import { mayReturnOwn } from '../../plan/own-bytes.ts'
import { densityOf, type Plan } from '../../plan/plan.ts'
import { insteadOf, settlePreferred } from '../../plan/settle-preferred.ts'
import { shortlist } from '../../plan/shortlist.ts'
import { failedWarning, growthWarning, missedWarning } from '../../plan/winner.ts'
import { withoutAlpha } from '../../raster/flatten.ts'
import { survey } from '../../raster/survey.ts'
import { cutAlpha, matteAlpha } from '../../raster/threshold-alpha.ts'
import { releaseBuffer } from '../../support/release-buffer.ts'
import { staged } from '../../support/stages.ts'
import { ownAsJxl } from './as-jxl.ts'
import { allOf, type BestResult, openBestResult } from './best-result.ts'
import { openGainMap } from './gain-map.ts'
import { inOwnGamut, openGamut } from './gamut.ts'
import { makePixels } from './make-pixels.ts'
import { openMark } from './mark.ts'
import { bareSource, recompress } from './passthrough.ts'
import type { Report } from './report.ts'
import { openRights } from './rights.ts'
import { type Searched, searchFormats } from './search-formats.ts'

/** The pixels as some format of the plan can show them, their features, and warnings on transparency. */
const settlePixels = ({ plan: given, facts }: Job<Plan>, shown: Raster) => {
  const features = survey(shown)
  const { plan, warnings: ofFormat } = settlePreferred(given, facts.format === 'jpeg', features)
  const alpha = settleAlpha(plan, features)
  const warnings = [...ofFormat, ...alphaWarnings(alpha)]
  if (alpha.kind === 'keep') return { plan, pixels: shown, features, warnings }
  if (alpha.kind === 'drop') return { plan, pixels: withoutAlpha(shown), features, warnings }
  const pixels = alpha.kind === 'cut' ? cutAlpha(shown) : matteAlpha(shown, alpha.background)
  return { plan, pixels, features: survey(pixels), warnings }
}

/** Offers the source's own bytes immediately if they may be returned. Returns whether nothing else is searched. */
const offerOwnBytes = async (job: Job<Plan>, candidates: BestResult): Promise<boolean> => {
  const bare = mayReturnOwn(job) ? await bareSource(job) : undefined
  if (bare !== undefined) await candidates.add(bare)
  return bare !== undefined && job.plan.target.kind === 'lossless' && job.plan.formats.length === 1
}

/** Offers the source's own pixels or coefficients in fewer bytes. Returns whether there was no time for that. */
const offerRecompressed = async (job: Job<Plan>, report: Report, candidates: BestResult): Promise<boolean> => {
  // Our own results are already stored as small as possible: a second run then changes no byte.
  if (!mayReturnOwn(job) || job.plan.keepsPixels === true || report.deadline.signal.aborted) return false
  const recompressed = await staged(report, 'restore', () => recompress(job, candidates.bytesToBeat(), report.deadline))
  if (recompressed.kind === 'stored') await candidates.add(recompressed.entry)
  return recompressed.kind === 'late'
}

/** Offers the source's own coefficients as JPEG XL, or as JPEG if they cannot be stored in it and nothing else is lossless. Returns whether time was short, and warnings. */
const offerOwnAsJxl = async (job: Job<Plan>, report: Report, candidates: BestResult) => {
  if (report.deadline.signal.aborted) return { late: false, warnings: [] }
  const own = await staged(report, 'restore', () => ownAsJxl(job, candidates.bytesToBeat(), report.deadline))
  if (own.kind === 'made') await candidates.add(own.entry)
  const late = own.kind === 'late'
  if (own.kind === 'made' || job.plan.preferred !== 'jxl' || job.plan.target.kind === 'score')
    return { late, warnings: [] }
  const asJpeg = { ...job, plan: insteadOf({ ...job.plan, formats: ['jxl', 'jpeg'] }, 'jxl') }
  await offerOwnBytes(asJpeg, candidates)
  const isLate = await offerRecompressed(asJpeg, report, candidates)
  return { late: late || isLate, warnings: own.kind === 'refused' ? [own.why] : [] }
}

/** The result with its warnings. */
const conclude = ({ plan, facts }: Job<Plan>, best: Made, { timeLimited, shortfalls }: Searched) => {
  const growth = growthWarning(plan, facts, best)
  const missed = timeLimited || best.meetsTarget === true ? [] : [missedWarning(shortfalls)]
  return [...(growth === undefined ? [] : [growth]), ...missed]
}

/** Adds the untouched source if encoders failed and there is no other result. Returns the Warning of an answer that is the source because of them. */
const addInstead = async (job: Job<Plan>, candidates: BestResult, { failed }: Searched): Promise<readonly string[]> => {
  if (failed.length === 0) return []
  if (candidates.best() === undefined) {
    const bare = await bareSource(job)
    if (bare !== undefined) await candidates.add(bare)
  }
  return candidates.best()?.untouched === true ? [failedWarning(failed)] : []
}

const NOT_SEARCHED: Searched = { timeLimited: false, shortfalls: [], failed: [] }

/**
 * One still image, step by step: own bytes → pixels → features → shortlist of formats → search of each → own pixels
 * recoded. The candidates hold the best at any time. Fails with 422 when nothing can be decoded.
 */
export const optimiseStill = async (request: Job<Plan>, report: Report): Promise<Made> => {
  const plan = inOwnGamut(request.plan)
  const job = { ...request, plan }
  const gainMap = await openGainMap(job)
  const rights = await openRights(job)
  const complete = allOf(openGamut(plan), async (entry) => rights.embed(entry), openMark(job), gainMap.complete)
  const candidates = openBestResult(job.directory, report, complete)
  const ownIsEnough = await offerOwnBytes(job, candidates)
  // Pixels are decoded even then: a file that cannot be decoded is no image.
  const shown = await makePixels(job, report)
  const { plan: settledPlan, ...settled } = await staged(report, 'survey', () => settlePixels(job, shown.pixels))
  const { window, whole } = shown
  if (window !== undefined) await gainMap.show({ pixels: settled.pixels, window, whole })
  const settledJob = { ...job, plan: settledPlan }
  const list = shortlist(settledPlan, settled.features, settled.pixels)
  const known = shown.focus === undefined ? {} : { focus: shown.focus }
  const effort = plan.effort === undefined ? {} : { effort: plan.effort }
  const search = { ...settled, ...list, ...effort, known, density: densityOf(plan) }
  const searched = ownIsEnough
    ? NOT_SEARCHED
    : await staged(report, 'search', () => searchFormats(report, candidates, search))
  const asJxl = await offerOwnAsJxl(settledJob, report, candidates)
  const late = (await offerRecompressed(settledJob, report, candidates)) || asJxl.late
  const instead = await addInstead(job, candidates, searched)
  const best = candidates.best()
  if (best === undefined) throw fail('WORK_TOO_SLOW')
  const timeLimited = searched.timeLimited || late || report.deadline.signal.aborted
  const said = conclude(job, best, { ...searched, timeLimited })
  const warnings = [
    ...shown.warnings,
    ...settled.warnings,
    ...asJxl.warnings,
    ...list.warnings,
    ...instead,
    ...said,
    ...gainMap.warnings,
    ...rights.warnings,
  ]
  // Nothing refers to the pixels any more.
  for (const data of new Set([shown.pixels.data, settled.pixels.data])) releaseBuffer(data)
  const { score: _score, butteraugli: _butteraugli, margin: _margin, ...unscored } = best
  return { ...(shown.incomplete === true ? unscored : best), warnings, ...(timeLimited ? { cutShort: true } : {}) }
}
