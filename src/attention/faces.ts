import type { Extent } from '../core/image.ts'
import { clip, type Found, fuse, mirrorRegion } from './boxes.ts'
import { logistic } from './logistic.ts'
import { placeLetterbox } from './view.ts'

/** Side of the network's input, px. */
export const FACE_SIDE = 192
/** Cells along a side of the network's last convolution. */
const CELLS = 24
/** Anchors along a side: a grid twice as fine. */
const ANCHORS = 48
/** Values of an anchor's box: centre, size, and six points: eyes, nose, mouth and ears. */
const VALUES = 16
/** Indices of the horizontal positions of the nose and the two ears. */
const [NOSE, EAR, OTHER_EAR] = [8, 12, 14] as const
/** Bounds the distance of the nose from the middle of the ears, in widths of the box. */
const MAX_TURN = 0.6
/** Smallest score of a face. */
const MIN_SCORE = 0.5
/** Smallest score of a face in a single look. */
const MIN_SCORE_ONCE = 0.4
/** Score of a face in a look that does not find it. */
const UNSEEN_SCORE = 0.2
/** Faces that overlap more are one. */
const MAX_OVERLAP = 0.3

/** A face with its direction. */
export interface TurnedFace extends Found {
  /** Distance of the nose to the right of the middle of the ears, in widths of the box. Below 0 the face looks left, and more of the head is on the right. */
  readonly turn: number
}

/** Outputs of the face network: one head trained on faces, one on persons, which also marks their faces. */
export interface FaceOutputs {
  readonly faceScores: Float32Array
  readonly faceBoxes: Float32Array
  readonly personScores: Float32Array
  readonly personBoxes: Float32Array
}

/**
 * Faces in an image of the given size, sorted by score (MediaPipe face detection, full range). The outputs are from its
 * letterbox and the mirror image of that, so that a mirrored picture gives the same faces.
 */
export const decodeFaces = (outputs: FaceOutputs, mirrored: FaceOutputs, image: Extent): TurnedFace[] => {
  const other = decodeLook(mirrored).map((face) => ({ ...mirrorRegion(face), turn: -face.turn }))
  const box = placeLetterbox(image, FACE_SIDE)
  const place = ({ x, y, width, height, ...face }: TurnedFace): TurnedFace => ({
    ...face,
    x: (x * FACE_SIDE - box.left) / box.width,
    y: (y * FACE_SIDE - box.top) / box.height,
    width: (width * FACE_SIDE) / box.width,
    height: (height * FACE_SIDE) / box.height,
  })
  return fuse([decodeLook(outputs), other], { overlap: MAX_OVERLAP, faintest: UNSEEN_SCORE, averaged: ['turn'] })
    .filter(({ score }) => score >= MIN_SCORE)
    .map(place)
    .map(clip)
    .filter(({ width, height }) => width > 0 && height > 0)
}

/** Faces of both heads. */
const decodeLook = ({ faceScores, faceBoxes, personScores, personBoxes }: FaceOutputs): TurnedFace[] => [
  ...decodeHead(faceScores, faceBoxes),
  ...decodeHead(personScores, personBoxes),
]

/** Faces of one head in fractions of the letterbox. The channels of the last convolution hold 2 x 2 anchors each (depth to space). */
const decodeHead = (scores: Float32Array, boxes: Float32Array): TurnedFace[] => {
  const found: TurnedFace[] = []
  for (let at = 0; at < CELLS * CELLS * 4; at++) {
    const score = logistic(scores[at]!)
    if (score < MIN_SCORE_ONCE) continue
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

/** Points are relative to the anchor's middle, in px, as the box's centre is. */
const turnOf = (values: Float32Array): number => {
  const width = values[2]!
  const turn = width > 0 ? (values[NOSE]! - (values[EAR]! + values[OTHER_EAR]!) / 2) / width : 0
  return Math.min(MAX_TURN, Math.max(-MAX_TURN, turn))
}
