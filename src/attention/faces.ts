import type { Extent } from '../core/image.ts'
import { clip, type Found, fuse, mirrorRegion } from './boxes.ts'
import { logistic } from './logistic.ts'
import { placeLetterbox } from './view.ts'

/** Numbers of the network (MediaPipe face detection, full range). */
export const FACE_NETWORK = {
  /** Side of the input, px. */
  side: 192,
  /** Cells along a side of the last convolution. */
  cells: 24,
  /** Anchors along a side: a grid twice as fine. */
  anchors: 48,
  /** Values of an anchor's box: centre, size, and six points: eyes, nose, mouth and ears. */
  values: 16,
  /** Indices of the horizontal positions of the nose and the two ears. */
  nose: 8,
  ear: 12,
  otherEar: 14,
} as const
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
 * Faces in an image of the given size, sorted by score. The outputs are from its
 * letterbox and the mirror image of that, so that a mirrored picture gives the same faces.
 */
export const decodeFaces = (outputs: FaceOutputs, mirrored: FaceOutputs, image: Extent): TurnedFace[] => {
  const other = decodeLook(mirrored).map((face) => ({ ...mirrorRegion(face), turn: -face.turn }))
  const { side } = FACE_NETWORK
  const box = placeLetterbox(image, side)
  const place = ({ x, y, width, height, ...face }: TurnedFace): TurnedFace => ({
    ...face,
    x: (x * side - box.left) / box.width,
    y: (y * side - box.top) / box.height,
    width: (width * side) / box.width,
    height: (height * side) / box.height,
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
  const { side, cells, anchors, values } = FACE_NETWORK
  const found: TurnedFace[] = []
  for (let at = 0; at < cells * cells * 4; at++) {
    const score = logistic(scores[at]!)
    if (score < MIN_SCORE_ONCE) continue
    const [cell, inner] = [at >> 2, at & 3]
    const column = (cell % cells) * 2 + (inner & 1)
    const row = Math.floor(cell / cells) * 2 + (inner >> 1)
    const box = boxes.subarray(at * values, (at + 1) * values)
    const [x, y, width, height] = box as unknown as [number, number, number, number]
    const middle = (index: number): number => (index + 0.5) / anchors
    found.push({
      score,
      x: middle(column) + (x - width / 2) / side,
      y: middle(row) + (y - height / 2) / side,
      width: width / side,
      height: height / side,
      turn: turnOf(box),
    })
  }
  return found
}

/** Points are relative to the anchor's middle, in px, as the box's centre is. */
const turnOf = (values: Float32Array): number => {
  const { nose, ear, otherEar } = FACE_NETWORK
  const width = values[2]!
  const turn = width > 0 ? (values[nose]! - (values[ear]! + values[otherEar]!) / 2) / width : 0
  return Math.min(MAX_TURN, Math.max(-MAX_TURN, turn))
}
