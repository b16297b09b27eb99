import type { Extent, Point } from '../core/image.ts'
import { clamp } from '../search/curve.ts'
import { FITTED_CROP } from './parts/crop.fitted.ts'
import { completeHeads, startsThatHoldHeads } from './parts/heads.ts'
import { worthOfParts } from './parts/rules.ts'
import type { WindowAxis, WindowSide } from './parts/stretch.ts'
import { corroborateFaces } from './parts/subjects.ts'
import { MAP_SIDE } from './saliency/saliency.ts'
import type { Scene } from './scene.ts'

/** Positions of the window that are compared. */
const POSITIONS = 128
/** Share of a side that a window keeps by default. */
const DEFAULT_SHARE = 0.6

/**
 * The middle of the best window for all scenes (usually one; otherwise frames of one animation). Along the side that the
 * shape of `output` leaves free it is that window's middle. Along the other side it is that of a window of the default share.
 */
export const chooseFocus = (found: readonly Scene[], output?: Extent): Point => {
  const scenes = found.map((scene) => ({ ...scene, faces: corroborateFaces(scene) }))
  const [image] = scenes
  if (image === undefined) return { x: 0.5, y: 0.5 }
  const shareX = output === undefined ? 1 : (output.width * image.height) / (output.height * image.width)
  return {
    x: chooseMiddle(scenes, 'x', shareX < 1 ? shareX : DEFAULT_SHARE),
    y: chooseMiddle(scenes, 'y', shareX > 1 ? 1 / shareX : DEFAULT_SHARE),
  }
}

const chooseMiddle = (scenes: readonly Scene[], axis: WindowAxis, share: number): number => {
  const worths = scenes.map((scene) => openWorth(scene, { axis, share }))
  const { from, to } = startsThatHoldHeads(scenes, { axis, share })
  const positions = Array.from({ length: POSITIONS + 1 }, (_, step) => {
    const start = from + ((to - from) * step) / POSITIONS
    return { start, worth: worths.reduce((sum, worthOf) => sum + worthOf(start), 0) / scenes.length }
  })
  return completeHeads(scenes, { axis, share }, averageNearBest(positions)) + share / 2
}

/** A window's weight falls to 1/e at a worth this much below the best. */
const EQUAL = 0.02
/** Distance from the best window, in shares of the side, from which a window has no weight. */
const NEAR = 0.06

/** Averages the windows near the best that are nearly as good: copies of a picture then get nearly the same window. */
const averageNearBest = (positions: readonly { readonly start: number; readonly worth: number }[]): number => {
  const best = positions.reduce((most, one) => (one.worth > most.worth ? one : most))
  let [sum, weighted] = [0, 0]
  for (const { start, worth } of positions) {
    if (Math.abs(start - best.start) > NEAR) continue
    const weight = Math.exp((worth - best.worth) / EQUAL)
    sum += weight
    weighted += weight * start
  }
  return weighted / sum
}

const { window: WEIGHT } = FITTED_CROP
/** Share of the window at either end where saliency counts half, so that subjects stay off the edge. */
const INSET = 0.08

const openWorth = (scene: Scene, window: WindowSide): ((start: number) => number) => {
  const { axis, share } = window
  const { massWithin, middle } = project(scene.saliency, axis)
  const target = clamp(middle, share / 2, 1 - share / 2)
  const worthOf = worthOfParts(scene, window)
  return (start) => {
    const inset = INSET * share
    const mass = (massWithin(start, start + share) + massWithin(start + inset, start + share - inset)) / 2
    // Small windows maximise the mass; large ones centre it.
    const off = WEIGHT.balance * (share * (start + share / 2 - target)) ** 2
    return WEIGHT.saliency * mass + worthOf(start) - off
  }
}

/** The saliency along one side: its share between two positions, and its mean position. */
const project = (saliency: Float32Array, axis: WindowAxis) => {
  const sums = new Float64Array(MAP_SIDE + 1)
  saliency.forEach((value, at) => {
    sums[(axis === 'x' ? at % MAP_SIDE : Math.floor(at / MAP_SIDE)) + 1]! += value
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
  return {
    massWithin: (from: number, to: number): number => upTo(to) - upTo(from),
    middle: middle === 0 ? 0.5 : middle / total,
  }
}
