import { describe, expect, it } from 'vitest'
import { box, CAT, PERSON } from '../../test/attention/scenes.ts'
import { headOfPerson, isUpright, personsWithoutFace, squareAround } from './unseen-faces.ts'

const VIEW = { width: 640, height: 400 }
const person = (x: number, y: number, width: number, height: number, score = 0.9) => ({
  ...box(x, y, width, height, score),
  category: PERSON,
})

describe('personsWithoutFace', () => {
  const left = person(0.1, 0.2, 0.2, 0.7)
  const right = person(0.6, 0.3, 0.2, 0.6)

  it('returns persons without a face', () => {
    const cat = { ...box(0.4, 0.4, 0.2, 0.4), category: CAT }
    expect(personsWithoutFace([left, right, cat], [box(0.16, 0.22, 0.08, 0.1)])).toEqual([right])
  })

  it('returns two at most, sorted by score and size', () => {
    const [small, doubtful] = [person(0.45, 0.5, 0.05, 0.15), person(0.3, 0.1, 0.3, 0.9, 0.24)]
    expect(personsWithoutFace([small, right, doubtful, left], [])).toEqual([left, right])
    expect(personsWithoutFace([small, doubtful], [])).toEqual([small])
  })
})

/** A head in a square. `up` points to its crown. */
const headAt = (x: number, y: number, width: number, height: number, up = { x: 0, y: -1 }) => ({
  ...box(x, y, width, height),
  up,
})

describe('the square around a person', () => {
  it('leaves room on all sides', () =>
    expect(squareAround(person(0.4, 0.3, 0.1, 0.5), VIEW)).toEqual({ left: 168, top: 100, width: 240, height: 240 }))

  it('ends where the image does', () =>
    expect(squareAround(person(0, 0.5, 0.1, 0.5), VIEW)).toEqual({ left: 0, top: 180, width: 152, height: 220 }))

  it('is at least one pixel high', () =>
    expect(squareAround(person(0.99, 0, 0, 0), VIEW)).toMatchObject({ width: expect.any(Number), height: 1 }))
})

describe('headOfPerson', () => {
  const someone = person(0.4, 0.3, 0.1, 0.5)
  const square = squareAround(someone, VIEW)

  it('gives the head in coordinates of the image', () => {
    const { x, y, width, height } = headOfPerson(someone, headAt(0.45, 0.2, 0.1, 0.15), square, VIEW)!
    expect([x, y]).toEqual([expect.closeTo((168 + 0.45 * 240) / 640), expect.closeTo((100 + 0.2 * 240) / 400)])
    expect([width, height]).toEqual([expect.closeTo(24 / 640), expect.closeTo(36 / 400)])
  })

  it('gives these also if the square is cut by the edge and padded with black', () => {
    const one = person(0, 0.5, 0.1, 0.5)
    const { x, width } = headOfPerson(one, headAt(0.2, 0.1, 0.2, 0.2), squareAround(one, VIEW), VIEW)!
    // 152 of 220 px in 88 of 128, 20 px from the left.
    expect([x, width]).toEqual([
      expect.closeTo(((0.2 * 128 - 20) * 152) / 88 / 640),
      expect.closeTo((0.2 * 128 * 152) / 88 / 640),
    ])
  })

  // The person's box lies from 88 to 152 px across in the square, and from 20 px down.
  it('extends the head to the top of the box, for hair or a hat', () => {
    const { y, height } = headOfPerson(someone, headAt(0.45, 0.15, 0.1, 0.15), square, VIEW)!
    expect([y, height]).toEqual([expect.closeTo(0.3), expect.closeTo((16 + 36) / 400)])
  })

  it('extends the head only on the side of its crown', () => {
    const lying = headAt(0.4, 0.15, 0.15, 0.1, { x: 1, y: 0 })
    const { x, y, width } = headOfPerson(someone, lying, square, VIEW)!
    expect([x, y]).toEqual([expect.closeTo((168 + 96) / 640), expect.closeTo((100 + 36) / 400)])
    expect(x + width).toBeCloseTo(0.5)
  })

  it.each([
    ['far above, as with a raised arm', headAt(0.45, 0.2, 0.1, 0.15)],
    ['below its top', headAt(0.45, 0.06, 0.1, 0.15)],
  ])('does not extend the head if the box ends %s', (_, head) => {
    const { y, height } = headOfPerson(someone, head, square, VIEW)!
    expect([y, height]).toEqual([expect.closeTo((100 + head.y * 240) / 400), expect.closeTo(36 / 400)])
  })

  it.each([
    ['beside the person', headAt(0.85, 0.1, 0.1, 0.15)],
    ['above the person', headAt(0.45, -0.1, 0.1, 0.1)],
    ['that is too small', headAt(0.45, 0.1, 0.1, 0.11)],
  ])('returns no head %s', (_, head) => expect(headOfPerson(someone, head, square, VIEW)).toBe(undefined))
})

it.each([
  ['upright', 0.3, true],
  ['upside down', 0.7, false],
])('a head in one half of the box makes the person %s', (_, y, up) =>
  expect(isUpright(person(0.4, 0.3, 0.1, 0.5), box(0.42, y, 0.05, 0.08))).toBe(up))
