import { fail } from '../../core/failure.ts'
import type { Raster, StillFormat } from '../../core/image.ts'
import type { Job, Made } from '../../core/outcome.ts'
import { staged } from '../../core/stages.ts'
import type { Candidate, SearchRequest } from '../../formats/format.ts'
import { CODECS } from '../../formats/registry.ts'
import { openSsimulacra2 } from '../../metric/ssimulacra2/ssimulacra2.ts'
import { alphaWarnings, settleAlpha } from '../../plan/alpha.ts'
import type { Plan, Target } from '../../plan/plan.ts'
import { shortlist } from '../../plan/shortlist.ts'
import { goalFor } from '../../plan/targets.ts'
import { growthWarning, MISSED } from '../../plan/winner.ts'
import { withoutAlpha } from '../../raster/flatten.ts'
import { cutAlpha, matteAlpha } from '../../raster/harden.ts'
import { survey } from '../../raster/survey.ts'
import { type BestResult, openBestResult } from './best-result.ts'
import { makePixels } from './make-pixels.ts'
import { bareSource, mayReturnOwn, storedAnew } from './passthrough.ts'
import type { Report } from './report.ts'

/** Points above the goal that are near enough: a search stops there. */
const SLACK = 1

const judge = openSsimulacra2()
judge.catch(() => undefined) // told by whoever awaits it

const wantedBy = (target: Target): SearchRequest['wanted'] =>
  target.kind === 'lossless'
    ? { kind: 'lossless' }
    : { kind: 'score', goal: { score: goalFor(target.score), slack: SLACK } }

/** Whether a candidate keeps the promise of its target. */
const keepsPromise = (wanted: SearchRequest['wanted'], candidate: Candidate): boolean =>
  candidate.lossless || (wanted.kind === 'score' && (candidate.score ?? Number.NEGATIVE_INFINITY) >= wanted.goal.score)

interface Search {
  readonly pixels: Raster
  readonly traits: SearchRequest['traits']
  readonly formats: readonly StillFormat[]
  readonly target: Target
  /** What is known of the pixels, for each result. */
  readonly known: Pick<Made, 'focus'>
}

/** Searches every format of the shortlist in order of promise; the shelf keeps the best. Tells whether more time would have been used. */
const searchAll = async (
  report: Report,
  shelf: BestResult,
  { pixels, traits, formats, target, known }: Search,
): Promise<boolean> => {
  const wanted = wantedBy(target)
  let hurried = false
  using prepared = (await judge).prepare(pixels)
  const request: SearchRequest = {
    pixels,
    traits,
    wanted,
    judge: (candidate) => prepared.compare(candidate),
    examine: (candidate) => prepared.scores(candidate),
    deadline: report.deadline,
    beat: shelf.beat,
    encoded: shelf.encoded,
    hurried: () => {
      hurried = true
    },
  }
  for (const format of formats) {
    for await (const candidate of CODECS[format].search(request)) {
      const { bytes: data, score } = candidate
      const { width, height } = pixels
      const scored = score === undefined ? known : { ...known, score }
      await shelf.add({ format, data, width, height, meetsTarget: keepsPromise(wanted, candidate), ...scored })
      if (report.deadline.signal.aborted) return true
    }
  }
  return hurried
}

/** The pixels as some format of the plan can show them, what they tell, and the remarks on what became of transparency. */
const settlePixels = (plan: Plan, shown: Raster) => {
  const traits = survey(shown)
  const alpha = settleAlpha(plan, traits)
  const remarks = alphaWarnings(alpha)
  if (alpha.kind === 'keep') return { pixels: shown, traits, remarks }
  if (alpha.kind === 'drop') return { pixels: withoutAlpha(shown), traits, remarks }
  const pixels = alpha.kind === 'cut' ? cutAlpha(shown) : matteAlpha(shown, alpha.background)
  return { pixels, traits: survey(pixels), remarks }
}

/** One still image: its own bytes where they may be returned, then its pixels and ever better encodes of them. Fails with 422 when nothing can be decoded. */
export const optimiseStill = async (job: Job<Plan>, report: Report): Promise<Made> => {
  const { plan, facts } = job
  const shelf = openBestResult(job.directory, report, [])
  const own = mayReturnOwn(job)
  const bare = own ? await bareSource(job) : undefined
  if (bare !== undefined) await shelf.add(bare)
  const ownIsEnough = plan.target.kind === 'lossless' && shelf.best() !== undefined && plan.formats.length === 1
  // Its pixels are looked at even then: a file that cannot be decoded is no image.
  const shown = await makePixels(job, report)
  const { pixels, traits, remarks } = await staged(report, 'survey', () => settlePixels(plan, shown.pixels))
  const list = shortlist(plan, traits, pixels)
  const known = shown.focus === undefined ? {} : { focus: shown.focus }
  let hurried = false
  if (!ownIsEnough) {
    hurried = await staged(report, 'search', () =>
      searchAll(report, shelf, { pixels, traits, formats: list.formats, target: list.target, known }),
    )
  }
  if (own && !report.deadline.signal.aborted) {
    const anew = await staged(report, 'restore', () => storedAnew(job, shelf.beat(), report.deadline))
    if (anew.kind === 'stored') await shelf.add(anew.entry)
    hurried ||= anew.kind === 'late'
  }
  const best = shelf.best()
  if (best === undefined) throw fail('WORK_TOO_SLOW')
  const growth = growthWarning(plan, facts, best)
  const missed = best.meetsTarget === true ? [] : [MISSED]
  const cutShort = hurried || report.deadline.signal.aborted
  const warnings = [
    ...shown.warnings,
    ...remarks,
    ...list.warnings,
    ...(growth === undefined ? [] : [growth]),
    ...(cutShort ? [] : missed),
  ]
  return { ...best, warnings, ...(cutShort ? { cutShort } : {}) }
}
