import { fail } from '../../core/failure.ts'
import type { Raster } from '../../core/image.ts'
import type { Job, Made } from '../../core/outcome.ts'
import { staged } from '../../core/stages.ts'
import { alphaWarnings, settleAlpha } from '../../plan/alpha.ts'
import { mayReturnOwn } from '../../plan/own-bytes.ts'
import { densityOf, type Plan } from '../../plan/plan.ts'
import { shortlist } from '../../plan/shortlist.ts'
import { growthWarning, missedWarning } from '../../plan/winner.ts'
import { withoutAlpha } from '../../raster/flatten.ts'
import { survey } from '../../raster/survey.ts'
import { cutAlpha, matteAlpha } from '../../raster/threshold-alpha.ts'
import { allOf, type BestResult, openBestResult } from './best-result.ts'
import { openGainMap } from './gain-map.ts'
import { inOwnGamut, openGamut } from './gamut.ts'
import { makePixels } from './make-pixels.ts'
import { bareSource, storedAnew } from './passthrough.ts'
import type { Report } from './report.ts'
import { type Searched, searchFormats } from './search-formats.ts'

/** The pixels as some format of the plan can show them, what they tell, and the warnings on what became of transparency. */
const settlePixels = (plan: Plan, shown: Raster) => {
  const features = survey(shown)
  const alpha = settleAlpha(plan, features)
  const warnings = alphaWarnings(alpha)
  if (alpha.kind === 'keep') return { pixels: shown, features, warnings }
  if (alpha.kind === 'drop') return { pixels: withoutAlpha(shown), features, warnings }
  const pixels = alpha.kind === 'cut' ? cutAlpha(shown) : matteAlpha(shown, alpha.background)
  return { pixels, features: survey(pixels), warnings }
}

/** Offers the source's own bytes, at once, where they may be returned. Tells whether nothing else is to be looked for. */
const offerOwnBytes = async (job: Job<Plan>, candidates: BestResult): Promise<boolean> => {
  const bare = mayReturnOwn(job) ? await bareSource(job) : undefined
  if (bare !== undefined) await candidates.add(bare)
  return bare !== undefined && job.plan.target.kind === 'lossless' && job.plan.formats.length === 1
}

/** Offers the source's own pixels or coefficients in fewer bytes. Tells whether there was no time for that. */
const offerOwnAnew = async (job: Job<Plan>, report: Report, candidates: BestResult): Promise<boolean> => {
  if (!mayReturnOwn(job) || report.deadline.signal.aborted) return false
  const anew = await staged(report, 'restore', () => storedAnew(job, candidates.beat(), report.deadline))
  if (anew.kind === 'stored') await candidates.add(anew.entry)
  return anew.kind === 'late'
}

/** What is said of the best result. */
const conclude = ({ plan, facts }: Job<Plan>, best: Made, { timeLimited, broken }: Searched) => {
  const growth = growthWarning(plan, facts, best)
  const missed = timeLimited || best.meetsTarget === true ? [] : [missedWarning(broken)]
  return [...(growth === undefined ? [] : [growth]), ...missed]
}

const NOT_SEARCHED: Searched = { timeLimited: false, broken: [] }

/**
 * One still image, step by step: own bytes → pixels → what they tell → shortlist of formats → search of each → own
 * pixels anew. The candidates hold the best at any time. Fails with 422 when nothing can be decoded.
 */
export const optimiseStill = async (request: Job<Plan>, report: Report): Promise<Made> => {
  const plan = inOwnGamut(request.plan)
  const job = { ...request, plan }
  const gainMap = await openGainMap(job)
  const candidates = openBestResult(job.directory, report, allOf(openGamut(plan), gainMap.complete))
  const ownIsEnough = await offerOwnBytes(job, candidates)
  // Its pixels are looked at even then: a file that cannot be decoded is no image.
  const shown = await makePixels(job, report)
  const settled = await staged(report, 'survey', () => settlePixels(plan, shown.pixels))
  const list = shortlist(plan, settled.features, settled.pixels)
  const known = shown.focus === undefined ? {} : { focus: shown.focus }
  const search = { ...settled, ...list, known, density: densityOf(plan) }
  const searched = ownIsEnough
    ? NOT_SEARCHED
    : await staged(report, 'search', () => searchFormats(report, candidates, search))
  const late = await offerOwnAnew(job, report, candidates)
  const best = candidates.best()
  if (best === undefined) throw fail('WORK_TOO_SLOW')
  const timeLimited = searched.timeLimited || late || report.deadline.signal.aborted
  const said = conclude(job, best, { ...searched, timeLimited })
  const warnings = [...shown.warnings, ...settled.warnings, ...list.warnings, ...said, ...gainMap.warnings]
  const { score: _score, butteraugli: _butteraugli, ...unscored } = best
  return { ...(shown.incomplete === true ? unscored : best), warnings, ...(timeLimited ? { cutShort: true } : {}) }
}
