import { GRID, type Plane } from './grid.ts'

/** Passes over the grid, alternately from one corner and the opposite one. */
const PASSES = 4

/**
 * Minimum barrier distance of each cell: the smallest range of values on a path to the grid's border (Zhang et al. 2015).
 * The paths found depend on the corner where passes begin, so both the top left and the top right are used.
 */
export const barrierDistance = (plane: Plane): Plane => {
  const fromRight = smallestRanges(plane, -1)
  return smallestRanges(plane, 1).map((distance, at) => Math.min(distance, fromRight[at]!))
}

/** The smallest range of values on the paths that the passes find. The first pass goes down, and right or left. */
const smallestRanges = (plane: Plane, right: 1 | -1): Plane => {
  const state = { plane, distance: new Float32Array(plane.length).fill(1e9), most: plane.slice(), least: plane.slice() }
  for (let at = 0; at < GRID; at++) {
    for (const border of [at, (GRID - 1) * GRID + at, at * GRID, at * GRID + GRID - 1]) state.distance[border] = 0
  }
  for (let pass = 0; pass < PASSES / 2; pass++) {
    sweep(state, right, 1)
    sweep(state, right === 1 ? -1 : 1, -1)
  }
  return state.distance
}

interface Barrier {
  readonly plane: Plane
  readonly distance: Plane
  /** Largest and smallest value on the best path found. */
  readonly most: Plane
  readonly least: Plane
}

/** Visits the inner cells in the given direction. */
const sweep = (state: Barrier, right: 1 | -1, down: 1 | -1): void => {
  for (let row = 1; row < GRID - 1; row++) {
    const y = down === 1 ? row : GRID - 1 - row
    for (let column = 1; column < GRID - 1; column++) {
      const at = y * GRID + (right === 1 ? column : GRID - 1 - column)
      relax(state, at, at - right)
      relax(state, at, at - down * GRID)
    }
  }
}

/** Continues the neighbour's path if that gives a lower barrier. */
const relax = ({ plane, distance, most, least }: Barrier, at: number, from: number): void => {
  const high = Math.max(most[from]!, plane[at]!)
  const low = Math.min(least[from]!, plane[at]!)
  if (high - low >= distance[at]!) return
  distance[at] = high - low
  most[at] = high
  least[at] = low
}
