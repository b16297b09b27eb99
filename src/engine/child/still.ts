import { fail } from '../../core/failure.ts'
import type { Raster } from '../../core/image.ts'
import type { Job, ResultFile } from '../../core/outcome.ts'
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
import { withGrowth } from './with-growth.ts'

/** Returns the plan and pixels with settled transparency, the features of the pixels, and warnings. */
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

/** Offers the source's own bytes if the plan allows them. Returns whether no search is needed. */
const offerOwnBytes = async (job: Job<Plan>, candidates: BestResult): Promise<boolean> => {
  const bare = mayReturnOwn(job) ? await bareSource(job) : undefined
  if (bare !== undefined) await candidates.add(bare)
  return bare !== undefined && job.plan.target.kind === 'lossless' && job.plan.formats.length === 1
}

/** Offers the source's own pixels or coefficients in fewer bytes. Returns whether the time was too short. */
const offerRecompressed = async (job: Job<Plan>, report: Report, candidates: BestResult): Promise<boolean> => {
  // Our own results are already as small as possible, so a second run changes no byte.
  if (!mayReturnOwn(job) || job.plan.keepsPixels === true || report.deadline.signal.aborted) return false
  const recompressed = await staged(report, 'restore', () => recompress(job, candidates.bytesToBeat(), report.deadline))
  if (recompressed.kind === 'stored') await candidates.add(recompressed.entry)
  return recompressed.kind === 'late'
}

/** Offers the source's own coefficients as JPEG XL, or as JPEG if JPEG XL cannot store them and no other result is lossless. Returns whether the time was too short, and warnings. */
const offerOwnAsJxl = async (job: Job<Plan>, report: Report, candidates: BestResult) => {
  if (report.deadline.signal.aborted) return { late: false, warnings: [] }
  const own = await staged(report, 'restore', () => ownAsJxl(job, candidates.bytesToBeat(), report.deadline))
  if (own.kind === 'converted') await candidates.add(own.entry)
  const late = own.kind === 'late'
  if (own.kind === 'converted' || job.plan.preferred !== 'jxl' || job.plan.target.kind === 'score')
    return { late, warnings: [] }
  const asJpeg = { ...job, plan: insteadOf({ ...job.plan, formats: ['jxl', 'jpeg'] }, 'jxl') }
  await offerOwnBytes(asJpeg, candidates)
  const isLate = await offerRecompressed(asJpeg, report, candidates)
  return { late: late || isLate, warnings: own.kind === 'refused' ? [own.why] : [] }
}

/** Returns the warnings about the best result. */
const conclude = ({ plan, facts }: Job<Plan>, best: ResultFile, { timeLimited, shortfalls, failed }: Searched) => {
  const missed = timeLimited || best.meetsTarget === true ? [] : [missedWarning(shortfalls)]
  const others = [failedWarning(failed, best), growthWarning(plan, facts, best)]
  return [...others.filter((warning) => warning !== undefined), ...missed]
}

/** Adds the untouched source if encoders failed without any other result. */
const addInstead = async (job: Job<Plan>, candidates: BestResult, { failed }: Searched): Promise<void> => {
  if (failed.length === 0 || candidates.best() !== undefined) return
  const bare = await bareSource(job)
  if (bare !== undefined) await candidates.add(bare)
}

const NOT_SEARCHED: Searched = { timeLimited: false, shortfalls: [], failed: [] }

/**
 * Optimises a still image in steps: own bytes, pixels, features, shortlist of formats, search of each, recoded own pixels. Keeps the
 * best candidate. Fails with 422 if the source cannot be decoded, and with WORK_TOO_SLOW without any result.
 */
export const optimiseStill = async (request: Job<Plan>, report: Report): Promise<ResultFile> => {
  const plan = inOwnGamut(request.plan)
  const job = { ...request, plan }
  const gainMap = await openGainMap(job)
  const rights = await openRights(job)
  const complete = allOf(openGamut(plan), async (entry) => rights.embed(entry), openMark(job), gainMap.complete)
  const offer = (result: ResultFile): void => report.offer(withGrowth(job, result))
  const candidates = openBestResult(job.directory, { ...report, offer }, complete)
  const ownIsEnough = await offerOwnBytes(job, candidates)
  // Decodes the pixels in any case: a file that cannot be decoded is not an image.
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
  await addInstead(job, candidates, searched)
  const best = candidates.best()
  if (best === undefined) throw fail('WORK_TOO_SLOW')
  const timeLimited = searched.timeLimited || late || report.deadline.signal.aborted
  const conclusions = conclude(job, best, { ...searched, timeLimited })
  const warnings = [
    ...shown.warnings,
    ...settled.warnings,
    ...asJxl.warnings,
    ...list.warnings,
    ...conclusions,
    ...gainMap.warnings,
    ...rights.warnings,
  ]
  // The pixels have no further use.
  for (const data of new Set([shown.pixels.data, settled.pixels.data])) releaseBuffer(data)
  const { score: _score, butteraugli: _butteraugli, margin: _margin, ...unscored } = best
  return { ...(shown.incomplete === true ? unscored : best), warnings, ...(timeLimited ? { cutShort: true } : {}) }
}
