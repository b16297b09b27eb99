import type { Raster, StillFormat } from '../../core/image.ts'
import type { Made } from '../../core/outcome.ts'
import type { Density } from '../../core/units.ts'
import { openExaminer } from '../../formats/examine.ts'
import type { Candidate, SearchRequest } from '../../formats/format.ts'
import { CODECS } from '../../formats/registry.ts'
import { processMetrics } from '../../metric/metrics.ts'
import type { Target } from '../../plan/plan.ts'
import type { BoundName } from '../../plan/promise.ts'
import { goalFor } from '../../plan/targets.ts'
import type { BestResult } from './best-result.ts'
import { openOdds } from './may-win.ts'
import type { Report } from './report.ts'

/** Points above the goal that are near enough: a search stops there. */
const SLACK = 1

// Begun with the child and not with its first job; a failure is told by whoever awaits it.
processMetrics().catch(() => undefined)

const wantedBy = (target: Target): SearchRequest['wanted'] =>
  target.kind === 'lossless'
    ? { kind: 'lossless' }
    : { kind: 'score', goal: { score: goalFor(target.score), slack: SLACK } }

/** What is searched for. */
export interface Search {
  readonly pixels: Raster
  readonly features: SearchRequest['features']
  readonly formats: readonly StillFormat[]
  readonly target: Target
  readonly density: Density
  /** What is known of the pixels, for each result. */
  readonly known: Pick<Made, 'focus'>
}

export interface Searched {
  /** More time would have been used. */
  readonly timeLimited: boolean
  /** Bounds that the best candidate breaks; none when it keeps the promise. */
  readonly broken: readonly BoundName[]
}

/** Whether time is over, and not that nobody waits any more. */
const isTimeout = ({ reason }: AbortSignal): boolean => reason instanceof DOMException && reason.name === 'TimeoutError'

/** Searches every format of the shortlist in order of promise; of the candidates the best is kept. */
export const searchFormats = async (report: Report, candidates: BestResult, search: Search): Promise<Searched> => {
  const { pixels, features, target, known } = search
  let timeLimited = false
  let broken: readonly BoundName[] = []
  using examiner = openExaminer(await processMetrics(), search)
  const request: SearchRequest = {
    pixels,
    features,
    wanted: wantedBy(target),
    ...examiner,
    deadline: report.deadline,
    alone: search.formats.length === 1,
    beat: candidates.beat,
    letOthersFirst: async (bytes) => {
      let searched = false
      for (const format of waiting) {
        if (!(await odds.isLikelyBelow(format, bytes))) continue
        await searchIn(format)
        searched = true
      }
      return searched
    },
    encoded: candidates.encoded,
    outOfTime: () => {
      timeLimited = true
    },
  }
  const offer = async ({ format, bytes, examined, lossless }: Candidate): Promise<void> => {
    const { width, height } = pixels
    const before = candidates.best()?.path
    const { score, butteraugli } = examined ?? {}
    const scored = {
      ...known,
      ...(score === undefined ? {} : { score }),
      ...(butteraugli === undefined ? {} : { butteraugli }),
    }
    const meetsTarget = lossless || (target.kind === 'score' && examined?.keeps === true)
    await candidates.add({ format, data: bytes, width, height, meetsTarget, ...scored })
    if (candidates.best()?.path !== before) broken = examined?.broken ?? []
  }
  const odds = openOdds(request)
  const waiting = new Set(search.formats)
  const { signal } = report.deadline
  // Where time is over and nothing is there yet, what is begun then takes the quickest way.
  const isOver = (): boolean => signal.aborted && (candidates.best() !== undefined || !isTimeout(signal))
  const runSearch = async (format: StillFormat): Promise<void> => {
    for await (const candidate of CODECS[format].search(request)) {
      await offer(candidate)
      if (isOver()) return request.outOfTime()
    }
  }
  const searchIn = async (format: StillFormat): Promise<void> => {
    waiting.delete(format)
    await runSearch(format)
    // Time ended in the middle of it.
    if (signal.aborted && candidates.best() === undefined && !isOver()) await runSearch(format)
  }
  for (const format of search.formats)
    if (waiting.has(format) && !isOver() && (await odds.mayWin(format))) await searchIn(format)
  return { timeLimited, broken }
}
