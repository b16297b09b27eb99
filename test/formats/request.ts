import { deadlineIn } from '../../src/core/deadline.ts'
import type { SearchRequest } from '../../src/formats/format.ts'
import type { Ssimulacra2Reference } from '../../src/metric/ssimulacra2/ssimulacra2.ts'

type Given = Pick<SearchRequest, 'pixels' | 'beat' | 'hurried'> & {
  readonly prepared: Ssimulacra2Reference
  /** ms that seem to be left, so that nothing here depends on how fast the machine is. */
  readonly remaining: () => number
}

/** A request for the medium preset of a photograph that is judged by `prepared`. */
export const mediumRequest = ({ prepared, remaining, ...given }: Given): SearchRequest => ({
  ...given,
  traits: { opaque: true, grey: false, colours: 257 },
  wanted: { kind: 'score', goal: { score: 70.25, slack: 1 } },
  judge: (candidate) => prepared.compare(candidate),
  examine: (candidate) => prepared.scores(candidate),
  deadline: { ...deadlineIn(60_000), remaining },
  encoded: () => undefined,
})
