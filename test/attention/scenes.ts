import { MAP_SIDE } from '../../src/attention/saliency/saliency.ts'
import type { Scene } from '../../src/attention/scene.ts'

/** A scene of 600 x 400 px in which nothing was found and nothing stands out. */
export const EMPTY: Scene = {
  width: 600,
  height: 400,
  faces: [],
  objects: [],
  text: [],
  saliency: new Float32Array(MAP_SIDE * MAP_SIDE),
}

/** Kinds of objects. */
export const PERSON = 0
export const CAT = 15

/** A region, or a face that looks ahead. */
export const box = (x: number, y: number, width: number, height: number, score = 0.9) => ({
  x,
  y,
  width,
  height,
  score,
  turn: 0,
})
