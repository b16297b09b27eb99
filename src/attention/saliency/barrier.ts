import { GRID, type Plane, planeOf } from './grid.ts'

/** Passes over the grid, alternately from the top left and the bottom right. */
const PASSES = 4

/**
 * Minimum barrier distance of each cell from the grid's border: the least range of values on a way there (Zhang et al.
 * 2015). Which ways are found depends on where passes begin, so the mirrored grid's are looked for too.
 */
export const barrierDistance = (plane: Plane): Plane => {
  const mirrored = mirror(waysFound(mirror(plane)))
  return waysFound(plane).map((distance, at) => Math.min(distance, mirrored[at]!))
}

const mirror = (plane: Plane): Plane => planeOf((at) => plane[at - (at % GRID) + GRID - 1 - (at % GRID)]!)

/** The least range of values on a way from each cell to the border, among the ways that the passes come by. */
const waysFound = (plane: Plane): Plane => {
  const state = { plane, distance: new Float32Array(plane.length).fill(1e9), most: plane.slice(), least: plane.slice() }
  for (let at = 0; at < GRID; at++) {
    for (const border of [at, (GRID - 1) * GRID + at, at * GRID, at * GRID + GRID - 1]) state.distance[border] = 0
  }
  for (let pass = 0; pass < PASSES; pass++) sweep(state, pass % 2 === 0 ? 1 : -1)
  return state.distance
}

interface Barrier {
  readonly plane: Plane
  readonly distance: Plane
  /** Largest and smallest value on the best way found. */
  readonly most: Plane
  readonly least: Plane
}

const sweep = (state: Barrier, direction: 1 | -1): void => {
  const first = direction === 1 ? 1 : GRID - 2
  for (let y = first; y > 0 - (1 - direction) / 2 && y < GRID - (1 - direction) / 2; y += direction) {
    for (let x = first; x > 0 && x < GRID - 1; x += direction) {
      const at = y * GRID + x
      relax(state, at, at - direction)
      relax(state, at, at - direction * GRID)
    }
  }
}

/** Takes the neighbour's way where going on from there is the lower barrier. */
const relax = ({ plane, distance, most, least }: Barrier, at: number, from: number): void => {
  const high = Math.max(most[from]!, plane[at]!)
  const low = Math.min(least[from]!, plane[at]!)
  if (high - low >= distance[at]!) return
  distance[at] = high - low
  most[at] = high
  least[at] = low
}
