import type { Raster, StillFormat } from '../../core/image.ts'
import type { ResultFile } from '../../core/outcome.ts'
import type { Density } from '../../core/units.ts'
import { openExaminer } from '../../formats/examine.ts'
import type { Candidate, Examined, SearchRequest, Step } from '../../formats/format.ts'
import { SLACK } from '../../formats/format.ts'
import { CODECS } from '../../formats/registry.ts'
import { openStepPace } from '../../formats/step-pace.ts'
import { processMetrics } from '../../metric/metrics.ts'
import type { Target } from '../../plan/plan.ts'
import { boundsOf, goalFor } from '../../plan/targets.ts'
import type { Shortfall } from '../../plan/winner.ts'
import { bindingConstraint } from '../../search/margins.ts'
import { searchBestFirst } from './best-first.ts'
import type { BestResult, Entry } from './best-result.ts'
import type { Report } from './report.ts'
import { untilFailure } from './until-failure.ts'

// Loaded with the child, not with its first job; the code that awaits it reports a failure.
processMetrics().catch(() => undefined)

const wantedBy = (target: Target): SearchRequest['wanted'] =>
  target.kind === 'lossless'
    ? { kind: 'lossless' }
    : { kind: 'score', goal: { score: goalFor(target.score), slack: SLACK } }

/** Parameters of a search. */
export interface Search {
  readonly pixels: Raster
  readonly features: SearchRequest['features']
  readonly formats: readonly StillFormat[]
  /** Formats that are searched only if the source's own file in one of them is the smallest. */
  readonly unlikely: readonly StillFormat[]
  readonly target: Target
  readonly density: Density
  readonly effort?: 'more'
  /** Known properties of the pixels, for each result. */
  readonly known: Pick<ResultFile, 'focus'>
}

export interface Searched {
  /** More time would have been used. */
  readonly timeLimited: boolean
  /** Bounds that the best candidate breaks, with its figures; none when it keeps the promise. */
  readonly shortfalls: readonly Shortfall[]
  /** Formats whose encoder failed. */
  readonly failed: readonly StillFormat[]
}

/** Whether the time is over, in contrast to an abandoned job. */
const isTimeout = ({ reason }: AbortSignal): boolean => reason instanceof DOMException && reason.name === 'TimeoutError'

/** The bounds that a candidate breaks, with its figures. */
const shortfallsOf = ({ target, density }: Search, examined: Examined | undefined): readonly Shortfall[] => {
  if (target.kind === 'lossless' || examined === undefined) return []
  const bounds = boundsOf(target, density)
  return examined.broken.map((bound) => ({
    bound,
    figure: examined.figures[bound] ?? Number.NaN,
    limit: bounds[bound],
  }))
}

/** The pace of steps in this process, measured on its earlier images. */
const PROCESS_PACE = openStepPace()

/** A candidate as an entry of the best result. */
const entryOf = ({ pixels, target, known }: Search, { format, bytes, examined, lossless }: Candidate): Entry => {
  const { score, butteraugli } = examined ?? {}
  const margin = examined && bindingConstraint(examined.margins)?.margin
  return {
    format,
    data: bytes,
    width: pixels.width,
    height: pixels.height,
    meetsTarget: lossless || (target.kind === 'score' && examined?.keeps === true),
    ...known,
    ...(score === undefined ? {} : { score }),
    ...(butteraugli === undefined ? {} : { butteraugli }),
    ...(margin === undefined ? {} : { margin }),
    ...(lossless ? { exact: true } : {}),
  }
}

/** The time that a search may plan with: the fair part of the job's time, or all of it after `takeAll`. */
const openSearchTime = ({ deadline, fairMs = () => Number.POSITIVE_INFINITY }: Report) => {
  let isShared = true
  return {
    deadline: {
      remaining: () => (isShared ? Math.min(deadline.remaining(), fairMs()) : deadline.remaining()),
      signal: deadline.signal,
    },
    isFairPartOver: () => fairMs() === 0,
    takeAll: () => {
      isShared = false
    },
  }
}

/** Searches the formats of the shortlist, the one with the lowest estimate first, and keeps the best candidate. */
export const searchFormats = async (report: Report, candidates: BestResult, search: Search): Promise<Searched> => {
  const { pixels, features, target } = search
  let timeLimited = false
  let shortfalls: readonly Shortfall[] = []
  using examiner = openExaminer(await processMetrics(), search)
  const time = openSearchTime(report)
  const request: SearchRequest = {
    pixels,
    features,
    wanted: wantedBy(target),
    ...examiner,
    ...(search.effort === undefined ? {} : { effort: search.effort }),
    deadline: time.deadline,
    pace: PROCESS_PACE,
    alone: search.formats.length === 1,
    bytesToBeat: candidates.bytesToBeat,
    encoded: candidates.encoded,
    outOfTime: () => {
      timeLimited = true
    },
  }
  const offer = async (candidate: Candidate): Promise<void> => {
    const before = candidates.best()?.path
    await candidates.add(entryOf(search, candidate))
    if (candidates.best()?.path !== before) shortfalls = shortfallsOf(search, candidate.examined)
  }
  const { signal } = report.deadline
  // After the deadline without a candidate, the next search takes the quickest way.
  const isOver = (): boolean => signal.aborted && (candidates.best() !== undefined || !isTimeout(signal))
  const failed = new Set<StillFormat>()
  // An encoder that fails costs its format, not the answer.
  const stepsOf = (format: StillFormat): AsyncGenerator<Step> =>
    untilFailure(CODECS[format].search(request), (error) => {
      failed.add(format)
      report.notice?.(`The ${format.toUpperCase()} encoder failed on ${pixels.width} x ${pixels.height} px: ${error}`)
    })
  async function* searchIn(format: StillFormat): AsyncGenerator<Step> {
    yield* stepsOf(format)
    // The time ended during the search.
    if (signal.aborted && candidates.best() === undefined && !isOver() && !failed.has(format)) yield* stepsOf(format)
  }
  const contest = { bytesToBeat: candidates.bytesToBeat, offer, isOver }
  await searchBestFirst(search.formats.map(searchIn), contest)
  if (candidates.best() === undefined && time.isFairPartOver()) {
    time.takeAll()
    await searchBestFirst(search.formats.map(searchIn), contest)
  }
  const { untouched, format: ofBest } = candidates.best() ?? {}
  if (untouched === true) {
    const suspected = search.unlikely.filter((format) => format === ofBest)
    await searchBestFirst(suspected.map(searchIn), contest)
  }
  return { timeLimited, shortfalls, failed: [...failed] }
}
