import type { Found } from '../boxes.ts'
import type { TurnedFace } from '../faces.ts'
import { type FoundObject, PERSON } from '../objects.ts'
import type { Scene } from '../scene.ts'

/** Share of the doubt about a face that the box of a certain person removes. */
const DOUBT_REMOVED = 0.5
/** Score from which a person is certain. */
const CERTAIN_SCORE = 0.6
/** Smallest width of a face, as a share of the person's; narrower faces may be someone else's. */
const MIN_FACE_WIDTH = 0.22

/** Whether a face is where the person's would be: in the upper part of the box, or in the lower part if upside down. */
export const isFaceOf = (person: FoundObject, face: Found & Pick<TurnedFace, 'upsideDown'>): boolean => {
  const x = face.x + face.width / 2
  const y = face.y + face.height / 2
  const below = face.upsideDown === true ? person.y + person.height - y : y - person.y
  return (
    person.category === PERSON &&
    x >= person.x &&
    x <= person.x + person.width &&
    below >= -0.05 &&
    below <= 0.6 * person.height
  )
}

/** Raises the score of faces that fit a person: two detectors that agree are rarely both wrong. */
export const corroborateFaces = ({ faces, objects }: Scene): TurnedFace[] =>
  faces.map((face) => {
    const persons = objects.filter((object) => isFaceOf(object, face) && face.width > MIN_FACE_WIDTH * object.width)
    const sure = Math.min(1, Math.max(0, ...persons.map(({ score }) => score)) / CERTAIN_SCORE)
    return { ...face, score: face.score + DOUBT_REMOVED * sure * (1 - face.score) }
  })
