import { clamp } from '../../search/curve.ts'
import type { TurnedFace } from '../faces.ts'
import { COCO, type FoundObject } from '../objects.ts'
import type { Scene } from '../scene.ts'
import {
  isMiddleWithin,
  keptOf,
  lengthOf,
  type Stretch,
  stretchOn,
  type WindowAxis,
  type WindowSide,
} from './stretch.ts'
import { CERTAIN, isStandingAnimal, surestAnimal } from './subjects.ts'

/** Error of head lengths, as a share: heads that exceed the window by no more are taken to fit. */
const HEAD_LENGTH_ERROR = 0.1
/** Margin outside the first and the last head, in their widths: the detectors do not measure hair there. */
const MARGIN = 0.2
/** Score from which the head of a face is held. Of 688 labelled heads 5 are cut; with 0.8, 6 are (bench/crop/ablate.ts). */
const MIN_FACE_SCORE = 0.65
/** Share of a head in the window from which the window is moved to show all of it. With 0.6, 6 of 688 labelled heads are cut, with 0.7, 5 (bench/crop.ts). */
const NEARLY_WHOLE = 0.7

/**
 * The starts allowed for a window. It must hold all certain heads if it can. Otherwise it holds the largest, and each
 * smaller one that still fits. With an animal every start is allowed: a person who holds it up is less important.
 */
export const startsThatHoldHeads = (scenes: readonly Scene[], { axis, share }: WindowSide): Stretch => {
  const anywhere = { from: 0, to: 1 - share }
  if (scenes.some((scene) => surestAnimal(scene) > 0)) return anywhere
  const heads = certainHeads(scenes, axis).sort((a, b) => lengthOf(b) - lengthOf(a))
  const held: Stretch[] = []
  for (const head of heads) if (startsThatHold([...held, head], share) !== undefined) held.push(head)
  const roomy = axis === 'x' ? startsThatHold(held.map(withMargin), share) : undefined
  return roomy ?? startsThatHold(held, share) ?? anywhere
}

/** Moves a window as little as possible to show all of the heads that it nearly shows, of people and of animals that stand. */
export const completeHeads = (scenes: readonly Scene[], { axis, share }: WindowSide, start: number): number => {
  const nearly = [...certainHeads(scenes, axis), ...animalHeads(scenes, axis)].filter(
    (head) => keptOf(head, start, share) >= NEARLY_WHOLE * Math.min(1, share / lengthOf(head)),
  )
  const starts = startsThatHold(nearly, share)
  return starts === undefined ? start : clamp(start, starts.from, starts.to)
}

/** Extents of a head above, below and at the sides of a face's box, which begins at the brow, in its heights and widths. */
const HEAD = { above: 0.65, below: 0.2, beside: 0.25 } as const
/** Shift of a head's sides, in widths, away from where the face looks, for each width of `turn`; measured on labelled heads. */
const TURNED = 0.5

/** The extent of a face's head with hair. */
export const headOfFace = (face: TurnedFace, axis: WindowAxis): Stretch => {
  if (axis === 'y') return stretchOn(face, axis, HEAD.above, HEAD.below)
  const turn = TURNED * face.turn
  return stretchOn(face, axis, Math.max(0, HEAD.beside + turn), Math.max(0, HEAD.beside - turn))
}

/** Height of a person's head and margin above the person, as shares of the person's height; width of the head's range, in its heights. */
const PERSON_HEAD = { height: 0.18, above: 0.036, width: 1.7 } as const

/** The range of the head of a person whose face was not found: at the top of the box, in its middle. */
const headOfPerson = (person: FoundObject, axis: WindowAxis, image: Scene): Stretch => {
  const { height, above, width } = PERSON_HEAD
  if (axis === 'y') return stretchOn(person, axis, above, height - 1)
  const across = (width * height * person.height * image.height) / image.width
  return stretchOn(person, axis, Math.min(0, across / person.width - 1) / 2)
}

/** Share of the width of an animal that stands on either side of its head. */
const BESIDE_ANIMAL_HEAD = 0.15

/** The range of the head of an animal that stands, across: the middle of its box. */
export const headOfAnimal = (animal: FoundObject): Stretch => stretchOn(animal, 'x', -BESIDE_ANIMAL_HEAD)

const animalHeads = (scenes: readonly Scene[], axis: WindowAxis): Stretch[] => {
  const standing = scenes.flatMap((scene) => scene.objects.filter((object) => isStandingAnimal(object, scene)))
  return axis === 'x' ? standing.map(headOfAnimal) : []
}

const certainHeads = (scenes: readonly Scene[], axis: WindowAxis): Stretch[] =>
  scenes.flatMap((scene) => {
    const { faces, objects } = scene
    const persons = objects.filter(
      (object) => object.category === COCO.person && !faces.some((face) => isMiddleWithin(object, face)),
    )
    return [
      ...faces.filter(({ score }) => score >= MIN_FACE_SCORE).map((face) => headOfFace(face, axis)),
      ...persons.filter(({ score }) => score >= CERTAIN.object[1]).map((one) => headOfPerson(one, axis, scene)),
    ]
  })

const withMargin = (head: Stretch): Stretch => {
  const margin = MARGIN * lengthOf(head)
  return { from: Math.max(0, head.from - margin), to: Math.min(1, head.to + margin) }
}

/** The starts of windows that hold all of some heads, or cut the least of any if they only just do not fit. Otherwise undefined, as without heads. */
const startsThatHold = (heads: readonly Stretch[], share: number): Stretch | undefined => {
  const cut = leastCut(heads, share)
  if (heads.length === 0 || cut > HEAD_LENGTH_ERROR) return undefined
  const ends = heads.map((head) => head.to - cut * doubtAtEnd(head))
  const begins = heads.map((head) => head.from + cut * doubtAtStart(head))
  return { from: clamp(Math.max(...ends) - share, 0, 1 - share), to: clamp(Math.min(...begins), 0, 1 - share) }
}

/** Length whose share may be wrong at each end of a head; 0 at the image's edge. */
const doubtAtStart = (head: Stretch): number => (head.from > 0 ? lengthOf(head) : 0)
const doubtAtEnd = (head: Stretch): number => (head.to < 1 ? lengthOf(head) : 0)

/** The smallest share that a window cuts off any of the heads when it shows the rest of all. */
const leastCut = (heads: readonly Stretch[], share: number): number => {
  const cuts = heads.flatMap((one) =>
    heads.map((other) => {
      const over = one.to - other.from - share
      return over <= 0 ? 0 : over / (doubtAtEnd(one) + doubtAtStart(other))
    }),
  )
  return Math.max(0, ...cuts)
}
