import { type FoundObject, PERSON } from '../objects.ts'
import type { Scene } from '../scene.ts'
import { isFaceOf } from './borne-out.ts'
import { CERTAIN_FACE, CERTAIN_OBJECT, crownOf, headOfFace, surestAnimal } from './face-parts.ts'
import { headAcross, headOf } from './object-parts.ts'
import { clamp, keptOf, type Stretch, stretchOn, type WindowAxis } from './scene-part.ts'

/** Share of every head by which what is told of heads may be too long: where no more need be cut, they are held to fit. */
const TOLD_TOO_LONG = 0.1

/** Certainty of an animal, 0..1, up to which there is none: what is found faintly is found in one copy of a picture and not in the next. */
const PERHAPS_ANIMAL = 0.1

/**
 * Where a window of `share` of a side may start: anywhere, unless it can hold every head that was surely found, in all
 * scenes; then only where it does, or, where they just do not fit together by what is told of them, where least is cut of
 * any; else where it holds all faces, if it can. No sum of other things is worth a head. Beside an animal, heads are weighed as all else is: who holds it up to be
 * seen comes second.
 */
export const startsThatHoldHeads = (scenes: readonly Scene[], axis: WindowAxis, share: number): Stretch => {
  const anywhere = { from: 0, to: 1 - share }
  if (scenes.some(({ objects }) => surestAnimal(objects) > PERHAPS_ANIMAL)) return anywhere
  const heads = scenes.flatMap((scene) => sureHeads(scene, axis))
  const nearest = axis === 'y' ? startsThatHoldNearest(scenes, share) : undefined
  const held = startsThatHold(heads, share) ?? nearest ?? startsThatHoldFaces(scenes, axis, share)
  if (held === undefined) return anywhere
  return axis === 'x' ? withRoom(held, heads, share) : held
}

/** Where heads do not all fit, the starts that hold their faces at least: rather all of a group, the hair of the outermost cut, than one fewer. */
const startsThatHoldFaces = (scenes: readonly Scene[], axis: WindowAxis, share: number): Stretch | undefined =>
  startsThatHold(
    scenes.flatMap(({ faces }) =>
      faces.filter(({ score }) => score >= CERTAIN_FACE[1]).map((face) => stretchOn(face, axis, 0, 0)),
    ),
    share,
  )

/** Height of a face's head, in that of the highest, from which on somebody stands as near. */
const NEAR = 0.7

/** Where heads do not all fit one above the other, the starts that hold those of the nearest people: nobody stands headless before others who sit. */
const startsThatHoldNearest = (scenes: readonly Scene[], share: number): Stretch | undefined => {
  const heads = scenes.flatMap((scene) => headsOfFaces(scene, 'y'))
  const highest = Math.max(0, ...heads.map(lengthOf))
  return startsThatHold(
    heads.filter((head) => lengthOf(head) >= NEAR * highest),
    share,
  )
}

/** Room beside the first and the last head, in their widths; and the most that is given to it at either end, as a share of where a window may start. */
const BESIDE = { room: 0.2, most: 0.2 } as const

/** Starts that leave some room beside heads where there is some to spare: how far hair reaches to the sides nothing tells exactly, while above it is told by the person's box. */
const withRoom = ({ from, to }: Stretch, heads: readonly Stretch[], share: number): Stretch => {
  const most = BESIDE.most * (to - from)
  const end = Math.max(...heads.map((head) => head.to + BESIDE.room * doubtAtEnd(head)))
  const begin = Math.min(...heads.map((head) => head.from - BESIDE.room * doubtAtStart(head)))
  return { from: clamp(end - share, from, from + most), to: clamp(begin, to - most, to) }
}

/** Share of a head that a window shows from which on it is moved to show all of it. */
const NEARLY = 0.6

/** Share of a head that may be cut at either end without being missed. */
const UNSEEN = 0.02

/** The start of a window, moved as little as it takes to show all of the heads that it nearly shows: half a head is worse than a little less of anything else. */
export const completeHeads = (scenes: readonly Scene[], axis: WindowAxis, share: number, start: number): number => {
  const heads = scenes.flatMap((scene) => sureHeads(scene, axis))
  const nearly = heads.filter((head) => keptOf(head, start, share) >= NEARLY * Math.min(1, share / lengthOf(head)))
  const starts = startsThatHold(nearly, share, UNSEEN)
  return starts === undefined ? start : clamp(start, starts.from, starts.to)
}

/** Where a window may start that holds all of some heads, or where it cuts least of any when they just do not fit; undefined where it must cut more, or there are none. */
const startsThatHold = (heads: readonly Stretch[], share: number, unseen = 0): Stretch | undefined => {
  const cut = leastCut(heads, share)
  if (heads.length === 0 || cut > TOLD_TOO_LONG) return undefined
  const ends = heads.map((head) => head.to - Math.max(cut * doubtAtEnd(head), unseen * lengthOf(head)))
  const begins = heads.map((head) => head.from + Math.max(cut * doubtAtStart(head), unseen * lengthOf(head)))
  return { from: clamp(Math.max(...ends) - share, 0, 1 - share), to: clamp(Math.min(...begins), 0, 1 - share) }
}

const lengthOf = ({ from, to }: Stretch): number => to - from

/** What either end of a head may be told too far by, in shares of this: one that the image's edge cuts ends there. */
const doubtAtStart = (head: Stretch): number => (head.from > 0 ? lengthOf(head) : 0)
const doubtAtEnd = (head: Stretch): number => (head.to < 1 ? lengthOf(head) : 0)

/** The least share that a window cuts off any of the heads when it shows the rest of all. */
const leastCut = (heads: readonly Stretch[], share: number): number => {
  const cuts = heads.flatMap((one) =>
    heads.map((other) => {
      const over = one.to - other.from - share
      return over <= 0 ? 0 : over / (doubtAtEnd(one) + doubtAtStart(other))
    }),
  )
  return Math.max(0, ...cuts)
}

/** Length of a doubtful person's head, in that of the longest sure one, below which it is of somebody far behind, whom the picture was not taken for. */
const FAR_BEHIND = 0.4

/** Whole heads of faces that are certain. */
const headsOfFaces = (scene: Scene, axis: WindowAxis): Stretch[] =>
  scene.faces
    .filter(({ score }) => score >= CERTAIN_FACE[1])
    .map((face) => headOfFace(face, axis, crownOf(face, scene)))

/** Whole heads of faces that are certain, and of persons who are and whose faces are not seen, or whose heads were found, though not far behind. */
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
