import { clamp } from '../../search/curve.ts'
import { type FoundObject, PERSON } from '../objects.ts'
import type { Scene } from '../scene.ts'
import { isFaceOf } from './corroborate-faces.ts'
import { CERTAIN_FACE, CERTAIN_OBJECT, crownOf, headOfFace, surestAnimal } from './face-parts.ts'
import { headAcross, headOf } from './object-parts.ts'
import { keptOf, type Stretch, stretchOn, type WindowAxis } from './scene-part.ts'

/** Error of head lengths, as a share: heads that exceed the window by no more are taken to fit. */
const HEAD_LENGTH_ERROR = 0.1

/** Up to this certainty, 0..1, there is no animal: faint detections differ between copies of a picture. */
const MIN_ANIMAL_CERTAINTY = 0.1

/**
 * The starts allowed for a window of `share` of a side. If the window can hold every certain head in all scenes, it must,
 * or, if they only just do not fit, it must cut the least of any. Otherwise it must hold all faces, if it can. With an
 * animal every start is allowed: a person who holds it up is less important.
 */
export const startsThatHoldHeads = (scenes: readonly Scene[], axis: WindowAxis, share: number): Stretch => {
  const anywhere = { from: 0, to: 1 - share }
  if (scenes.some(({ objects }) => surestAnimal(objects) > MIN_ANIMAL_CERTAINTY)) return anywhere
  const heads = scenes.flatMap((scene) => sureHeads(scene, axis))
  const nearest = axis === 'y' ? startsThatHoldNearest(scenes, share) : undefined
  const held = startsThatHold(heads, share) ?? nearest ?? startsThatHoldFaces(scenes, axis, share)
  if (held === undefined) return anywhere
  return axis === 'x' ? withRoom(held, heads, share) : held
}

/** If not all heads fit, the starts that hold their faces: a whole group with the outermost hair cut is better than one person fewer. */
const startsThatHoldFaces = (scenes: readonly Scene[], axis: WindowAxis, share: number): Stretch | undefined =>
  startsThatHold(
    scenes.flatMap(({ faces }) =>
      faces.filter(({ score }) => score >= CERTAIN_FACE[1]).map((face) => stretchOn(face, axis, 0, 0)),
    ),
    share,
  )

/** Share of the largest head's height from which a person counts as equally near. */
const NEAR = 0.7

/** If not all heads fit one above the other, the starts that hold those of the nearest people. */
const startsThatHoldNearest = (scenes: readonly Scene[], share: number): Stretch | undefined => {
  const heads = scenes.flatMap((scene) => headsOfFaces(scene, 'y'))
  const highest = Math.max(0, ...heads.map(lengthOf))
  return startsThatHold(
    heads.filter((head) => lengthOf(head) >= NEAR * highest),
    share,
  )
}

/** Margin outside the first and the last head, in their widths, and its limit at either end, as a share of the allowed starts. */
const BESIDE = { room: 0.2, most: 0.2 } as const

/** Narrows the starts so that they leave a margin at the sides of heads where possible. The detectors do not measure hair there. */
const withRoom = ({ from, to }: Stretch, heads: readonly Stretch[], share: number): Stretch => {
  const most = BESIDE.most * (to - from)
  const end = Math.max(...heads.map((head) => head.to + BESIDE.room * doubtAtEnd(head)))
  const begin = Math.min(...heads.map((head) => head.from - BESIDE.room * doubtAtStart(head)))
  return { from: clamp(end - share, from, from + most), to: clamp(begin, to - most, to) }
}

/** Share of a head in the window from which the window is moved to show all of it. */
const NEARLY_WHOLE = 0.6

/** Share of a head that may be cut at either end without notice. */
const UNNOTICED_CUT = 0.02

/** Moves a window as little as possible to show all of the heads that it nearly shows. */
export const completeHeads = (scenes: readonly Scene[], axis: WindowAxis, share: number, start: number): number => {
  const heads = scenes.flatMap((scene) => sureHeads(scene, axis))
  const nearly = heads.filter(
    (head) => keptOf(head, start, share) >= NEARLY_WHOLE * Math.min(1, share / lengthOf(head)),
  )
  const starts = startsThatHold(nearly, share, UNNOTICED_CUT)
  return starts === undefined ? start : clamp(start, starts.from, starts.to)
}

/** The starts of windows that hold all of some heads, or cut the least of any if they only just do not fit. Otherwise undefined, as without heads. */
const startsThatHold = (heads: readonly Stretch[], share: number, unseen = 0): Stretch | undefined => {
  const cut = leastCut(heads, share)
  if (heads.length === 0 || cut > HEAD_LENGTH_ERROR) return undefined
  const ends = heads.map((head) => head.to - Math.max(cut * doubtAtEnd(head), unseen * lengthOf(head)))
  const begins = heads.map((head) => head.from + Math.max(cut * doubtAtStart(head), unseen * lengthOf(head)))
  return { from: clamp(Math.max(...ends) - share, 0, 1 - share), to: clamp(Math.min(...begins), 0, 1 - share) }
}

const lengthOf = ({ from, to }: Stretch): number => to - from

/** The length of which a share may be wrong at each end of a head; 0 at the image's edge. */
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

/** Length of a doubtful person's head, as a share of the longest certain one, below which the person is in the background. */
const FAR_BEHIND = 0.4

/** Whole heads of faces that are certain. */
const headsOfFaces = (scene: Scene, axis: WindowAxis): Stretch[] =>
  scene.faces
    .filter(({ score }) => score >= CERTAIN_FACE[1])
    .map((face) => headOfFace(face, axis, crownOf(face, scene)))

/** Whole heads of certain faces, and of persons without a face who are certain, or whose heads were found and are not far behind. */
const sureHeads = (scene: Scene, axis: WindowAxis): Stretch[] => {
  const { faces, objects } = scene
  const persons = objects.filter(
    (object) => object.category === PERSON && !faces.some((face) => isFaceOf(object, face)),
  )
  const isSure = ({ score }: FoundObject): boolean => score >= CERTAIN_OBJECT[1]
  const isFound = ({ head }: FoundObject): boolean => head !== undefined && head.score >= CERTAIN_OBJECT[1]
  const headOn = (person: FoundObject): Stretch => (axis === 'y' ? headOf(person, scene) : headAcross(person, scene))
  const sure = [...headsOfFaces(scene, axis), ...persons.filter(isSure).map(headOn)]
  const found = persons.filter((person) => isFound(person) && !isSure(person)).map(headOn)
  const longest = Math.max(0, ...sure.map(lengthOf))
  return [...sure, ...found.filter((head) => lengthOf(head) >= FAR_BEHIND * longest)]
}
