import { deadlineIn } from '../../src/core/deadline.ts'
import type { Examine, SearchRequest } from '../../src/formats/format.ts'
import { openStepPace } from '../../src/formats/step-pace.ts'
import type { Ssimulacra2Reference } from '../../src/metric/ssimulacra2/ssimulacra2.ts'

type Given = Pick<SearchRequest, 'pixels' | 'bytesToBeat' | 'outOfTime'> & {
  readonly prepared: Ssimulacra2Reference
  /** ms that seem to be left, so that nothing here depends on how fast the machine is. */
  readonly remaining: () => number
}

const examineBy =
  (prepared: Ssimulacra2Reference): Examine =>
  (candidate) => {
    const score = prepared.compare(candidate)
    const known = { margins: { ssimulacra: score - 70.25 }, figures: { ssimulacra: score } }
    return { score, butteraugli: 0, effective: score, keeps: score >= 70.25, broken: [], ...known }
  }

/** An encoder's axis whose score rises by a point a step, from 20, and its bytes by 5 % a point. */
export const STRAIGHT = {
  axis: { min: 1, max: 100, step: 1 },
  curve: [
    [0, 20],
    [100, 120],
  ],
  rise: [
    [0, 0.05],
    [100, 0.05],
  ],
} as const

type Scripted = Pick<SearchRequest, 'pixels' | 'examine'> & Partial<SearchRequest>

/** A request for a score of a photograph whose measurements the test gives. It has a lot of time. */
export const scriptedRequest = (given: Scripted): SearchRequest => ({
  features: { opaque: true, grey: false, colours: 257, flatness: 0, planes: 0 },
  wanted: { kind: 'score', goal: { score: 70, slack: 1 } },
  ssimulacra2: () => 70,
  tileScore: () => 70,
  mostButteraugli: 1.5,
  examinePart: () => {
    throw new Error('a photograph has no busy blocks')
  },
  deadline: { remaining: () => 1e9, signal: new AbortController().signal },
  pace: openStepPace(),
  alone: true,
  bytesToBeat: () => Number.POSITIVE_INFINITY,
  encoded: () => undefined,
  outOfTime: () => undefined,
  ...given,
})

/** A request for the medium preset of a photograph that is judged by `prepared`. */
export const mediumRequest = ({ prepared, remaining, ...given }: Given): SearchRequest =>
  scriptedRequest({
    ...given,
    wanted: { kind: 'score', goal: { score: 70.25, slack: 1 } },
    examine: examineBy(prepared),
    ssimulacra2: (candidate) => prepared.compare(candidate),
    tileScore: () => 100,
    deadline: { ...deadlineIn(60_000), remaining },
  })
