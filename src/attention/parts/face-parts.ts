import type { TurnedFace } from '../faces.ts'
import { type FoundObject, isAnimal } from '../objects.ts'
import type { Scene } from '../scene.ts'
import { isFaceOf } from './borne-out.ts'
import {
  avoidHalves,
  clamp,
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

/** What all faces together count, and the share of it that they lose beside an animal that is surely one: who holds it up to be seen comes second. */
const WEIGHT = 2.2
const BESIDE_ANIMALS = 0.6
/** Certainties of a face between which it counts ever more. */
export const CERTAIN_FACE = [0.6, 0.8] as const
/** Certainties of an object between which it counts ever more. */
export const CERTAIN_OBJECT = [0.15, 0.6] as const
/** Shares of a face's worth that lie in showing the face itself, its whole head, and some room around that. */
const SHARE = { itself: 0.35, head: 0.5, room: 0.15 } as const
/** What belongs to each of these above, below and beside the box of a face, which begins at the brow, in its own heights and widths. */
const ITSELF = { above: 0.1, below: 0.05, beside: 0 } as const
const HEAD = { above: 0.6, below: 0.2, beside: 0.25 } as const
const ROOM = { above: 0.9, below: 0.35, beside: 0.4 } as const

/** Widths by which a head reaches further to the side that a face is turned away from, and less to the other, for each width that the nose lies off the middle: as measured on labelled heads. */
const TURNED = 0.5

/** Faces, each as far as it can be shown, its head, and room around it: larger ones count more. */
export const facesOn = (scene: Scene, axis: WindowAxis, share: number): ScenePart[] => {
  const { faces, objects, width, height } = scene
  const sized = faces.map((region) => {
    const side = Math.sqrt(region.width * width * region.height * height) / Math.max(width, height)
    return { region, weight: side * region.score }
  })
  const total = WEIGHT * (1 - BESIDE_ANIMALS * surestAnimal(objects))
  return shareOut(sized, total, CERTAIN_FACE).flatMap(({ region, weight }) => {
    // The crown counts where there is room for it; else eyes and mouth come first.
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

/** Certainty of a person from which on the top of the box tells how high hair or a hat reaches; the highest, in heights of the face above it; and what is added, the box not being exact. */
const HAT = { certain: 0.5, highest: 1.2, added: 0.05 } as const

/** How far a head reaches above its face, in heights of that: further than most where the box of the person does, in which no other face is higher. */
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

/** Where the head of a face lies, with hair, as far as `crown` heights above the face. */
export const headOfFace = (face: TurnedFace, axis: WindowAxis, crown: number): Stretch =>
  around(face, axis, { ...HEAD, above: crown }, TURNED * face.turn)

/** Shares of a face's box that are taken in around it. */
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

/** How certainly there is an animal, 0..1. */
export const surestAnimal = (objects: readonly FoundObject[]): number => {
  const scores = objects.filter(({ category }) => isAnimal(category)).map(({ score }) => score)
  return rampUp(Math.max(0, ...scores), CERTAIN_OBJECT)
}
