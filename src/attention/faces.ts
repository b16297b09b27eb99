import type { Extent } from '../core/image.ts'
import { clip, type Found, fuse } from './boxes.ts'
import { placeLetterbox } from './view.ts'

/** Side of the network's input, px; its anchors form a grid twice as fine as its last convolution's, 24 x 24. */
export const FACE_SIDE = 192
const CELLS = 24
const ANCHORS = 48
/** Values of an anchor's box: centre, size, and six points of the face: eyes, nose, mouth and ears. */
const VALUES = 16
/** Which of the values say how far right the nose and the two ears lie. */
const [NOSE, EAR, OTHER_EAR] = [8, 12, 14] as const
/** The farthest that a nose can seem to lie from the middle of the ears. */
const MOST_TURN = 0.6
/** Least certainty of a face. */
const LEAST = 0.5
/** Faces that overlap more are one. */
const MOST_OVERLAP = 0.3

/** A face, and how far it is turned. */
export interface TurnedFace extends Found {
  /** How far the nose lies right of the middle of the ears, in widths of the box: below 0 the face looks left, and more of the head lies on the right. */
  readonly turn: number
  /** Whether the chin is at the top. */
  readonly upsideDown?: boolean
}

/** What the network of faces puts out: two heads, one trained on faces, one on persons whose faces it marks. */
export interface FaceOutputs {
  readonly faceScores: Float32Array
  readonly faceBoxes: Float32Array
  readonly personScores: Float32Array
  readonly personBoxes: Float32Array
}

/**
 * Faces in an image of the given size that was letterboxed for the network, surest first (MediaPipe face detection, full
 * range). `upsideDown` where the whole letterbox was turned by 180 degrees: the faces are told as they lie in the image.
 */
export const decodeFaces = (outputs: FaceOutputs, image: Extent, upsideDown = false, least = LEAST): TurnedFace[] => {
  const found = [
    ...decodeHead(outputs.faceScores, outputs.faceBoxes, least),
    ...decodeHead(outputs.personScores, outputs.personBoxes, least),
  ]
  const box = placeLetterbox(image, FACE_SIDE)
  const place = ({ x, y, width, height, ...face }: TurnedFace): TurnedFace => ({
    ...face,
    x: (x - box.left) / box.width,
    y: (y - box.top) / box.height,
    width: width / box.width,
    height: height / box.height,
  })
  return fuse(found, MOST_OVERLAP, least)
    .map((face) => (upsideDown ? turnBack(face) : face))
    .map(place)
    .map(clip)
    .filter(({ width, height }) => width > 0 && height > 0)
}

/** A face found in a letterbox that was turned by 180 degrees, in px of that as it was. */
const turnBack = (face: TurnedFace): TurnedFace => ({
  ...face,
  x: FACE_SIDE - face.x - face.width,
  y: FACE_SIDE - face.y - face.height,
  turn: -face.turn,
  upsideDown: true,
})

/** Faces of one head in px of the letterbox. The last convolution's channels hold 2 x 2 anchors each (depth to space). */
const decodeHead = (scores: Float32Array, boxes: Float32Array, least: number): TurnedFace[] => {
  const found: TurnedFace[] = []
  for (let at = 0; at < CELLS * CELLS * 4; at++) {
    const score = 1 / (1 + Math.exp(-scores[at]!))
    if (score < least) continue
    const [cell, inner] = [at >> 2, at & 3]
    const column = (cell % CELLS) * 2 + (inner & 1)
    const row = Math.floor(cell / CELLS) * 2 + (inner >> 1)
    const values = boxes.subarray(at * VALUES, (at + 1) * VALUES)
    const [x, y, width, height] = values as unknown as [number, number, number, number]
    const middle = (index: number): number => ((index + 0.5) / ANCHORS) * FACE_SIDE
    found.push({
      score,
      x: middle(column) + x - width / 2,
      y: middle(row) + y - height / 2,
      width,
      height,
      turn: turnOf(values),
    })
  }
  return found
}

/** The points are where the box's centre is: px from the anchor's middle. */
const turnOf = (values: Float32Array): number => {
  const width = values[2]!
  const turn = width > 0 ? (values[NOSE]! - (values[EAR]! + values[OTHER_EAR]!) / 2) / width : 0
  return Math.min(MOST_TURN, Math.max(-MOST_TURN, turn))
}
