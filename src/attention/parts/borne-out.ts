import type { Found } from '../boxes.ts'
import type { TurnedFace } from '../faces.ts'
import { type FoundObject, PERSON } from '../objects.ts'
import type { Scene } from '../scene.ts'

/** Share of the doubt about a face that the box of a sure person takes away. */
const BORNE_OUT = 0.5
/** Certainty from which on a person is sure. */
const SURE = 0.6
/** Least width of a face, as a share of the person's: what is narrower may be anybody's. */
const NARROWEST = 0.3

/** Whether a face lies where that of a person would: in the upper part of the box. */
export const isFaceOf = (person: FoundObject, face: Found): boolean => {
  const [x, y] = [face.x + face.width / 2, face.y + face.height / 2]
  return (
    person.category === PERSON &&
    x >= person.x &&
    x <= person.x + person.width &&
    y >= person.y - 0.05 &&
    y <= person.y + 0.6 * person.height
  )
}

/** Faces, with more certainty where a person was found whose face they would be: two detectors that agree are rarely both wrong. */
export const bearOut = ({ faces, objects }: Scene): TurnedFace[] =>
  faces.map((face) => {
    const persons = objects.filter((object) => isFaceOf(object, face) && face.width > NARROWEST * object.width)
    const sure = Math.min(1, Math.max(0, ...persons.map(({ score }) => score)) / SURE)
    return { ...face, score: face.score + BORNE_OUT * sure * (1 - face.score) }
  })
