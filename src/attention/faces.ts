import type { Extent } from '../core/image.ts'
import { clip, type Found, fuse } from './boxes.ts'
import { placeLetterbox } from './view.ts'

/** Side of the network's input, px; its anchors form a grid twice as fine as its last convolution's, 24 x 24. */
export const FACE_SIDE = 192
const CELLS = 24
const ANCHORS = 48
/** Values of an anchor's box: centre, size, and six points of the face, of which only the box is read. */
const VALUES = 16
/** Least certainty of a face. */
const LEAST = 0.5
/** Faces that overlap more are one. */
const MOST_OVERLAP = 0.3

/** What the network of faces puts out: two heads, one trained on faces, one on persons whose faces it marks. */
export interface FaceOutputs {
  readonly faceScores: Float32Array
  readonly faceBoxes: Float32Array
  readonly personScores: Float32Array
  readonly personBoxes: Float32Array
}

/** Faces in an image of the given size that was letterboxed for the network, surest first (MediaPipe face detection, full range). */
export const decodeFaces = (outputs: FaceOutputs, image: Extent, least = LEAST): Found[] => {
  const found = [
    ...decodeHead(outputs.faceScores, outputs.faceBoxes, least),
    ...decodeHead(outputs.personScores, outputs.personBoxes, least),
  ]
  const box = placeLetterbox(image, FACE_SIDE)
  const place = ({ score, x, y, width, height }: Found): Found => ({
    score,
    x: (x - box.left) / box.width,
    y: (y - box.top) / box.height,
    width: width / box.width,
    height: height / box.height,
  })
  return fuse(found, MOST_OVERLAP, least)
    .map(place)
    .map(clip)
    .filter(({ width, height }) => width > 0 && height > 0)
}

/** Faces of one head in px of the letterbox. The last convolution's channels hold 2 x 2 anchors each (depth to space). */
const decodeHead = (scores: Float32Array, boxes: Float32Array, least: number): Found[] => {
  const found: Found[] = []
  for (let at = 0; at < CELLS * CELLS * 4; at++) {
    const score = 1 / (1 + Math.exp(-scores[at]!))
    if (score < least) continue
    const [cell, inner] = [at >> 2, at & 3]
    const column = (cell % CELLS) * 2 + (inner & 1)
    const row = Math.floor(cell / CELLS) * 2 + (inner >> 1)
    const [x, y, width, height] = boxes.subarray(at * VALUES, at * VALUES + 4) as unknown as [
      number,
      number,
      number,
      number,
    ]
    const middle = (index: number): number => ((index + 0.5) / ANCHORS) * FACE_SIDE
    found.push({ score, x: middle(column) + x - width / 2, y: middle(row) + y - height / 2, width, height })
  }
  return found
}
