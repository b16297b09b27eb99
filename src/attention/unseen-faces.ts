import type { Box, Extent, Point } from '../core/image.ts'
import { clip, type Found } from './boxes.ts'
import type { TurnedFace } from './faces.ts'
import { type FoundObject, PERSON } from './objects.ts'
import { isFaceOf } from './parts/borne-out.ts'
import type { Stretch } from './parts/scene-part.ts'
import { POSE_SIDE, type PosedHead } from './poses.ts'
import { placeLetterbox, type Region } from './view.ts'

/** Certainty of a person from which on faces are looked for upside down where none is seen; and the head of one without a face. */
const PERHAPS_PERSON = 0.15
const LIKELY_PERSON = 0.3
/** Persons at most whose heads are looked for: each costs nearly as much as all faces do. */
const MOST = 2

export const isPerhapsPerson = ({ category, score }: FoundObject): boolean =>
  category === PERSON && score >= PERHAPS_PERSON

/** The persons without a face whose heads are worth looking for, those first that are sure and large. */
export const personsWithoutFace = (
  objects: readonly FoundObject[],
  faces: readonly TurnedFace[],
): readonly FoundObject[] =>
  objects
    .filter(
      (object) =>
        object.category === PERSON && object.score >= LIKELY_PERSON && !faces.some((face) => isFaceOf(object, face)),
    )
    .sort((a, b) => weightOf(b) - weightOf(a))
    .slice(0, MOST)

const weightOf = ({ score, width, height }: FoundObject): number => score * Math.sqrt(width * height)

/** Side of the square around a person that is looked at, in the longer side of the box. */
const ROOM = 1.2

/** Whether the middle of a person's head lies in the upper half of the box. */
export const isUpright = (person: Region, head: Region): boolean =>
  head.y + head.height / 2 < person.y + person.height / 2

/** The longer side of a region of a view, px. */
const longest = ({ width, height }: Pick<Region, 'width' | 'height'>, view: Extent): number =>
  Math.max(width * view.width, height * view.height)

/** The square around a person, as far as it lies in a view, in whole px of that. */
export const squareAround = ({ x, y, width, height }: Region, view: Extent): Box => {
  const half = (ROOM * longest({ width, height }, view)) / 2
  const [atX, atY] = [(x + width / 2) * view.width, (y + height / 2) * view.height]
  const [left, top] = [Math.max(0, Math.floor(atX - half)), Math.max(0, Math.floor(atY - half))]
  const right = Math.min(view.width, Math.ceil(atX + half))
  const bottom = Math.min(view.height, Math.ceil(atY + half))
  return { left, top, width: Math.max(1, right - left), height: Math.max(1, bottom - top) }
}

/** Share of a person's height by which the middle of the head may lie above the box, which is not exact. */
const ABOVE = 0.05
/** Least share of a person's longer side that a head, told a tenth too large, takes of its own: nobody is eight heads tall. */
const SMALLEST = 1.1 / 8

/**
 * A head found in the letterbox of such a square, in fractions of the whole view; undefined where it lies beside the
 * person or is too small for them: then it is somebody else's, or none.
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
  const isLargeEnough = longest(found, view) >= SMALLEST * longest(person, view)
  return isTheirs && isLargeEnough ? clip(withHair(found, head.up, person)) : undefined
}

/** How far hair that lies spread, or a hat, reaches at most beyond what the points of a head tell, in that. */
const HAIR = 0.6

/** A head that reaches as far as the person's box does on the side of its crown: its end is that of the hair or hat, as above a face. */
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

/** By how much a head is longer at either end of one side, `up` being the share of its length that lies along it. */
const beyond = (head: Stretch, up: number, person: Stretch): readonly [number, number] => {
  const most = HAIR * Math.abs(up) * (head.to - head.from)
  const gap = up < 0 ? head.from - person.from : person.to - head.to
  const more = gap > 0 && gap <= most ? gap : 0
  return up < 0 ? [more, 0] : [0, more]
}
