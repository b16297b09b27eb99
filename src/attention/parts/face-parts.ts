import { clamp } from '../../search/curve.ts'
import type { TurnedFace } from '../faces.ts'
import { type FoundObject, isAnimal } from '../objects.ts'
import type { Scene } from '../scene.ts'
import { isFaceOf } from './corroborate-faces.ts'
import {
  avoidHalves,
  ofWhatFits,
  rampUp,
  refuseCuts,
  type ScenePart,
  type Stretch,
  shareOut,
  stretchOn,
  takeShare,
  type WindowAxis,
} from './scene-part.ts'

/** Weight of all faces together, and the share that they lose next to a certain animal: a person who holds it up is less important. */
const WEIGHT = 2.2
const BESIDE_ANIMALS = 0.6
/** Scores between which the weight of a face rises. */
export const CERTAIN_FACE = [0.6, 0.8] as const
/** Scores between which the weight of an object rises. */
export const CERTAIN_OBJECT = [0.15, 0.6] as const
/** Shares of a face's weight for the face itself, the whole head, and some room around it. */
const SHARE = { itself: 0.35, head: 0.5, room: 0.15 } as const
/** Extents above, below and at the sides of a face's box, which begins at the brow, in its heights and widths. */
const ITSELF = { above: 0.1, below: 0.05, beside: 0 } as const
const HEAD = { above: 0.6, below: 0.2, beside: 0.25 } as const
const ROOM = { above: 0.9, below: 0.35, beside: 0.4 } as const

/** Shift of a head's sides, in widths, away from where the face looks, for each width of `turn`; measured on labelled heads. */
const TURNED = 0.5

/** The face, its head, and room around it, for each face; larger ones count more. */
export const facesOn = (scene: Scene, axis: WindowAxis, share: number): ScenePart[] => {
  const { faces, objects, width, height } = scene
  const sized = faces.map((region) => {
    const side = Math.sqrt(region.width * width * region.height * height) / Math.max(width, height)
    return { region, weight: side * region.score }
  })
  const total = WEIGHT * (1 - BESIDE_ANIMALS * surestAnimal(objects))
  return shareOut(sized, total, CERTAIN_FACE).flatMap(({ region, weight }) => {
    // The crown counts if there is room for it; otherwise eyes and mouth come first.
    const crown = clamp(share / region.height - 1 - HEAD.below, 0, crownOf(region, scene))
    const itself = around(region, axis, { ...ITSELF, above: Math.min(ITSELF.above, crown) })
    const head = headOfFace(region, axis, crown)
    return [
      { ...itself, weight: weight * SHARE.itself, worth: ofWhatFits(itself, share, avoidHalves) },
      { ...head, weight: weight * SHARE.head, worth: ofWhatFits(head, share, refuseCuts) },
      { ...around(region, axis, ROOM), weight: weight * SHARE.room, worth: takeShare },
    ]
  })
}

/** Score from which a person's box gives the height of hair or a hat; its limit in heights of the face; and an addition, as the box is not exact. */
const HAT = { certain: 0.5, highest: 1.2, added: 0.05 } as const

/** Height of a head above its face, in heights of the face. A person's box makes it larger if no other face in the box is higher. */
export const crownOf = (face: TurnedFace, { faces, objects }: Pick<Scene, 'faces' | 'objects'>): number => {
  if (face.upsideDown === true) return HEAD.above
  const higher = faces.filter(({ y }) => y < face.y)
  const gaps = objects
    .filter((object) => object.score >= HAT.certain && isFaceOf(object, face))
    .filter((object) => !higher.some((other) => isFaceOf(object, other)))
    .map(({ y }) => (face.y - y) / face.height)
    .filter((gap) => gap <= HAT.highest)
  return Math.max(HEAD.above, ...gaps.map((gap) => gap + HAT.added))
}

/** The extent of a face's head with hair, up to `crown` heights above the face. */
export const headOfFace = (face: TurnedFace, axis: WindowAxis, crown: number): Stretch =>
  around(face, axis, { ...HEAD, above: crown }, TURNED * face.turn)

/** Shares of a face's box to add around it. */
interface Around {
  readonly above: number
  readonly below: number
  readonly beside: number
}

const around = (face: TurnedFace, axis: WindowAxis, { above, below, beside }: Around, turn = 0): Stretch => {
  const [before, after] = face.upsideDown === true ? [below, above] : [above, below]
  if (axis === 'y') return stretchOn(face, axis, before, after)
  return stretchOn(face, axis, Math.max(0, beside + turn), Math.max(0, beside - turn))
}

/** The certainty of an animal, 0..1. */
export const surestAnimal = (objects: readonly FoundObject[]): number => {
  const scores = objects.filter(({ category }) => isAnimal(category)).map(({ score }) => score)
  return rampUp(Math.max(0, ...scores), CERTAIN_OBJECT)
}
