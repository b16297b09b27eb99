import { describe, expect, it } from 'vitest'
import { decodeFaces, FACE_NETWORK, type FaceOutputs } from './faces.ts'

const ANCHORS = 48 * 48
const SQUARE = { width: 600, height: 600 }

/** Outputs with one face of 48 px, 2 px off the middle of one of the four anchors in a cell. `nose` and `ears` are px right of that. */
const outputsAt = (at: number, nose: number, ears: readonly [number, number], score: number): FaceOutputs => {
  const scores = new Float32Array(ANCHORS).fill(-10)
  scores[at] = score
  const boxes = new Float32Array(ANCHORS * 16)
  const off = at % 2 === 0 ? -2 : 2
  boxes.set([off, -2, 48, 48, -10, -8, 10, -8, nose, 0, 0, 10, ears[0], 0, ears[1], 0], at * 16)
  const none = new Float32Array(ANCHORS).fill(-10)
  return { faceScores: scores, faceBoxes: boxes, personScores: none, personBoxes: boxes }
}

/** The cell right of the middle, and in the mirror its right column. */
const CELL = (12 * 24 + 12) * 4
const CELL_IN_MIRROR = (12 * 24 + 11) * 4 + 1

/** Outputs for one face at the middle, and for its mirror image, in which it may be as sure or not. */
const outputsOf = (
  nose: number,
  ears: readonly [number, number],
  score = 3,
  again = score,
): [FaceOutputs, FaceOutputs] => [
  outputsAt(CELL, nose, ears, score),
  outputsAt(CELL_IN_MIRROR, -nose, [-ears[0], -ears[1]], again),
]

describe('decodeFaces', () => {
  it('places a face by its anchor and box', () => {
    const [face] = decodeFaces(...outputsOf(-2, [-22, 18]), SQUARE) as [ReturnType<typeof decodeFaces>[number]]
    const middle = (24.5 / 48) * FACE_NETWORK.side - 2
    expect(face.x * FACE_NETWORK.side).toBeCloseTo(middle - 24, 4)
    expect(face.width * FACE_NETWORK.side).toBeCloseTo(48, 4)
    expect(face.score).toBeCloseTo(1 / (1 + Math.exp(-3)), 6)
  })

  it.each([
    ['looks ahead', -2, [-22, 18], 0],
    ['looks to the left', -20, [-14, 22], -0.5],
    ['looks to the right', 20, [-22, 14], 0.5],
    ['has points that no head has', 90, [-22, 14], 0.6],
  ] as const)('measures the turn of a face that %s', (_, nose, ears, turn) => {
    expect(decodeFaces(...outputsOf(nose, ears), SQUARE).map((face) => face.turn)).toEqual([expect.closeTo(turn, 5)])
  })

  it('drops doubtful faces', () => {
    expect(decodeFaces(...outputsOf(0, [-20, 20], -0.1), SQUARE)).toEqual([])
  })

  it('gives the mean score of both looks, and drops a face that one look lacks and the other doubts', () => {
    const [once, again] = [3, 0].map((logit) => 1 / (1 + Math.exp(-logit))) as [number, number]
    expect(decodeFaces(...outputsOf(0, [-20, 20], 3, 0), SQUARE)[0]!.score).toBeCloseTo((once + again) / 2, 6)
    expect(decodeFaces(...outputsOf(0, [-20, 20], 3, -9), SQUARE)[0]!.score).toBeCloseTo((once + 0.2) / 2, 6)
    expect(decodeFaces(...outputsOf(0, [-20, 20], 1, -9), SQUARE)).toEqual([])
  })

  it('mirrors the face when the two looks swap', () => {
    const wide = { width: 601, height: 300 }
    const [view, mirrored] = outputsOf(-20, [-14, 22], 3, 1)
    const [face] = decodeFaces(view, mirrored, wide)
    const [other] = decodeFaces(mirrored, view, wide)
    expect(other!.x).toBeCloseTo(1 - face!.x - face!.width, 6)
    expect([other!.turn, other!.y, other!.score]).toEqual([
      expect.closeTo(-face!.turn),
      expect.closeTo(face!.y),
      expect.closeTo(face!.score),
    ])
  })
})
