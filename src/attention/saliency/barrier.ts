import { GRID, type Plane } from './grid.ts'

/** Passes over the grid, alternately from one corner and the one across. */
const PASSES = 4

/**
 * Minimum barrier distance of each cell from the grid's border: the least range of values on a way there (Zhang et al.
 * 2015). Which ways are found depends on where passes begin: from the corners at the top left and right alike.
 */
export const barrierDistance = (plane: Plane): Plane => {
  const fromRight = waysFound(plane, -1)
  return waysFound(plane, 1).map((distance, at) => Math.min(distance, fromRight[at]!))
}

/** The least range of values on a way from each cell to the border, among those that the passes come by: the first goes down, and right or left. */
const waysFound = (plane: Plane, right: 1 | -1): Plane => {
  const state = { plane, distance: new Float32Array(plane.length).fill(1e9), most: plane.slice(), least: plane.slice() }
  for (let at = 0; at < GRID; at++) {
    for (const border of [at, (GRID - 1) * GRID + at, at * GRID, at * GRID + GRID - 1]) state.distance[border] = 0
  }
  for (let pass = 0; pass < PASSES; pass++) {
    if (pass % 2 === 0) sweep(state, right, 1)
    else sweep(state, right === 1 ? -1 : 1, -1)
  }
  return state.distance
}

interface Barrier {
  readonly plane: Plane
  readonly distance: Plane
  /** Largest and smallest value on the best way found. */
  readonly most: Plane
  readonly least: Plane
}

/** Visits the cells inside the border, those first that lie farthest from where it goes. */
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

/** Takes the neighbour's way where going on from there is the lower barrier. */
const relax = ({ plane, distance, most, least }: Barrier, at: number, from: number): void => {
  const high = Math.max(most[from]!, plane[at]!)
  const low = Math.min(least[from]!, plane[at]!)
  if (high - low >= distance[at]!) return
  distance[at] = high - low
  most[at] = high
  least[at] = low
}
