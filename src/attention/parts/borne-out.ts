import type { Found } from '../boxes.ts'
import type { TurnedFace } from '../faces.ts'
import { type FoundObject, PERSON } from '../objects.ts'
import type { Scene } from '../scene.ts'

/** Share of the doubt about a face that the box of a sure person takes away. */
const BORNE_OUT = 0.5
/** Certainty from which on a person is sure. */
const SURE = 0.6
/** Least width of a face, as a share of the person's: what is narrower may be anybody's. */
const NARROWEST = 0.22

/** Whether a face lies where that of a person would: in the upper part of the box, or upside down in the lower one. */
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

/** Faces, with more certainty where a person was found whose face they would be: two detectors that agree are rarely both wrong. */
export const bearOut = ({ faces, objects }: Scene): TurnedFace[] =>
  faces.map((face) => {
    const persons = objects.filter((object) => isFaceOf(object, face) && face.width > NARROWEST * object.width)
    const sure = Math.min(1, Math.max(0, ...persons.map(({ score }) => score)) / SURE)
    return { ...face, score: face.score + BORNE_OUT * sure * (1 - face.score) }
  })
