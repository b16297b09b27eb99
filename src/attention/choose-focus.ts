import type { Extent, Point } from '../core/image.ts'
import type { Found } from './boxes.ts'
import type { FoundObject } from './objects.ts'
import { MAP_SIDE } from './saliency/saliency.ts'

/** What was found in an image, in fractions of its sides. */
export interface Scene extends Extent {
  readonly faces: readonly Found[]
  readonly objects: readonly FoundObject[]
  readonly text: readonly Found[]
  /** 32 x 32 cells, row by row, 0..1. */
  readonly saliency: Float32Array
}

/** Positions of the window that are compared. */
const POSITIONS = 128
/** Share of a side that a window keeps where nothing else is asked for. */
const USUAL_SHARE = 0.6

/**
 * The middle of the window that shows most of what matters in all scenes (frames of one animation; usually one). Along the
 * side that the shape of `output` leaves free it is that window's middle; along the other, of a window of the usual share.
 */
export const chooseFocus = (scenes: readonly Scene[], output?: Extent): Point => {
  const [image] = scenes
  if (image === undefined) return { x: 0.5, y: 0.5 }
  const shareX = output === undefined ? 1 : (output.width * image.height) / (output.height * image.width)
  return {
    x: chooseMiddle(scenes, 'x', shareX < 1 ? shareX : USUAL_SHARE),
    y: chooseMiddle(scenes, 'y', shareX > 1 ? 1 / shareX : USUAL_SHARE),
  }
}

type Axis = 'x' | 'y'

const chooseMiddle = (scenes: readonly Scene[], axis: Axis, share: number): number => {
  const worths = scenes.map((scene) => openWorth(scene, axis, share))
  const starts = Array.from({ length: POSITIONS + 1 }, (_, step) => ((1 - share) * step) / POSITIONS)
  const tried = starts.map((start) => ({
    start,
    worth: worths.reduce((sum, worthOf) => sum + worthOf(start), 0) / scenes.length,
  }))
  return settle(tried, bestOf(tried, share)) + share / 2
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
const WEIGHT = { saliency: 0.8, faces: 2.8, text: 6, objects: 2, balance: 12, centre: 0.05 } as const
/** Certainties between which something found counts ever more: no small difference makes it all or nothing. */
const CERTAIN = { faces: [0.56, 0.76], text: [0.52, 0.9], objects: [0.15, 0.5] } as const
/** Saliency is raised to this power: what is likely the subject counts, what may be does not add up. */
const POWER = 4
/** Share of the window at either end where saliency counts half: nothing should touch the edge. */
const INSET = 0.08

const openWorth = (scene: Scene, axis: Axis, share: number): ((start: number) => number) => {
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

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value))

/** The saliency along one side, as the share of all that lies between two places, and the middle of it. */
const project = (saliency: Float32Array, axis: Axis) => {
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

/** A stretch along one side that should be shown, with its weight and what showing a share of it is worth. */
interface Part {
  readonly from: number
  readonly to: number
  readonly weight: number
  readonly worth: (kept: number) => number
}

const keptOf = ({ from, to }: Part, start: number, share: number): number =>
  Math.max(0, Math.min(to, start + share) - Math.max(from, start)) / (to - from)

/** A part shown whole is worth 1; what is cut is worth less than its share. */
const preferWhole = (kept: number): number => (kept + kept * kept) / 2

/** A face shown whole is worth 1, two thirds of one nothing, and half a face is worse than none: another window shows who fits. */
const avoidHalves = (kept: number): number => kept * (3 * kept - 2)

interface Weighed {
  readonly region: Found
  readonly weight: number
}

/** 0 up to the first bound, 1 from the second. */
const rampUp = (value: number, [least, most]: readonly [number, number]): number =>
  clamp((value - least) / (most - least), 0, 1)

/** Share `total` among regions by weight, less when none of them is certain. */
const shareOut = (weighed: readonly Weighed[], total: number, [least, most]: readonly [number, number]): Weighed[] => {
  const certainty = ({ region }: Weighed): number => rampUp(region.score, [least, most])
  const counted = weighed
    .map((one) => ({ ...one, weight: one.weight * certainty(one) }))
    .filter(({ weight }) => weight > 0)
  const sum = counted.reduce((all, { weight }) => all + weight, 0)
  const surest = Math.max(0, ...weighed.map(certainty))
  return counted.map(({ region, weight }) => ({ region, weight: (total * surest * weight) / sum }))
}

/** A region along one side, widened by shares of its own size. */
const stretchOn = (region: Found, axis: Axis, before: number, after: number): { from: number; to: number } => {
  const [at, length] = axis === 'x' ? [region.x, region.width] : [region.y, region.height]
  return { from: clamp(at - before * length, 0, 1), to: clamp(at + length * (1 + after), 0, 1) }
}

/** Shares of a face's worth that lie in showing the face itself, its crown as well, and hair, neck and some room beside it. */
const FACE_SHARE = { itself: 0.75, crowned: 0.15, head: 0.1 } as const
/** What a face needs above and below its box, which begins at the brow, in heights of the box. */
const BROW = 0.1
const CROWN = 0.3
const CHIN = 0.05

const facesOn = ({ faces, width, height }: Scene, axis: Axis, share: number): Part[] => {
  const sized = faces.map((region) => {
    const side = Math.sqrt(region.width * width * region.height * height) / Math.max(width, height)
    return { region, weight: side * region.score }
  })
  return shareOut(sized, WEIGHT.faces, CERTAIN.faces).flatMap(({ region, weight }) => {
    // The crown counts where there is room for it; else eyes and mouth come first.
    const crown = clamp(share / region.height - 1 - CHIN, 0, CROWN)
    const across = axis === 'x'
    const itself = across ? stretchOn(region, axis, 0, 0) : stretchOn(region, axis, Math.min(BROW, crown), CHIN)
    const crowned = across ? itself : stretchOn(region, axis, crown, CHIN)
    const head = across ? stretchOn(region, axis, 0.25, 0.25) : stretchOn(region, axis, 0.8, 0.25)
    return [
      { ...itself, weight: weight * FACE_SHARE.itself, worth: avoidHalves },
      { ...crowned, weight: weight * FACE_SHARE.crowned, worth: preferWhole },
      { ...head, weight: weight * FACE_SHARE.head, worth: (kept: number) => kept },
    ]
  })
}

/** Height of a line, as a share of the shorter side, below which text is a caption or a watermark, and above which it counts fully. */
const READABLE = [0.02, 0.035] as const
/** Heights of a line that stay free around text. */
const TEXT_MARGIN = 0.4

const textOn = ({ text, width, height }: Scene, axis: Axis): Part[] => {
  const sized = text.map((line) => {
    const readable = rampUp((line.height * height) / Math.min(width, height), READABLE)
    return {
      region: { ...line, score: line.score * readable },
      weight: line.score * Math.sqrt(line.width * line.height),
    }
  })
  return shareOut(sized, WEIGHT.text, CERTAIN.text).map(({ region, weight }) => {
    const lines = axis === 'x' ? (region.height * height) / (region.width * width) : 1
    return { ...stretchOn(region, axis, TEXT_MARGIN * lines, TEXT_MARGIN * lines), weight, worth: preferWhole }
  })
}

const PERSON = 0
const isAnimal = (category: number): boolean => category >= 14 && category <= 23
/** How much kinds of objects count beside a person: most other things are surroundings. A person whose face was found is counted by it. */
const KIND = { animal: 6, person: 1, seen: 0.08, other: 0.2 } as const
/** Objects count by this power of their area. */
const AREA_POWER = 0.75
/** Share of an object's side that is kept free around it: its box is not exact. */
const OBJECT_MARGIN = 0.05

const objectsOn = ({ objects, faces }: Scene, axis: Axis, share: number): Part[] => {
  const sized = objects.map((region) => ({
    region,
    weight: kindOf(region, faces) * (region.width * region.height) ** AREA_POWER,
  }))
  return shareOut(sized, WEIGHT.objects, CERTAIN.objects).map(({ region, weight }) => {
    const { from, to } = stretchOn(region, axis, OBJECT_MARGIN, OBJECT_MARGIN)
    // Of a person who is higher than the window the upper part is to be seen, not the feet.
    const upper = axis === 'y' && to - from > share && (region as FoundObject).category === PERSON
    return { from, to: upper ? from + 0.95 * share : to, weight, worth: preferWhole }
  })
}

const kindOf = (object: FoundObject, faces: readonly Found[]): number => {
  if (isAnimal(object.category)) return KIND.animal
  if (object.category !== PERSON) return KIND.other
  const seen = Math.max(0, ...faces.filter((face) => isIn(face, object)).map(({ score }) => score))
  return KIND.person + (KIND.seen - KIND.person) * rampUp(seen, CERTAIN.faces)
}

const isIn = (face: Found, person: Found): boolean => {
  const [x, y] = [face.x + face.width / 2, face.y + face.height / 2]
  return x >= person.x && x <= person.x + person.width && y >= person.y - 0.05 && y <= person.y + 0.6 * person.height
}
