import { clamp } from '../../search/curve.ts'
import type { Found } from '../boxes.ts'
import type { TurnedFace } from '../faces.ts'
import { type FoundObject, isAnimal, PERSON } from '../objects.ts'
import type { Scene } from '../scene.ts'
import { isFaceOf } from './corroborate-faces.ts'
import { CERTAIN_FACE, CERTAIN_OBJECT } from './face-parts.ts'
import {
  avoidHalves,
  ofWhatFits,
  preferWhole,
  rampUp,
  type ScenePart,
  type Stretch,
  shareOut,
  stretchOn,
  type WindowAxis,
} from './scene-part.ts'

/** Weight of all objects together. */
const WEIGHT = 3
/** Weights of kinds of objects, a person having 1; most other things are surroundings. `seen`: a person whose face was found, which has its own weight. */
const KIND_WEIGHT = { animal: 6, person: 1, seen: 0.08, other: 0.3 } as const
/** Objects count by this power of their area. */
const AREA_POWER = 0.9
/** Shares of an object's side that stay free above it and elsewhere around it, as its box is not exact. */
const MARGIN = { above: 0.02, around: 0.05 } as const

/** Objects, larger ones with more weight, and animals and persons with most. The head of a person without a face counts separately. */
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

/** An object with its weight, its scene, and the window's share of the side. */
interface WeightedObject {
  readonly object: FoundObject
  readonly weight: number
  readonly scene: Scene
  readonly share: number
}

const wholeOf = (object: FoundObject, axis: WindowAxis): Stretch =>
  stretchOn(object, axis, axis === 'y' ? MARGIN.above : MARGIN.around, MARGIN.around)

/** The whole of an object if the window can hold it, otherwise as much of its upper part. */
const upperOf = (object: FoundObject, share: number): Stretch & { readonly fits: boolean } => {
  const whole = wholeOf(object, 'y')
  const fits = whole.to - whole.from <= share
  return { from: whole.from, to: fits ? whole.to : whole.from + share, fits }
}

/** Share of the weight that the upper part of a person with a found face loses. */
const SEEN_LESS = 0.9
/** Share of a person's weight for the head. */
const HEAD_SHARE = 0.3

/** A person higher than the window: the upper part, and the head. With a found face the upper part counts less. */
const personParts = ({ object, weight, scene, share }: WeightedObject): ScenePart[] => {
  const { fits, ...body } = upperOf(object, share)
  const counted = fits ? weight : weight * (1 - SEEN_LESS * seenOf(object, scene.faces))
  const head = headOf(object, scene)
  return [
    { ...body, weight: counted * (1 - HEAD_SHARE), worth: preferWhole },
    { ...head, weight: counted * HEAD_SHARE, worth: ofWhatFits(head, share, avoidHalves) },
  ]
}

/** Across, the head of a person without a face counts separately: it is the last part of a group to cut. */
const personAcross = ({ object, weight, scene, share }: WeightedObject): ScenePart[] => {
  const apart = HEAD_SHARE * (1 - seenOf(object, scene.faces))
  const head = headAcross(object, scene)
  return [
    { ...wholeOf(object, 'x'), weight: weight * (1 - apart), worth: preferWhole },
    { ...head, weight: weight * apart, worth: ofWhatFits(head, share, avoidHalves) },
  ]
}

/**
 * Limit of a head's height as a share of the person's; a head is also at most as high as the person is wide. Then the margin
 * above it, and the width of its range in the middle of the box, both in its heights.
 */
const HEAD = { ofHeight: 0.18, above: 0.2, across: 1.7 } as const

/** The vertical extent of a person's head: where it was found, otherwise at the top. */
export const headOf = ({ y, width, height, head: seen }: FoundObject, image: Scene): Stretch => {
  if (seen !== undefined) return stretchOn(seen, 'y', 0, 0)
  const head = Math.min(HEAD.ofHeight * height, (width * image.width) / image.height)
  return { from: clamp(y - HEAD.above * head, 0, 1), to: clamp(y + head, 0, 1) }
}

/** The horizontal extent of a person's head: where it was found, otherwise near the middle. */
export const headAcross = ({ x, width, height, head: seen }: FoundObject, image: Scene): Stretch => {
  if (seen !== undefined) return stretchOn(seen, 'x', 0, 0)
  const head = Math.min((HEAD.ofHeight * height * image.height) / image.width, width)
  const half = Math.min(width, HEAD.across * head) / 2
  return { from: clamp(x + width / 2 - half, 0, 1), to: clamp(x + width / 2 + half, 0, 1) }
}

/** Vehicles and animals with riders: bicycles, motorcycles and horses. */
const RIDDEN: ReadonlySet<number> = new Set([1, 3, 17])
/** Height of a rider above it, in its heights, and the weight of that relative to its own. */
const RIDER = { above: 0.5, worth: 2 } as const

/** Riders are often not detected, as they are half hidden: adds the room above. */
const riddenParts = ({ object, weight, share }: WeightedObject): ScenePart[] => {
  const { fits: _, ...body } = upperOf(object, share)
  const rider = { from: clamp(object.y - RIDER.above * object.height, 0, 1), to: object.y }
  const above = rider.to > rider.from ? [{ ...rider, weight: weight * RIDER.worth, worth: preferWhole }] : []
  return [{ ...body, weight, worth: preferWhole }, ...above]
}

/** Heights of an animal, in its widths, between which it counts as upright, with its head at the top. */
const UPRIGHT = [1, 1.5] as const
/** Scores of a face within an animal's box between which the animal counts as a person. */
const PERHAPS_FACE = [0.4, 0.7] as const

/** An upright animal higher than the window: the upper part, unless it is a person with a face. */
const animalParts = ({ object, weight, scene, share }: WeightedObject): ScenePart[] => {
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

/** Gap, as a share of the side, within which an object touches the edge. */
const TOUCHES = [0, 0.02] as const
/** Widths between which touching the left or right edge matters less: what fills the image is its subject. */
const WIDE = [0.7, 0.9] as const
/** Share of its weight that a person cut by the left or right edge loses. */
const CUT_PERSON = 0.4

/**
 * Share of its weight that an object at the left or right edge keeps: what the photographer cut is rarely the subject. A
 * person keeps more, except in a lower corner.
 */
const prominenceOf = ({ x, y, width, height, category }: FoundObject): number => {
  const touches = (gap: number): number => 1 - rampUp(gap, TOUCHES)
  const cut = Math.max(touches(x), touches(1 - x - width)) * (1 - rampUp(width, WIDE))
  const loss = category === PERSON ? CUT_PERSON + (1 - CUT_PERSON) * touches(1 - y - height) : 1
  return 1 - loss * cut
}

const kindOf = (object: FoundObject, faces: readonly TurnedFace[]): number => {
  if (isAnimal(object.category)) return KIND_WEIGHT.animal
  if (object.category !== PERSON) return KIND_WEIGHT.other
  return KIND_WEIGHT.person + (KIND_WEIGHT.seen - KIND_WEIGHT.person) * seenOf(object, faces)
}

/** The certainty of a person's face, 0..1; 0 for other objects. */
const seenOf = (object: FoundObject, faces: readonly TurnedFace[]): number =>
  rampUp(Math.max(0, ...faces.filter((face) => isFaceOf(object, face)).map(({ score }) => score)), CERTAIN_FACE)
