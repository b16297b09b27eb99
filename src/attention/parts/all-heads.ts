import { PERSON } from '../objects.ts'
import type { Scene } from '../scene.ts'
import { isFaceOf } from './borne-out.ts'
import { CERTAIN_FACE, CERTAIN_OBJECT, headOfFace, surestAnimal } from './face-parts.ts'
import { headAcross, headOf } from './object-parts.ts'
import { clamp, type Stretch, type WindowAxis } from './scene-part.ts'

/**
 * Where a window of `share` of a side may start: anywhere, unless it can hold every head that was surely found, in all
 * scenes; then only where it does. No sum of other things is worth a head. Beside an animal, heads are weighed as all
 * else is: who holds it up to be seen comes second.
 */
export const startsThatHoldHeads = (scenes: readonly Scene[], axis: WindowAxis, share: number): Stretch => {
  const anywhere = { from: 0, to: 1 - share }
  if (scenes.some(({ objects }) => surestAnimal(objects) > 0)) return anywhere
  const heads = scenes.flatMap((scene) => sureHeads(scene, axis))
  const first = Math.min(...heads.map(({ from }) => from))
  const last = Math.max(...heads.map(({ to }) => to))
  if (heads.length === 0 || last - first > share) return anywhere
  return { from: clamp(last - share, 0, 1 - share), to: clamp(first, 0, 1 - share) }
}

/** Whole heads of faces that are certain, and of persons who are and whose faces are not seen. */
const sureHeads = (scene: Scene, axis: WindowAxis): Stretch[] => {
  const { faces, objects } = scene
  const persons = objects.filter(
    (object) =>
      object.category === PERSON && object.score >= CERTAIN_OBJECT[1] && !faces.some((face) => isFaceOf(object, face)),
  )
  return [
    ...faces.filter(({ score }) => score >= CERTAIN_FACE[1]).map((face) => headOfFace(face, axis)),
    ...persons.map((person) => (axis === 'y' ? headOf(person, scene) : headAcross(person, scene))),
  ]
}
