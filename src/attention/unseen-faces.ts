import type { Box, Extent, Point } from '../core/image.ts'
import { clip, type Found } from './boxes.ts'
import type { TurnedFace } from './faces.ts'
import { type FoundObject, PERSON } from './objects.ts'
import { isFaceOf } from './parts/corroborate-faces.ts'
import type { Stretch } from './parts/scene-part.ts'
import { POSE_SIDE, type PosedHead } from './poses.ts'
import { placeLetterbox, type Region } from './view.ts'

/** Scores of a person from which, if no face was found, an upside-down face and the head are searched for. */
const MIN_PERSON_SCORE = 0.15
const MIN_SCORE_FOR_HEAD = 0.3
/** Searching one head takes nearly as long as finding all faces. */
const MAX_SEARCHED_PERSONS = 2

export const isPerhapsPerson = ({ category, score }: FoundObject): boolean =>
  category === PERSON && score >= MIN_PERSON_SCORE

/** The persons without a face whose heads are searched for, sorted by score and size. */
export const personsWithoutFace = (
  objects: readonly FoundObject[],
  faces: readonly TurnedFace[],
): readonly FoundObject[] =>
  objects
    .filter(
      (object) =>
        object.category === PERSON &&
        object.score >= MIN_SCORE_FOR_HEAD &&
        !faces.some((face) => isFaceOf(object, face)),
    )
    .sort((a, b) => weightOf(b) - weightOf(a))
    .slice(0, MAX_SEARCHED_PERSONS)

const weightOf = ({ score, width, height }: FoundObject): number => score * Math.sqrt(width * height)

/** Side of the square around a person, in the longer side of the box. */
const ROOM = 1.2

/** Whether the middle of a person's head is in the upper half of the box. */
export const isUpright = (person: Region, head: Region): boolean =>
  head.y + head.height / 2 < person.y + person.height / 2

/** The longer side of a region of a view, px. */
const longest = ({ width, height }: Pick<Region, 'width' | 'height'>, view: Extent): number =>
  Math.max(width * view.width, height * view.height)

/** The square around a person within a view, in whole px. */
export const squareAround = ({ x, y, width, height }: Region, view: Extent): Box => {
  const half = (ROOM * longest({ width, height }, view)) / 2
  const [atX, atY] = [(x + width / 2) * view.width, (y + height / 2) * view.height]
  const [left, top] = [Math.max(0, Math.floor(atX - half)), Math.max(0, Math.floor(atY - half))]
  const right = Math.min(view.width, Math.ceil(atX + half))
  const bottom = Math.min(view.height, Math.ceil(atY + half))
  return { left, top, width: Math.max(1, right - left), height: Math.max(1, bottom - top) }
}

/** Share of a person's height by which the middle of the head may be above the box, which is not exact. */
const ABOVE = 0.05
/** Smallest length of a head as a share of the person's longer side: eight heads tall at most, and measured a tenth too large. */
const MIN_HEAD_SHARE = 1.1 / 8

/**
 * A head found in the letterbox of such a square, in fractions of the whole view; undefined if it is outside the person or
 * too small for the person.
 */
export const headOfPerson = (person: Region, head: PosedHead, square: Box, view: Extent): Found | undefined => {
  const box = placeLetterbox(square, POSE_SIDE)
  const scale = { x: square.width / box.width / view.width, y: square.height / box.height / view.height }
  const width = head.width * POSE_SIDE * scale.x
  const height = head.height * POSE_SIDE * scale.y
  const x = square.left / view.width + (head.x * POSE_SIDE - box.left) * scale.x
  const y = square.top / view.height + (head.y * POSE_SIDE - box.top) * scale.y
  const right = x + width / 2 - person.x
  const down = y + height / 2 - person.y
  const isTheirs = right >= 0 && right <= person.width && down >= -ABOVE * person.height && down <= person.height
  const found = { x, y, width, height, score: head.score }
  const isLargeEnough = longest(found, view) >= MIN_HEAD_SHARE * longest(person, view)
  return isTheirs && isLargeEnough ? clip(withHair(found, head.up, person)) : undefined
}

/** Limit of the height of hair or a hat beyond the measured head, in lengths of the head. */
const HAIR = 0.6

/** Extends a head to the edge of the person's box on the side of its crown, for hair or a hat. */
const withHair = (head: Found, up: Point, person: Region): Found => {
  const [left, right] = beyond({ from: head.x, to: head.x + head.width }, up.x, {
    from: person.x,
    to: person.x + person.width,
  })
  const [above, below] = beyond({ from: head.y, to: head.y + head.height }, up.y, {
    from: person.y,
    to: person.y + person.height,
  })
  return {
    ...head,
    x: head.x - left,
    y: head.y - above,
    width: head.width + left + right,
    height: head.height + above + below,
  }
}

/** The extension at either end of one side; `up` is the component of the crown's direction along it. */
const beyond = (head: Stretch, up: number, person: Stretch): readonly [number, number] => {
  const most = HAIR * Math.abs(up) * (head.to - head.from)
  const gap = up < 0 ? head.from - person.from : person.to - head.to
  const more = gap > 0 && gap <= most ? gap : 0
  return up < 0 ? [more, 0] : [0, more]
}
