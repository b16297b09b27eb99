import { deadlineIn } from '../../src/core/deadline.ts'
import type { Examine, SearchRequest } from '../../src/formats/format.ts'
import { openStepPace } from '../../src/formats/step-pace.ts'
import type { Ssimulacra2Reference } from '../../src/metric/ssimulacra2/ssimulacra2.ts'

type Given = Pick<SearchRequest, 'pixels' | 'beat' | 'outOfTime'> & {
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

/** A request for the medium preset of a photograph that is judged by `prepared`. */
export const mediumRequest = ({ prepared, remaining, ...given }: Given): SearchRequest => ({
  ...given,
  features: { opaque: true, grey: false, colours: 257, flatness: 0 },
  wanted: { kind: 'score', goal: { score: 70.25, slack: 1 } },
  examine: examineBy(prepared),
  ssimulacra2: (candidate) => prepared.compare(candidate),
  tileScore: () => 100,
  mostButteraugli: 1.5,
  examinePart: () => {
    throw new Error('a photograph has no busy blocks')
  },
  deadline: { ...deadlineIn(60_000), remaining },
  pace: openStepPace(),
  alone: true,
  encoded: () => undefined,
})
