import type { Found } from '../boxes.ts'
import type { FoundObject } from '../objects.ts'
import type { Scene } from '../scene.ts'
import { CERTAIN_FACE } from './face-parts.ts'
import {
  avoidHalves,
  clamp,
  preferWhole,
  rampUp,
  type ScenePart,
  type Stretch,
  shareOut,
  stretchOn,
  type WindowAxis,
} from './scene-part.ts'

/** What all objects together count. */
const WEIGHT = 2.5
/** Certainties of an object between which it counts ever more. */
const CERTAIN = [0.15, 0.5] as const
const PERSON = 0
const isAnimal = (category: number): boolean => category >= 14 && category <= 23
/** How much kinds of objects count beside a person: most other things are surroundings. A person whose face was found is counted by it. */
const KIND = { animal: 6, person: 1, seen: 0.08, other: 0.2 } as const
/** Objects count by this power of their area. */
const AREA_POWER = 0.75
/** Share of an object's side that is kept free around it: its box is not exact. */
const MARGIN = 0.05

/** Objects, larger ones more, and animals and persons most. Of a person whose face is not seen the head counts apart. */
export const objectsOn = (scene: Scene, axis: WindowAxis, share: number): ScenePart[] => {
  const sized = scene.objects.map((region) => ({
    region,
    weight: kindOf(region, scene.faces) * (region.width * region.height) ** AREA_POWER,
  }))
  return shareOut(sized, WEIGHT, CERTAIN).flatMap(({ region, weight }) => {
    const whole = stretchOn(region, axis, MARGIN, MARGIN)
    if (region.category !== PERSON || axis === 'x') return [{ ...whole, weight, worth: preferWhole }]
    const head = headOf(region, scene)
    if (whole.to - whole.from <= share) return personParts(whole, head, weight)
    // Of a person who is higher than the window the upper part is to be seen, not the feet; of one whose face is seen that face.
    const upper = { from: whole.from, to: whole.from + UPPER * share }
    return personParts(upper, head, weight * (1 - SEEN_LESS * seenOf(region, scene.faces)))
  })
}

const personParts = (body: Stretch, head: Stretch, weight: number): ScenePart[] => [
  { ...body, weight: weight * (1 - HEAD_SHARE), worth: preferWhole },
  { ...head, weight: weight * HEAD_SHARE, worth: avoidHalves },
]

/** Share of its worth that the upper part of a person loses whose face was found. */
const SEEN_LESS = 0.8
/** Share of the window that the upper part of a person who is higher may take. */
const UPPER = 0.95
/** Share of a person's worth that lies in showing the head. */
const HEAD_SHARE = 0.4
/** A head is at most so much of a person's height, and as high as the person is wide; and the share of it that is kept free above. */
const HEAD = { ofHeight: 0.22, above: 0.1 } as const

/** Where the head of a person lies along the height: at the top, unless the box is wrong or somebody stands on their hands. */
const headOf = ({ y, width, height }: FoundObject, image: Scene): Stretch => {
  const head = Math.min(HEAD.ofHeight * height, (width * image.width) / image.height)
  return { from: clamp(y - HEAD.above * head, 0, 1), to: clamp(y + head, 0, 1) }
}

const kindOf = (object: FoundObject, faces: readonly Found[]): number => {
  if (isAnimal(object.category)) return KIND.animal
  if (object.category !== PERSON) return KIND.other
  return KIND.person + (KIND.seen - KIND.person) * seenOf(object, faces)
}

/** How certainly a person's face was found, 0..1; 0 for other objects. */
const seenOf = (object: FoundObject, faces: readonly Found[]): number =>
  object.category === PERSON
    ? rampUp(Math.max(0, ...faces.filter((face) => isIn(face, object)).map(({ score }) => score)), CERTAIN_FACE)
    : 0

const isIn = (face: Found, person: Found): boolean => {
  const [x, y] = [face.x + face.width / 2, face.y + face.height / 2]
  return x >= person.x && x <= person.x + person.width && y >= person.y - 0.05 && y <= person.y + 0.6 * person.height
}
