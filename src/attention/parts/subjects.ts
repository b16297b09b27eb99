import { areaOf, type Found } from '../boxes.ts'
import type { TurnedFace } from '../faces.ts'
import { COCO, type FoundObject, isAnimal } from '../objects.ts'
import type { Scene } from '../scene.ts'
import { FITTED_CROP } from './crop.fitted.ts'
import { isMiddleWithin, rampUp } from './stretch.ts'

/** A finding that a window can show, with its weight. */
export type Subject = { readonly weight: number; readonly scene: Scene } & (
  | { readonly kind: 'face'; readonly region: TurnedFace }
  | { readonly kind: 'object'; readonly region: FoundObject; readonly seen: number; readonly upright: number }
  | { readonly kind: 'text'; readonly region: Found }
)

/** Scores between which the weight of a finding rises. */
export const CERTAIN = { face: [0.6, 0.8], object: [0.15, 0.6], text: [0.52, 0.9] } as const

const { kind: KIND, lost: LOST, total: TOTAL } = FITTED_CROP

/** Everything that was found in a scene, with its weight. */
export const subjectsOf = (scene: Scene): Subject[] => {
  const faces = scene.faces.map((region) => ({ region, weight: 1 }))
  const objects = scene.objects.map((region) => ({ region, weight: kindWeightOf(region, scene) * areaOf(region) }))
  const lines = scene.text.map((region) => ({ region, weight: 1 }))
  // A person who holds an animal up is less important.
  const facesTotal = TOTAL.face * (1 - LOST.besideAnimal * surestAnimal(scene))
  return [
    ...shareOut(faces, facesTotal, CERTAIN.face).map((one) => ({ kind: 'face' as const, scene, ...one })),
    ...shareOut(objects, TOTAL.object, CERTAIN.object).map(({ region, weight }) => ({
      ...{ kind: 'object' as const, scene, region, weight: weight * prominenceOf(region) },
      ...{ seen: seenOf(region, scene), upright: uprightnessOf(region, scene) },
    })),
    ...shareOut(lines, TOTAL.text, CERTAIN.text).map((one) => ({ kind: 'text' as const, scene, ...one })),
  ]
}

/** A region with its weight. */
interface WeightedRegion<T extends Found> {
  readonly region: T
  readonly weight: number
}

/** Distributes `total` among regions by weight, and less if none is certain; the result is continuous. */
export const shareOut = <T extends Found>(
  weighted: readonly WeightedRegion<T>[],
  total: number,
  certain: readonly [number, number],
): WeightedRegion<T>[] => {
  const certainty = ({ region }: WeightedRegion<T>): number => rampUp(region.score, certain)
  const counted = weighted.map((one) => ({ ...one, weight: one.weight * certainty(one) }))
  const sum = counted.reduce((all, { weight }) => all + weight, 0) || 1
  const surest = Math.max(0, ...weighted.map(certainty))
  return counted
    .filter(({ weight }) => weight > 0)
    .map(({ region, weight }) => ({ region, weight: (total * surest * weight) / sum }))
}

/** The certainty of an animal, 0..1. */
export const surestAnimal = ({ objects }: Scene): number => {
  const scores = objects.filter(({ category }) => isAnimal(category)).map(({ score }) => score)
  return rampUp(Math.max(0, ...scores), CERTAIN.object)
}

const kindWeightOf = (object: FoundObject, scene: Scene): number => {
  if (isAnimal(object.category)) return KIND.animal
  if (object.category !== COCO.person) return KIND.other
  return 1 + (KIND.seen - 1) * seenOf(object, scene)
}

/** The certainty of a person's face, 0..1; 0 for other objects. */
const seenOf = (object: FoundObject, { faces }: Scene): number => {
  if (object.category !== COCO.person) return 0
  const scores = faces.filter((face) => isMiddleWithin(object, face)).map(({ score }) => score)
  return rampUp(Math.max(0, ...scores), CERTAIN.face)
}

/** Bicycles, motorcycles and horses, which people ride. */
const RIDDEN: ReadonlySet<number> = new Set([1, 3, 17])
export const isRidden = ({ category }: FoundObject): boolean => RIDDEN.has(category)

/** Heights of an animal, in its widths, between which it counts as upright, with its head at the top. */
const UPRIGHT = [1, 1.5] as const

/** How certainly an object matters most at its top, 0..1. */
const uprightnessOf = (object: FoundObject, { width, height }: Scene): number => {
  if (object.category === COCO.person || isRidden(object)) return 1
  return isAnimal(object.category) ? rampUp((object.height * height) / (object.width * width), UPRIGHT) : 0
}

/** Whether an object is more likely than not an animal that stands, with its head above the middle of its box. */
export const isStandingAnimal = (object: FoundObject, scene: Scene): boolean =>
  isAnimal(object.category) && rampUp(object.score, CERTAIN.object) * uprightnessOf(object, scene) > 0.5

/** Gap, as a share of the side, within which an object touches the edge. */
const TOUCHES = [0, 0.02] as const
/** Widths between which touching the left or right edge matters less: what fills the image is its subject. */
const WIDE = [0.7, 0.9] as const

/**
 * Share of its weight that an object at the left or right edge keeps: what the photographer cut is rarely the subject. A
 * person keeps more, except in a lower corner.
 */
const prominenceOf = ({ x, y, width, height, category }: FoundObject): number => {
  const touches = (gap: number): number => 1 - rampUp(gap, TOUCHES)
  const cut = Math.max(touches(x), touches(1 - x - width)) * (1 - rampUp(width, WIDE))
  const loss = category === COCO.person ? LOST.cutPerson + (1 - LOST.cutPerson) * touches(1 - y - height) : 1
  return 1 - loss * cut
}

/** Share of the doubt about a face that the box of a certain person removes: two detectors that agree are rarely both wrong. */
const DOUBT_REMOVED = 0.5

/** Faces, with a higher score in the box of a person. */
export const corroborateFaces = ({ faces, objects }: Scene): TurnedFace[] =>
  faces.map((face) => {
    const persons = objects.filter((object) => object.category === COCO.person && isMiddleWithin(object, face))
    const sure = Math.min(1, Math.max(0, ...persons.map(({ score }) => score)) / CERTAIN.object[1])
    return { ...face, score: face.score + DOUBT_REMOVED * sure * (1 - face.score) }
  })
