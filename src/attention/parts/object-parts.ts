import type { Found } from '../boxes.ts'
import type { TurnedFace } from '../faces.ts'
import { type FoundObject, isAnimal, PERSON } from '../objects.ts'
import type { Scene } from '../scene.ts'
import { isFaceOf } from './borne-out.ts'
import { CERTAIN_FACE, CERTAIN_OBJECT } from './face-parts.ts'
import {
  avoidHalves,
  clamp,
  ofWhatFits,
  preferWhole,
  rampUp,
  type ScenePart,
  type Stretch,
  shareOut,
  stretchOn,
  type WindowAxis,
} from './scene-part.ts'

/** What all objects together count. */
const WEIGHT = 3
/** How much kinds of objects count beside a person: most other things are surroundings. A person whose face was found is counted by it. */
const KIND = { animal: 6, person: 1, seen: 0.08, other: 0.3 } as const
/** Objects count by this power of their area. */
const AREA_POWER = 0.9
/** Shares of an object's side that are kept free above it and elsewhere around it: its box is not exact. */
const MARGIN = { above: 0.02, around: 0.05 } as const

/** Objects, larger ones more, and animals and persons most. Of a person whose face is not seen the head counts apart. */
export const objectsOn = (scene: Scene, axis: WindowAxis, share: number): ScenePart[] => {
  const sized = scene.objects.map((region) => ({
    region,
    weight: kindOf(region, scene.faces) * (region.width * region.height) ** AREA_POWER,
  }))
  return shareOut(sized, WEIGHT, CERTAIN_OBJECT).flatMap(({ region, weight }) => {
    const part = { object: region, weight: weight * prominenceOf(region), scene, share }
    if (region.category === PERSON) return axis === 'y' ? personParts(part) : personAcross(part)
    if (axis === 'y' && RIDDEN.has(region.category)) return riddenParts(part)
    if (axis === 'y' && isAnimal(region.category)) return animalParts(part)
    return [{ ...wholeOf(region, axis), weight: part.weight, worth: preferWhole }]
  })
}

/** An object that is more than a box, what it counts, and the window's share of the side. */
interface Weighty {
  readonly object: FoundObject
  readonly weight: number
  readonly scene: Scene
  readonly share: number
}

const wholeOf = (object: FoundObject, axis: WindowAxis): Stretch =>
  stretchOn(object, axis, axis === 'y' ? MARGIN.above : MARGIN.around, MARGIN.around)

/** The whole of an object where the window can hold it, else as much of its upper part. */
const upperOf = (object: FoundObject, share: number): Stretch & { readonly fits: boolean } => {
  const whole = wholeOf(object, 'y')
  const fits = whole.to - whole.from <= share
  return { from: whole.from, to: fits ? whole.to : whole.from + share, fits }
}

/** Share of its worth that the upper part of a person loses whose face was found. */
const SEEN_LESS = 0.9
/** Share of a person's worth that lies in showing the head. */
const HEAD_SHARE = 0.3

/** Of a person who is higher than the window the upper part is to be seen, not the feet; of one whose face is seen that face. */
const personParts = ({ object, weight, scene, share }: Weighty): ScenePart[] => {
  const { fits, ...body } = upperOf(object, share)
  const counted = fits ? weight : weight * (1 - SEEN_LESS * seenOf(object, scene.faces))
  const head = headOf(object, scene)
  return [
    { ...body, weight: counted * (1 - HEAD_SHARE), worth: preferWhole },
    { ...head, weight: counted * HEAD_SHARE, worth: ofWhatFits(head, share, avoidHalves) },
  ]
}

/** Across, the head of a person whose face is not seen counts apart: it is the last that should be cut of a group. */
const personAcross = ({ object, weight, scene, share }: Weighty): ScenePart[] => {
  const apart = HEAD_SHARE * (1 - seenOf(object, scene.faces))
  const head = headAcross(object, scene)
  return [
    { ...wholeOf(object, 'x'), weight: weight * (1 - apart), worth: preferWhole },
    { ...head, weight: weight * apart, worth: ofWhatFits(head, share, avoidHalves) },
  ]
}

/**
 * A head is at most so much of a person's height, and as high as the person is wide; the share of it that is kept free
 * above; and how wide the stretch is, in its heights, in which it lies in the middle of the box.
 */
const HEAD = { ofHeight: 0.18, above: 0.2, across: 1.7 } as const

/** Where the head of a person lies along the height: at the top, unless the box is wrong or somebody stands on their hands. */
export const headOf = ({ y, width, height, head: seen }: FoundObject, image: Scene): Stretch => {
  if (seen !== undefined) return stretchOn(seen, 'y', 0, 0)
  const head = Math.min(HEAD.ofHeight * height, (width * image.width) / image.height)
  return { from: clamp(y - HEAD.above * head, 0, 1), to: clamp(y + head, 0, 1) }
}

/** Where the head of a person lies along the width: in the middle, or not far from it. */
export const headAcross = ({ x, width, height, head: seen }: FoundObject, image: Scene): Stretch => {
  if (seen !== undefined) return stretchOn(seen, 'x', 0, 0)
  const head = Math.min((HEAD.ofHeight * height * image.height) / image.width, width)
  const half = Math.min(width, HEAD.across * head) / 2
  return { from: clamp(x + width / 2 - half, 0, 1), to: clamp(x + width / 2 + half, 0, 1) }
}

/** What is ridden: bicycles, motorcycles and horses. */
const RIDDEN: ReadonlySet<number> = new Set([1, 3, 17])
/** How far above it a rider reaches, in its heights, and what showing that is worth beside itself. */
const RIDER = { above: 0.5, worth: 2 } as const

/** Who rides is often not found, being half hidden: the room above belongs to what is ridden. */
const riddenParts = ({ object, weight, share }: Weighty): ScenePart[] => {
  const { fits: _, ...body } = upperOf(object, share)
  const rider = { from: clamp(object.y - RIDER.above * object.height, 0, 1), to: object.y }
  const above = rider.to > rider.from ? [{ ...rider, weight: weight * RIDER.worth, worth: preferWhole }] : []
  return [{ ...body, weight, worth: preferWhole }, ...above]
}

/** Heights of an animal, in its widths, between which it stands upright ever more surely: its head is at the top then. */
const UPRIGHT = [1, 1.5] as const
/** Certainties of a face within an animal's box between which the animal is ever more likely a person. */
const PERHAPS_FACE = [0.4, 0.7] as const

/** Of an animal that stands upright and is higher than the window the upper part is to be seen, unless it is a person with a face. */
const animalParts = ({ object, weight, scene, share }: Weighty): ScenePart[] => {
  const { fits: _, ...upper } = upperOf(object, share)
  const upright = rampUp((object.height * scene.height) / (object.width * scene.width), UPRIGHT)
  const faces = scene.faces.filter((face) => isWithin(object, face)).map(({ score }) => score)
  const onTop = upright * (1 - rampUp(Math.max(0, ...faces), PERHAPS_FACE))
  return [
    { ...wholeOf(object, 'y'), weight: weight * (1 - onTop), worth: preferWhole },
    { ...upper, weight: weight * onTop, worth: preferWhole },
  ]
}

const isWithin = (around: FoundObject, face: Found): boolean => {
  const [x, y] = [face.x + face.width / 2 - around.x, face.y + face.height / 2 - around.y]
  return x >= 0 && x <= around.width && y >= 0 && y <= around.height
}

/** Share of a side within which an object touches the edge. */
const TOUCHES = [0, 0.02] as const
/** Widths between which touching the left or right edge says ever less: what fills the image is its subject all the same. */
const WIDE = [0.7, 0.9] as const
/** Share of its worth that a person loses of whom the left or right edge alone takes a part. */
const CUT_PERSON = 0.4

/**
 * Share of its worth that is left to an object at the left or right edge of the image: what the photographer cut is rarely
 * what the picture was taken for. Of a person more is left, except in a lower corner.
 */
const prominenceOf = ({ x, y, width, height, category }: FoundObject): number => {
  const touches = (gap: number): number => 1 - rampUp(gap, TOUCHES)
  const cut = Math.max(touches(x), touches(1 - x - width)) * (1 - rampUp(width, WIDE))
  const loss = category === PERSON ? CUT_PERSON + (1 - CUT_PERSON) * touches(1 - y - height) : 1
  return 1 - loss * cut
}

const kindOf = (object: FoundObject, faces: readonly TurnedFace[]): number => {
  if (isAnimal(object.category)) return KIND.animal
  if (object.category !== PERSON) return KIND.other
  return KIND.person + (KIND.seen - KIND.person) * seenOf(object, faces)
}

/** How certainly a person's face was found, 0..1; 0 for other objects. */
const seenOf = (object: FoundObject, faces: readonly TurnedFace[]): number =>
  rampUp(Math.max(0, ...faces.filter((face) => isFaceOf(object, face)).map(({ score }) => score)), CERTAIN_FACE)
