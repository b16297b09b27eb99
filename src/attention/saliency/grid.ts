/** Side of the square grid that classical features are computed on; the image is stretched to it. */
export const GRID = 64
export const CELLS = GRID * GRID

/** A plane of values on the grid, row by row. */
export type Plane = Float32Array

/** A plane computed cell by cell. */
export const planeOf = (value: (at: number) => number): Plane => {
  const plane = new Float32Array(CELLS)
  for (let at = 0; at < CELLS; at++) plane[at] = value(at)
  return plane
}

/** A plane scaled to 0..1 by its extremes; constant planes become 0. */
export const normalise = (plane: Plane): Plane => {
  let [least, most] = [Infinity, -Infinity]
  for (const value of plane) {
    least = Math.min(least, value)
    most = Math.max(most, value)
  }
  const range = most - least || 1
  return plane.map((value) => (value - least) / range)
}

/** Gaussian blur with the given sigma in cells, to 2.5 sigma; the edge is repeated. */
export const blur = (plane: Plane, sigma: number): Plane => {
  const taps = tapsOf(sigma)
  return along(along(plane, taps, 1, GRID), taps, GRID, 1)
}

const tapsOf = (sigma: number): Float64Array => {
  const reach = Math.ceil(sigma * 2.5)
  const taps = Float64Array.from({ length: 2 * reach + 1 }, (_, k) =>
    Math.exp(-((k - reach) ** 2) / (2 * sigma * sigma)),
  )
  const sum = taps.reduce((total, tap) => total + tap, 0)
  return taps.map((tap) => tap / sum)
}

/** Filters lines. Their cells are `step` apart, and the lines begin `start` apart. */
const along = (plane: Plane, taps: Float64Array, step: number, start: number): Plane => {
  const reach = taps.length >> 1
  const out = new Float32Array(CELLS)
  const line = new Float64Array(GRID + 2 * reach)
  for (let first = 0; first < GRID * start; first += start) {
    for (let at = -reach; at < GRID + reach; at++)
      line[at + reach] = plane[first + Math.min(GRID - 1, Math.max(0, at)) * step]!
    for (let at = 0; at < GRID; at++) {
      let sum = taps[reach]! * line[at + reach]!
      for (let k = 0; k < reach; k++) sum += taps[k]! * (line[at + k]! + line[at + 2 * reach - k]!)
      out[first + at * step] = sum
    }
  }
  return out
}
