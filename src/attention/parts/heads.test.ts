import { describe, expect, it } from 'vitest'
import { box, CAT, EMPTY, PERSON } from '../../../test/attention/scenes.ts'
import type { Scene } from '../scene.ts'
import { completeHeads, headOfFace, startsThatHoldHeads } from './heads.ts'

const HALF = { from: 0, to: 0.5 }

/** Where a window of half a side may start. */
const startsIn = (axis: 'x' | 'y', ...scenes: Partial<Scene>[]) =>
  startsThatHoldHeads(
    scenes.map((scene) => ({ ...EMPTY, ...scene })),
    { axis, share: 0.5 },
  )

describe('startsThatHoldHeads', () => {
  const left = box(0.2, 0.3, 0.08, 0.1)
  const right = box(0.5, 0.3, 0.08, 0.1)

  it('allows every window without heads', () => expect(startsIn('x', {})).toEqual(HALF))

  it('starts before the first head and ends after the last, with a margin at the sides', () => {
    const { from, to } = startsIn('x', { faces: [right, left] })
    expect([from, to]).toEqual([expect.closeTo(0.6 + 0.024 - 0.5), expect.closeTo(0.18 - 0.024)])
  })

  it('leaves no margin above a head', () => {
    expect(startsIn('y', { faces: [left] }).to).toBeCloseTo(0.3 - 0.65 * 0.1)
  })

  it('keeps the window within the image', () => {
    expect(startsIn('x', { faces: [box(0.9, 0.3, 0.1, 0.1)] })).toEqual({ from: 0.5, to: 0.5 })
  })

  it('cuts each head as little as possible if all only just do not fit', () => {
    const [small, large] = [box(0.2, 0.3, 0.04, 0.05), box(0.56, 0.3, 0.12, 0.15)]
    const { from, to } = startsIn('x', { faces: [small, large] })
    expect(to).toBeCloseTo(from)
    const [first, last] = [headOfFace(small, 'x'), headOfFace(large, 'x')]
    expect((to - first.from) / (first.to - first.from)).toBeCloseTo(0.02 / 0.24)
    expect((last.to - to - 0.5) / (last.to - last.from)).toBeCloseTo(0.02 / 0.24)
  })

  it('holds the larger of two heads if only one fits', () => {
    const large = box(0.75, 0.3, 0.1, 0.14)
    expect(startsIn('x', { faces: [left, large] })).toEqual(startsIn('x', { faces: [large] }))
    const small = { ...large, width: 0.05, height: 0.07 }
    expect(startsIn('x', { faces: [left, small] })).toEqual(startsIn('x', { faces: [left] }))
  })

  it('holds the largest heads first, and smaller ones that still fit', () => {
    const [near, beside, away] = [box(0.1, 0.3, 0.12, 0.18), box(0.3, 0.3, 0.06, 0.09), box(0.8, 0.3, 0.1, 0.15)]
    expect(startsIn('x', { faces: [away, beside, near] })).toEqual(startsIn('x', { faces: [beside, near] }))
  })

  it.each<[string, Partial<Scene>]>([
    ['a single face is too long', { faces: [box(0.2, 0.3, 0.7, 0.4)] }],
    ['a face is doubtful', { faces: [{ ...left, score: 0.6 }] }],
    ['a person is doubtful', { objects: [{ ...box(0.1, 0.2, 0.2, 0.7, 0.5), category: PERSON }] }],
    ['a chair is no person', { objects: [{ ...box(0.1, 0.2, 0.2, 0.7), category: 56 }] }],
    ['there is an animal', { faces: [left], objects: [{ ...box(0.6, 0.3, 0.2, 0.2, 0.3), category: CAT }] }],
  ])('allows every window if %s', (_, scene) => expect(startsIn('x', scene)).toEqual(HALF))

  it('holds the head of a person without a face, and the face of a person with one', () => {
    const objects = [{ ...box(0.1, 0.2, 0.2, 0.7), category: PERSON }]
    const unseen = startsIn('x', { objects })
    expect([unseen.from, unseen.to > 0.1, unseen.to < 0.15]).toEqual([0, true, true])
    expect(startsIn('x', { objects, faces: [left] })).toEqual(startsIn('x', { faces: [left] }))
  })

  it('holds the heads of all frames', () => {
    expect(startsIn('x', { faces: [left] }, {}, { faces: [right] })).toEqual(startsIn('x', { faces: [left, right] }))
  })
})

describe('completeHeads', () => {
  /** Their heads reach from 0.18 to 0.3 and from 0.68 to 0.8. */
  const [left, right] = [box(0.2, 0.3, 0.08, 0.1), box(0.7, 0.3, 0.08, 0.1)]
  const startFrom = (start: number, faces: Scene['faces'], share = 0.5) =>
    completeHeads([{ ...EMPTY, faces }], { axis: 'x', share }, start)

  it.each([
    ['moves the window back to the first head', 0.2, left, 0.18],
    ['moves the window on to the last head', 0.27, right, 0.3],
    ['keeps the window if the head is whole', 0.17, left, 0.17],
    ['keeps the window if it shows half of a head', 0.24, left, 0.24],
  ])('%s', (_, start, face, moved) => expect(startFrom(start, [face])).toBeCloseTo(moved))

  it('cuts a head that is slightly longer than the window equally at both ends', () => {
    const long = box(0.4, 0.3, 0.2, 0.2)
    const { from, to } = headOfFace(long, 'x')
    expect(startFrom(0.4, [long], 0.28)).toBeCloseTo((from + to - 0.28) / 2)
  })

  it('moves the window for a head, but not at the cost of the head of an animal that stands', () => {
    const [faces, cat] = [[box(0.5, 0.3, 0.16, 0.2)], { ...box(0.05, 0.1, 0.4, 0.9), category: CAT }]
    const startWith = (objects: Scene['objects']) =>
      completeHeads([{ ...EMPTY, faces, objects }], { axis: 'x', share: 0.5 }, 0.14)
    expect([startWith([]), startWith([cat])]).toEqual([expect.closeTo(0.2), 0.14])
    // It lies, so its head may be anywhere.
    expect(startWith([{ ...cat, y: 0.7, height: 0.3 }])).toBeCloseTo(0.2)
  })

  it('cuts a head at the edge of the image only at its other end', () =>
    expect(startFrom(0.06, [box(0, 0.3, 0.24, 0.3)], 0.29)).toBeCloseTo(0))
})

describe('headOfFace', () => {
  it('extends to the side that the face is turned away from', () => {
    const headOf = (turn: number) => headOfFace({ ...box(0.4, 0.4, 0.1, 0.1), turn }, 'x')
    const [left, ahead, right] = [headOf(-0.4), headOf(0), headOf(0.4)]
    expect([left.from > ahead.from, left.to > ahead.to]).toEqual([true, true])
    expect([left.from - 0.4, left.to - 0.5]).toEqual([expect.closeTo(0.5 - right.to), expect.closeTo(0.4 - right.from)])
  })
})
