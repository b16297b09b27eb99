import type { Point } from '../core/image.ts'
import type { Found } from './boxes.ts'
import { rampUp } from './parts/scene-part.ts'

/** Side of the network's input, px. It was trained at 192; to find a head in a picture of one person less is enough. */
export const POSE_SIDE = 128
/** Cells along the side of the grids that it puts out. */
const GRID = 32
/** Points of a body: the first are the nose, two eyes and two ears, then come the shoulders. */
const POINTS = 17
const ON_HEAD = [0, 1, 2, 3, 4] as const
const SHOULDERS = [5, 6] as const

/** What the network of poses puts out for each cell: logits of a body's middle and of its points, how far those lie from the middle, and from the cell. */
export interface PoseOutputs {
  readonly centres: Float32Array
  readonly points: Float32Array
  readonly reaches: Float32Array
  readonly offsets: Float32Array
}

/** A place, in cells of the grid, and how sure it is. */
interface Spot {
  readonly x: number
  readonly y: number
  readonly score: number
}

/** Mean certainty of the points of a head from which on there is one: of persons who are none 19 in 20 had less than 0.29. */
const LEAST = 0.33
/** Means between which a head is ever surer. */
const CERTAIN = [0.25, 0.42] as const
/** Distances in heights of a head with its hair, as on labelled heads: from its points to the shoulders, and between the ears. */
const HEIGHTS = { shoulders: 0.57, ears: 0.6 } as const
/** Half of a head along the body and across it, in its heights, with a little room; and by how much of the way from the shoulders it lies further than its points. */
const HALF = { along: 0.55, across: 0.47 } as const
const FURTHER = 0.03

/** A head, and which way its crown lies from the shoulders: a vector of length 1 in px. */
export interface PosedHead extends Found {
  readonly up: Point
}

/**
 * The head of the body in the middle of the network's input, in fractions of that, to whichever side it lies (MoveNet);
 * undefined where none is seen. Each point lies at the mean of where it was seen in the input and in its mirror image.
 */
export const decodeHead = (outputs: PoseOutputs, mirrored: PoseOutputs): PosedHead | undefined => {
  const once = locateIn(outputs)
  const again = locateIn(mirrored)
  const place = (point: number): Spot => meanOf(once(point), inMirror(again(pointInMirror(point))))
  const points = ON_HEAD.map(place)
  const mean = points.reduce((sum, { score }) => sum + score, 0) / points.length
  if (mean < LEAST) return undefined
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

/** Points after the nose come in pairs, left and right, which change places in a mirror. */
const pointInMirror = (point: number): number => (point === 0 ? 0 : ((point - 1) ^ 1) + 1)
const inMirror = (spot: Spot): Spot => ({ ...spot, x: GRID - spot.x })

/** The middle of where a point was seen twice, and how sure both are in the mean. */
const meanOf = (one: Spot, other: Spot): Spot => ({ ...middleOf([one, other]), score: (one.score + other.score) / 2 })

const sigmoid = (logit: number): number => 1 / (1 + Math.exp(-logit))

const distanceOf = (a: Spot, b: Spot): number => Math.hypot(a.x - b.x, a.y - b.y)

/** The cell where something is surest: `surenessAt` a cell counts less with its distance from `near`. */
const surest = (near: Pick<Spot, 'x' | 'y'>, surenessAt: (cell: number) => number): number => {
  let [best, most] = [0, 0]
  for (let cell = 0; cell < GRID * GRID; cell++) {
    const far = Math.hypot((cell % GRID) - near.x, Math.floor(cell / GRID) - near.y)
    const sureness = surenessAt(cell) / (far + SLOW)
    if (sureness > most) [best, most] = [cell, sureness]
  }
  return best
}

/** Cells by which a distance counts as longer than it is, as the network's own graph has it. */
const SLOW = 1.8

/** The cell of a body's middle, best in that of the input. */
const middleOfBody = ({ centres }: PoseOutputs): number =>
  surest({ x: GRID / 2, y: GRID / 2 }, (cell) => sigmoid(centres[cell]!))

/** Where points of the body in the middle lie. */
const locateIn = (outputs: PoseOutputs): ((point: number) => Spot) => {
  const body = middleOfBody(outputs)
  return (point) => locate(outputs, body, point)
}

/** A point of the body whose middle lies in a cell, best where it should lie from there. */
const locate = ({ points, reaches, offsets }: PoseOutputs, body: number, point: number): Spot => {
  const reach = 2 * (body * POINTS + point)
  const near = { x: (body % GRID) + reaches[reach + 1]!, y: Math.floor(body / GRID) + reaches[reach]! }
  const cell = surest(near, (at) => sigmoid(points[at * POINTS + point]!))
  const offset = 2 * (cell * POINTS + point)
  return {
    x: (cell % GRID) + offsets[offset + 1]!,
    y: Math.floor(cell / GRID) + offsets[offset]!,
    score: sigmoid(points[cell * POINTS + point]!),
  }
}

/** The middle of places, surer ones more. */
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
