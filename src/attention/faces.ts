import type { Extent } from '../core/image.ts'
import { clip, type Found, fuse, mirrorRegion } from './boxes.ts'
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
/** Least certainty of a face, and of one in a single look. */
const LEAST = 0.5
const LEAST_ONCE = 0.4
/** What a face counts as in a look that does not find it. */
const FAINTEST = 0.2
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
 * Faces in an image of the given size that was letterboxed for the network, and mirrored for its second look, surest first
 * (MediaPipe face detection, full range): so in a picture and its mirror image the same are found, and one that a single
 * look shows counts less. `upsideDown` where the whole letterbox was turned by 180 degrees: the faces are told as they lie
 * in the image.
 */
export const decodeFaces = (
  outputs: FaceOutputs,
  mirrored: FaceOutputs,
  image: Extent,
  upsideDown = false,
): TurnedFace[] => {
  const looks = [decodeLook(outputs), decodeLook(mirrored).map(mirrorFace)]
  const box = placeLetterbox(image, FACE_SIDE)
  const place = ({ x, y, width, height, ...face }: TurnedFace): TurnedFace => ({
    ...face,
    x: (x * FACE_SIDE - box.left) / box.width,
    y: (y * FACE_SIDE - box.top) / box.height,
    width: (width * FACE_SIDE) / box.width,
    height: (height * FACE_SIDE) / box.height,
  })
  return fuse(looks, { overlap: MOST_OVERLAP, faintest: FAINTEST, averaged: ['turn'] })
    .filter(({ score }) => score >= LEAST)
    .map((face) => (upsideDown ? turnBack(face) : face))
    .map(place)
    .map(clip)
    .filter(({ width, height }) => width > 0 && height > 0)
}

const mirrorFace = (face: TurnedFace): TurnedFace => ({ ...mirrorRegion(face), turn: -face.turn })

/** A face found in a letterbox that was turned by 180 degrees, as it lies in that as it was. */
const turnBack = (face: TurnedFace): TurnedFace => ({
  ...mirrorFace(face),
  y: 1 - face.y - face.height,
  upsideDown: true,
})

/** Faces of both heads. */
const decodeLook = ({ faceScores, faceBoxes, personScores, personBoxes }: FaceOutputs): TurnedFace[] => [
  ...decodeHead(faceScores, faceBoxes),
  ...decodeHead(personScores, personBoxes),
]

/** Faces of one head in fractions of the letterbox. The last convolution's channels hold 2 x 2 anchors each (depth to space). */
const decodeHead = (scores: Float32Array, boxes: Float32Array): TurnedFace[] => {
  const found: TurnedFace[] = []
  for (let at = 0; at < CELLS * CELLS * 4; at++) {
    const score = 1 / (1 + Math.exp(-scores[at]!))
    if (score < LEAST_ONCE) continue
    const [cell, inner] = [at >> 2, at & 3]
    const column = (cell % CELLS) * 2 + (inner & 1)
    const row = Math.floor(cell / CELLS) * 2 + (inner >> 1)
    const values = boxes.subarray(at * VALUES, (at + 1) * VALUES)
    const [x, y, width, height] = values as unknown as [number, number, number, number]
    const middle = (index: number): number => (index + 0.5) / ANCHORS
    found.push({
      score,
      x: middle(column) + (x - width / 2) / FACE_SIDE,
      y: middle(row) + (y - height / 2) / FACE_SIDE,
      width: width / FACE_SIDE,
      height: height / FACE_SIDE,
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
