import { GRID, type Plane, planeOf } from './grid.ts'
import type { LabImage } from './lab.ts'

/** Width of the strips along the border that count as background. */
const STRIP = Math.round(GRID * 0.1)
/** Added to the variances, so that an even border does not make every other colour infinitely far. */
const ADDED_VARIANCE = 4

type Vector = readonly [number, number, number]
/** A matrix that equals its transpose. */
type Symmetric = readonly [Vector, Vector, Vector]

/**
 * Difference of a cell from the border (MB+, Zhang et al. 2015): the sum of the Mahalanobis distances from the colours of the four border
 * strips, without the largest. So a subject that touches one side does not count as background.
 */
export const borderDistance = (lab: LabImage): Plane => {
  const distances = STRIPS.map((inside) => distanceFrom(lab, inside))
  const [top, bottom, left, right] = distances as [Plane, Plane, Plane, Plane]
  return planeOf((at) => {
    const most = Math.max(top[at]!, bottom[at]!, left[at]!, right[at]!)
    return top[at]! + bottom[at]! + left[at]! + right[at]! - most
  })
}

const STRIPS: readonly ((x: number, y: number) => boolean)[] = [
  (_, y) => y < STRIP,
  (_, y) => y >= GRID - STRIP,
  (x) => x < STRIP,
  (x) => x >= GRID - STRIP,
]

const distanceFrom = (lab: LabImage, inside: (x: number, y: number) => boolean): Plane => {
  const cells = Array.from({ length: GRID * GRID }, (_, at) => at).filter((at) =>
    inside(at % GRID, Math.floor(at / GRID)),
  )
  const mean = lab.map((plane) => cells.reduce((sum, at) => sum + plane[at]! / cells.length, 0)) as unknown as Vector
  const inverse = invert(covariance(lab, cells, mean))
  const [[aa, ab, ac], [, bb, bc], [, , cc]] = inverse as unknown as Symmetric
  const plane = planeOf((at) => {
    const a = lab[0][at]! - mean[0]
    const b = lab[1][at]! - mean[1]
    const c = lab[2][at]! - mean[2]
    return Math.sqrt(Math.max(0, a * a * aa + b * b * bb + c * c * cc + 2 * (a * b * ab + a * c * ac + b * c * bc)))
  })
  const most = plane.reduce((a, b) => Math.max(a, b), 0) || 1
  return plane.map((value) => value / most)
}

const covariance = (lab: LabImage, cells: readonly number[], mean: Vector): number[][] =>
  lab.map((a, row) =>
    lab.map((b, column) => {
      const sum = cells.reduce((total, at) => total + (a[at]! - mean[row]!) * (b[at]! - mean[column]!), 0)
      return sum / cells.length + (row === column ? ADDED_VARIANCE : 0)
    }),
  )

/** Inverse of a 3 x 3 matrix by its adjugate. */
const invert = (m: readonly (readonly number[])[]): number[][] => {
  const cofactor = (row: number, column: number): number => {
    const at = (r: number, c: number): number => m[(row + r) % 3]![(column + c) % 3]!
    return at(1, 1) * at(2, 2) - at(1, 2) * at(2, 1)
  }
  const determinant = m[0]![0]! * cofactor(0, 0) + m[0]![1]! * cofactor(0, 1) + m[0]![2]! * cofactor(0, 2)
  return [0, 1, 2].map((row) => [0, 1, 2].map((column) => cofactor(column, row) / determinant))
}
