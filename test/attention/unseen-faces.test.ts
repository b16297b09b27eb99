import { describe, expect, it } from 'vitest'
import { headOfPerson, isUpright, personsWithoutFace, squareAround } from '../../src/attention/unseen-faces.ts'
import { box, CAT, PERSON } from './scenes.ts'

const VIEW = { width: 640, height: 400 }
const person = (x: number, y: number, width: number, height: number, score = 0.9) => ({
  ...box(x, y, width, height, score),
  category: PERSON,
})

describe('persons whose heads are looked for', () => {
  const left = person(0.1, 0.2, 0.2, 0.7)
  const right = person(0.6, 0.3, 0.2, 0.6)

  it('have no face, and are persons', () => {
    const cat = { ...box(0.4, 0.4, 0.2, 0.4), category: CAT }
    expect(personsWithoutFace([left, right, cat], [box(0.16, 0.22, 0.08, 0.1)])).toEqual([right])
  })

  it('are two at most, surest and largest first', () => {
    const [small, doubtful] = [person(0.45, 0.5, 0.05, 0.15), person(0.3, 0.1, 0.3, 0.9, 0.24)]
    expect(personsWithoutFace([small, right, doubtful, left], [])).toEqual([left, right])
    expect(personsWithoutFace([small, doubtful], [])).toEqual([small])
  })
})

/** A head in a square, its crown upwards unless told. */
const headAt = (x: number, y: number, width: number, height: number, up = { x: 0, y: -1 }) => ({
  ...box(x, y, width, height),
  up,
})

describe('the square around a person', () => {
  it('has room on all sides', () =>
    expect(squareAround(person(0.4, 0.3, 0.1, 0.5), VIEW)).toEqual({ left: 168, top: 100, width: 240, height: 240 }))

  it('ends where the image does', () =>
    expect(squareAround(person(0, 0.5, 0.1, 0.5), VIEW)).toEqual({ left: 0, top: 180, width: 152, height: 220 }))

  it('has a pixel at least', () =>
    expect(squareAround(person(0.99, 0, 0, 0), VIEW)).toMatchObject({ width: expect.any(Number), height: 1 }))
})

describe('a head found in it', () => {
  const someone = person(0.4, 0.3, 0.1, 0.5)
  const square = squareAround(someone, VIEW)

  it('lies where it is in the image', () => {
    const { x, y, width, height } = headOfPerson(someone, headAt(0.45, 0.2, 0.1, 0.15), square, VIEW)!
    expect([x, y]).toEqual([expect.closeTo((168 + 0.45 * 240) / 640), expect.closeTo((100 + 0.2 * 240) / 400)])
    expect([width, height]).toEqual([expect.closeTo(24 / 640), expect.closeTo(36 / 400)])
  })

  it('does also where the square is cut by the edge, and is fitted with black beside it', () => {
    const one = person(0, 0.5, 0.1, 0.5)
    const { x, width } = headOfPerson(one, headAt(0.2, 0.1, 0.2, 0.2), squareAround(one, VIEW), VIEW)!
    // 152 of 220 px in 88 of 128, 20 px from the left.
    expect([x, width]).toEqual([
      expect.closeTo(((0.2 * 128 - 20) * 152) / 88 / 640),
      expect.closeTo((0.2 * 128 * 152) / 88 / 640),
    ])
  })

  // The person's box lies from 88 to 152 px across in the square, and from 20 px down.
  it('has hair or a hat as far as the box reaches above it', () => {
    const { y, height } = headOfPerson(someone, headAt(0.45, 0.15, 0.1, 0.15), square, VIEW)!
    expect([y, height]).toEqual([expect.closeTo(0.3), expect.closeTo((16 + 36) / 400)])
  })

  it('has so on the side of its crown alone', () => {
    const lying = headAt(0.4, 0.15, 0.15, 0.1, { x: 1, y: 0 })
    const { x, y, width } = headOfPerson(someone, lying, square, VIEW)!
    expect([x, y]).toEqual([expect.closeTo((168 + 96) / 640), expect.closeTo((100 + 36) / 400)])
    expect(x + width).toBeCloseTo(0.5)
  })

  it.each([
    ['far above, as an arm raised does', headAt(0.45, 0.2, 0.1, 0.15)],
    ['below its top', headAt(0.45, 0.06, 0.1, 0.15)],
  ])('has none where the box ends %s', (_, head) => {
    const { y, height } = headOfPerson(someone, head, square, VIEW)!
    expect([y, height]).toEqual([expect.closeTo((100 + head.y * 240) / 400), expect.closeTo(36 / 400)])
  })

  it.each([
    ['beside the person', headAt(0.85, 0.1, 0.1, 0.15)],
    ['above', headAt(0.45, -0.1, 0.1, 0.1)],
    ['too small', headAt(0.45, 0.1, 0.1, 0.11)],
  ])("is somebody else's, or none, where it is %s", (_, head) =>
    expect(headOfPerson(someone, head, square, VIEW)).toBe(undefined))
})

it.each([
  ['up', 0.3, true],
  ['down', 0.7, false],
])('a head is %s by the half of the box that it is in', (_, y, up) =>
  expect(isUpright(person(0.4, 0.3, 0.1, 0.5), box(0.42, y, 0.05, 0.08))).toBe(up))
