import type { BoundName } from '../../plan/promise.ts'
import { butteraugliBound, effectiveScore } from '../../plan/targets.ts'
import type { Margins } from '../../search/margins.ts'
import type { Examined, SearchRequest } from '../format.ts'

/** Points of SSIMULACRA 2.1 by which bounds are raised. */
export interface Aim {
  /** Of figures over the whole. */
  readonly overall: number
  /** Of colours and contours, which are those of a single tile. */
  readonly artefacts: number
}

const BY_TILE: ReadonlySet<BoundName> = new Set(['tileColour', 'contour'])

const lowered = (margins: Margins<BoundName>, { overall, artefacts }: Aim): Margins<BoundName> =>
  Object.fromEntries(
    (Object.keys(margins) as BoundName[]).map((bound) => [
      bound,
      margins[bound]! - (BY_TILE.has(bound) ? artefacts : overall),
    ]),
  )

const examinedFor = (examined: Examined, aim: Aim): Examined => {
  const margins = lowered(examined.margins, aim)
  const broken = (Object.keys(margins) as BoundName[]).filter((bound) => margins[bound]! < 0)
  return { ...examined, margins, broken, keeps: examined.keeps && broken.length === 0 }
}

/** The request as if its bounds were higher. */
export const aimHigher = (request: SearchRequest, aim: Aim): SearchRequest => {
  const { wanted, mostButteraugli } = request
  if (wanted.kind === 'lossless') return request
  const { overall, artefacts } = aim
  return {
    ...request,
    wanted: { ...wanted, goal: { ...wanted.goal, score: wanted.goal.score + overall } },
    mostButteraugli: butteraugliBound(effectiveScore(mostButteraugli) + overall),
    tileScore: (candidate) => request.tileScore(candidate) + overall - artefacts,
    examine: (candidate, ...how) => examinedFor(request.examine(candidate, ...how), aim),
  }
}
