import type { Extent, Point } from '../core/image.ts'
import { completeHeads, startsThatHoldHeads } from './parts/all-heads.ts'
import { bearOut } from './parts/borne-out.ts'
import { facesOn } from './parts/face-parts.ts'
import { objectsOn } from './parts/object-parts.ts'
import { clamp, keptOf, type WindowAxis } from './parts/scene-part.ts'
import { textOn } from './parts/text-parts.ts'
import { MAP_SIDE } from './saliency/saliency.ts'
import type { Scene } from './scene.ts'

/** Positions of the window that are compared. */
const POSITIONS = 128
/** Share of a side that a window keeps where nothing else is asked for. */
const USUAL_SHARE = 0.6

/**
 * The middle of the window that shows most of what matters in all scenes (frames of one animation; usually one). Along the
 * side that the shape of `output` leaves free it is that window's middle; along the other, of a window of the usual share.
 */
export const chooseFocus = (found: readonly Scene[], output?: Extent): Point => {
  const scenes = found.map((scene) => ({ ...scene, faces: bearOut(scene) }))
  const [image] = scenes
  if (image === undefined) return { x: 0.5, y: 0.5 }
  const shareX = output === undefined ? 1 : (output.width * image.height) / (output.height * image.width)
  return {
    x: chooseMiddle(scenes, 'x', shareX < 1 ? shareX : USUAL_SHARE),
    y: chooseMiddle(scenes, 'y', shareX > 1 ? 1 / shareX : USUAL_SHARE),
  }
}

const chooseMiddle = (scenes: readonly Scene[], axis: WindowAxis, share: number): number => {
  const worths = scenes.map((scene) => openWorth(scene, axis, share))
  const { from, to } = startsThatHoldHeads(scenes, axis, share)
  const starts = Array.from({ length: POSITIONS + 1 }, (_, step) => from + ((to - from) * step) / POSITIONS)
  const tried = starts.map((start) => ({
    start,
    worth: worths.reduce((sum, worthOf) => sum + worthOf(start), 0) / scenes.length,
  }))
  return completeHeads(scenes, axis, share, settle(tried, bestOf(tried, share))) + share / 2
}

/** A place of the window, by its start as a share of the side. */
interface Tried {
  readonly start: number
  readonly worth: number
}

const TIE = 1e-9

const bestOf = (tried: readonly Tried[], share: number): Tried =>
  tried.reduce((best, one) => {
    // Of equal windows the one nearest to the middle: an even image is cropped at its centre.
    const nearer = Math.abs(one.start + share / 2 - 0.5) < Math.abs(best.start + share / 2 - 0.5)
    return one.worth > best.worth + TIE || (nearer && one.worth > best.worth - TIE) ? one : best
  })

/** Worth by which a window must fall behind the best to count only 1/e as much as it; and how far from it others count, in shares of the side. */
const EQUAL = 0.02
const NEAR = 0.06

/** Where worth hardly changes, the middle of what is about as good as the best: the very best moves with the least difference between copies. */
const settle = (tried: readonly Tried[], best: Tried): number => {
  let [sum, weighted] = [0, 0]
  for (const { start, worth } of tried) {
    if (Math.abs(start - best.start) > NEAR) continue
    const weight = Math.exp((worth - best.worth) / EQUAL)
    sum += weight
    weighted += weight * start
  }
  return weighted / sum
}

/**
 * Weights of what a window shows, and of how its middle lies: medians of five fits, each on four fifths of 113 labelled
 * photographs at three sizes, rounded. See docs/crop.md for what the parts left out showed, and how flat the optimum is.
 */
const WEIGHT = { saliency: 0.8, balance: 16, centre: 0.05 } as const
/** Saliency is raised to this power: what is likely the subject counts, what may be does not add up. */
const POWER = 4
/** Share of the window at either end where saliency counts half: nothing should touch the edge. */
const INSET = 0.08

const openWorth = (scene: Scene, axis: WindowAxis, share: number): ((start: number) => number) => {
  const { massWithin, middle } = project(scene.saliency, axis)
  const target = clamp(middle, share / 2, 1 - share / 2)
  const parts = [...facesOn(scene, axis, share), ...textOn(scene, axis), ...objectsOn(scene, axis, share)]
  return (start) => {
    const inset = INSET * share
    const mass = (massWithin(start, start + share) + massWithin(start + inset, start + share - inset)) / 2
    const centre = start + share / 2
    const shown = parts.reduce((sum, part) => sum + part.weight * part.worth(keptOf(part, start, share)), 0)
    // A small window goes where most is; a large one has the whole of what matters in its middle.
    const off = WEIGHT.balance * (share * (centre - target)) ** 2 + WEIGHT.centre * (centre - 0.5) ** 2
    return WEIGHT.saliency * mass + shown - off
  }
}

/** The saliency along one side, as the share of all that lies between two places, and the middle of it. */
const project = (saliency: Float32Array, axis: WindowAxis) => {
  const sums = new Float64Array(MAP_SIDE + 1)
  saliency.forEach((value, at) => {
    sums[(axis === 'x' ? at % MAP_SIDE : Math.floor(at / MAP_SIDE)) + 1]! += value ** POWER
  })
  let middle = 0
  for (let at = 1; at <= MAP_SIDE; at++) {
    middle += (sums[at]! * (at - 0.5)) / MAP_SIDE
    sums[at]! += sums[at - 1]!
  }
  const total = sums[MAP_SIDE]! || 1
  const upTo = (place: number): number => {
    const at = clamp(place, 0, 1) * MAP_SIDE
    const whole = Math.min(MAP_SIDE - 1, Math.floor(at))
    return (sums[whole]! + (sums[whole + 1]! - sums[whole]!) * (at - whole)) / total
  }
  return { massWithin: (from: number, to: number): number => upTo(to) - upTo(from), middle: middle / total }
}
