import type { Point } from '../core/image.ts'
import type { Found } from './boxes.ts'
import { logistic } from './logistic.ts'
import { rampUp } from './parts/scene-part.ts'

/** Side of the network's input, px. It was trained at 192; less is enough for the head of one person. */
export const POSE_SIDE = 128
/** Cells along a side of its output grids. */
const GRID = 32
/** Points of a body: nose, two eyes, two ears, the shoulders, and others. */
const POINTS = 17
const ON_HEAD = [0, 1, 2, 3, 4] as const
const SHOULDERS = [5, 6] as const

/** Outputs of the pose network for each cell: logits of the body's centre and points, distances of the points from the centre, and offsets within cells. */
export interface PoseOutputs {
  readonly centres: Float32Array
  readonly points: Float32Array
  readonly reaches: Float32Array
  readonly offsets: Float32Array
}

/** A point in cells of the grid, with its score. */
interface Spot {
  readonly x: number
  readonly y: number
  readonly score: number
}

/** Smallest mean score of a head's points: 19 in 20 false persons had less than 0.29. */
const MIN_SCORE = 0.33
/** Means between which the score of a head rises. */
const CERTAIN = [0.25, 0.42] as const
/** Distances in heights of a head with its hair, measured on labelled heads: from its points to the shoulders, and between the ears. */
const HEIGHTS = { shoulders: 0.57, ears: 0.6 } as const
/** Half of a head along and across the body, in its heights, with some room; and its shift beyond its points, as a share of the way from the shoulders. */
const HALF = { along: 0.55, across: 0.47 } as const
const FURTHER = 0.03

/** A head, and the direction from the shoulders to its crown: a vector of length 1 in px. */
export interface PosedHead extends Found {
  readonly up: Point
}

/**
 * The head of the body in the middle of the network's input, at any angle, in fractions of the input (MoveNet); undefined
 * if none is found. Each point is the mean of its positions in the input and in the mirror image.
 */
export const decodeHead = (outputs: PoseOutputs, mirrored: PoseOutputs): PosedHead | undefined => {
  const once = locateIn(outputs)
  const again = locateIn(mirrored)
  const place = (point: number): Spot => meanOf(once(point), inMirror(again(pointInMirror(point))))
  const points = ON_HEAD.map(place)
  const mean = points.reduce((sum, { score }) => sum + score, 0) / points.length
  if (mean < MIN_SCORE) return undefined
  const middle = middleOf(points)
  const shoulders = middleOf(SHOULDERS.map(place))
  const [x, y] = [middle.x - shoulders.x, middle.y - shoulders.y]
  const neck = Math.max(Number.EPSILON, Math.hypot(x, y))
  const height = Math.max(neck / HEIGHTS.shoulders, distanceOf(points[3]!, points[4]!) / HEIGHTS.ears)
  const halfWidth = height * Math.hypot((HALF.along * x) / neck, (HALF.across * y) / neck)
  const halfHeight = height * Math.hypot((HALF.along * y) / neck, (HALF.across * x) / neck)
  return {
    x: (middle.x + FURTHER * x - halfWidth) / GRID,
    y: (middle.y + FURTHER * y - halfHeight) / GRID,
    width: (2 * halfWidth) / GRID,
    height: (2 * halfHeight) / GRID,
    score: rampUp(mean, CERTAIN),
    up: { x: x / neck, y: y / neck },
  }
}

/** Points after the nose are pairs, left and right, which swap in a mirror. */
const pointInMirror = (point: number): number => (point === 0 ? 0 : ((point - 1) ^ 1) + 1)
const inMirror = (spot: Spot): Spot => ({ ...spot, x: GRID - spot.x })

/** The middle of a point's two positions, with their mean score. */
const meanOf = (one: Spot, other: Spot): Spot => ({ ...middleOf([one, other]), score: (one.score + other.score) / 2 })

const distanceOf = (a: Spot, b: Spot): number => Math.hypot(a.x - b.x, a.y - b.y)

/** The cell with the highest score, where the score from `surenessAt` falls with the distance from `near`. */
const surest = (near: Pick<Spot, 'x' | 'y'>, surenessAt: (cell: number) => number): number => {
  let [best, most] = [0, 0]
  for (let cell = 0; cell < GRID * GRID; cell++) {
    const far = Math.hypot((cell % GRID) - near.x, Math.floor(cell / GRID) - near.y)
    const sureness = surenessAt(cell) / (far + SLOW)
    if (sureness > most) [best, most] = [cell, sureness]
  }
  return best
}

/** Added to distances, in cells, as in the network's own graph. */
const SLOW = 1.8

/** The cell of a body's centre, preferably in the middle of the input. */
const middleOfBody = ({ centres }: PoseOutputs): number =>
  surest({ x: GRID / 2, y: GRID / 2 }, (cell) => logistic(centres[cell]!))

/** The points of the body in the middle. */
const locateIn = (outputs: PoseOutputs): ((point: number) => Spot) => {
  const body = middleOfBody(outputs)
  return (point) => locate(outputs, body, point)
}

/** A point of the body whose centre is in a cell, preferably near its predicted position. */
const locate = ({ points, reaches, offsets }: PoseOutputs, body: number, point: number): Spot => {
  const reach = 2 * (body * POINTS + point)
  const near = { x: (body % GRID) + reaches[reach + 1]!, y: Math.floor(body / GRID) + reaches[reach]! }
  const cell = surest(near, (at) => logistic(points[at * POINTS + point]!))
  const offset = 2 * (cell * POINTS + point)
  return {
    x: (cell % GRID) + offsets[offset + 1]!,
    y: Math.floor(cell / GRID) + offsets[offset]!,
    score: logistic(points[cell * POINTS + point]!),
  }
}

/** The mean of points, weighted by their squared scores. */
const middleOf = (spots: readonly Spot[]): Spot => {
  let [x, y, sum] = [0, 0, Number.EPSILON]
  for (const spot of spots) {
    const weight = spot.score ** 2
    sum += weight
    x += weight * spot.x
    y += weight * spot.y
  }
  return { x: x / sum, y: y / sum, score: 1 }
}
