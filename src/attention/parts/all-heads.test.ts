import { describe, expect, it } from 'vitest'
import { box, CAT, EMPTY, PERSON } from '../../../test/attention/scenes.ts'
import type { Scene } from '../scene.ts'
import { completeHeads, startsThatHoldHeads } from './all-heads.ts'
import { crownOf, facesOn, headOfFace } from './face-parts.ts'
import type { Stretch } from './scene-part.ts'

const HALF = { from: 0, to: 0.5 }
/** Margin next to a head 0.12 wide, where the window allows one. */
const ROOM = 0.2 * 0.12

/** Where a window of half the width may start. */
const startsIn = (...scenes: Partial<Scene>[]) =>
  startsThatHoldHeads(
    scenes.map((scene) => ({ ...EMPTY, ...scene })),
    'x',
    0.5,
  )

describe('startsThatHoldHeads', () => {
  const left = box(0.2, 0.3, 0.08, 0.1)
  const right = box(0.5, 0.3, 0.08, 0.1)

  it('allows every window without heads', () => expect(startsIn({})).toEqual(HALF))

  it('starts before the first head and ends after the last', () => {
    const { from, to } = startsIn({ faces: [right, left] })
    // Of .08 between the one and the other a fifth is left as room at either end.
    expect([from, to]).toEqual([expect.closeTo(0.6 - 0.5 + 0.016), expect.closeTo(0.18 - 0.016)])
  })

  it('leaves a margin at the sides of heads if possible, but not above them', () => {
    expect(startsIn({ faces: [left] })).toEqual({ from: 0, to: expect.closeTo(0.18 - ROOM) })
    expect(startsIn({ faces: [right] })).toEqual({ from: expect.closeTo(0.1 + ROOM), to: expect.closeTo(0.48 - ROOM) })
    const { to } = startsThatHoldHeads([{ ...EMPTY, faces: [left] }], 'y', 0.5)
    expect(to).toBeCloseTo(0.3 - 0.6 * 0.1)
  })

  it('keeps the window within the image', () => {
    const { to } = startsIn({ faces: [box(0.05, 0.3, 0.08, 0.1)] })
    expect([to > 0, to < 0.03]).toEqual([true, true])
    expect(startsIn({ faces: [box(0.9, 0.3, 0.1, 0.1)] })).toEqual({ from: 0.5, to: 0.5 })
  })

  it('cuts each head as little as possible if all only just do not fit', () => {
    const [small, large] = [box(0.2, 0.3, 0.04, 0.05), box(0.56, 0.3, 0.12, 0.15)]
    const { from, to } = startsIn({ faces: [small, large] })
    expect(to).toBeCloseTo(from)
    const [first, last] = [small, large].map((face) => headOfFace(face, 'x', 0)) as [Stretch, Stretch]
    const cut = (to - first.from) / (first.to - first.from)
    expect(cut).toBeCloseTo((last.to - to - 0.5) / (last.to - last.from))
    expect(cut).toBeCloseTo(0.02 / 0.24)
  })

  it.each<[string, Partial<Scene>]>([
    ['a single face is too long', { faces: [box(0.2, 0.3, 0.7, 0.4)] }],
    ['heads do not fit together', { faces: [left, box(0.8, 0.3, 0.08, 0.1)] }],
    ['a face is doubtful', { faces: [{ ...left, score: 0.75 }] }],
    ['a person is doubtful', { objects: [{ ...box(0.1, 0.2, 0.2, 0.7, 0.5), category: PERSON }] }],
    ['a chair is no person', { objects: [{ ...box(0.1, 0.2, 0.2, 0.7), category: 56 }] }],
    ['there is an animal', { faces: [left], objects: [{ ...box(0.6, 0.3, 0.2, 0.2, 0.3), category: CAT }] }],
  ])('allows every window if %s', (_, scene) => expect(startsIn(scene)).toEqual(HALF))

  it('holds heads next to a doubtful animal', () => {
    const objects = [{ ...box(0.6, 0.3, 0.2, 0.2, 0.18), category: CAT }]
    expect(startsIn({ faces: [left], objects })).toEqual(startsIn({ faces: [left] }))
  })

  it('holds the head of a person without a face, and the face of a person with one', () => {
    const objects = [{ ...box(0.1, 0.2, 0.2, 0.7), category: PERSON }]
    const unseen = startsIn({ objects })
    expect([unseen.from, unseen.to > 0.1, unseen.to < 0.15]).toEqual([0, true, true])
    expect(startsIn({ objects, faces: [left] }).to).toBeCloseTo(0.18 - ROOM)
  })

  it('holds the head of a doubtful person if the head was found', () => {
    const head = box(0.22, 0.25, 0.06, 0.1, 0.7)
    const doubtful = { ...box(0.1, 0.2, 0.3, 0.7, 0.4), category: PERSON }
    expect(startsIn({ objects: [{ ...doubtful, head }] })).toEqual({ from: 0, to: expect.closeTo(0.22 - 0.2 * 0.06) })
    expect(startsIn({ objects: [{ ...doubtful, head: { ...head, score: 0.5 } }] })).toEqual(HALF)
    // Nor does it count far behind others.
    const near = box(0.55, 0.3, 0.08, 0.1)
    const beside = startsIn({ faces: [near], objects: [{ ...doubtful, head }] })
    const far = { ...head, width: 0.04 }
    const alone = startsIn({ faces: [near], objects: [{ ...doubtful, head: far }] })
    expect([beside.to < 0.22, alone]).toEqual([true, startsIn({ faces: [near] })])
  })

  it('holds the heads of the nearest people if not all fit one above the other', () => {
    const startsFor = (axis: 'x' | 'y', ...faces: Scene['faces']) =>
      startsThatHoldHeads([{ ...EMPTY, faces }], axis, 0.4)
    const standing = box(0.3, 0.12, 0.12, 0.18)
    const sitting = [box(0.1, 0.7, 0.05, 0.08), box(0.8, 0.7, 0.05, 0.08)]
    expect(startsFor('y', standing, ...sitting)).toEqual(startsFor('y', standing))
    const asNear = { ...standing, x: 0.7, y: 0.7 }
    expect(startsFor('y', standing, asNear)).toEqual({ from: 0, to: 0.6 })
    const sharing = (share: number) => box(0.8, 0.7, 0.1, share * standing.height)
    expect(startsFor('y', standing, sharing(0.66))).toEqual(startsFor('y', standing))
    expect(startsFor('y', standing, sharing(0.74))).toEqual({ from: 0, to: 0.6 })
    expect(startsFor('x', standing, ...sitting)).toEqual({ from: 0, to: 0.6 })
  })

  it('holds all faces if the heads do not fit, and allows every window if the faces do not fit either', () => {
    const faces = [box(0.1, 0.2, 0.1, 0.15), box(0.55, 0.2, 0.1, 0.15)]
    const starts = (share: number) => startsThatHoldHeads([{ ...EMPTY, faces }], 'x', share)
    const { from, to } = starts(0.56)
    expect([from >= 0.65 - 0.56 - 1e-9, to <= 0.1]).toEqual([true, true])
    expect(starts(0.5)).toEqual({ from: 0, to: 0.5 })
  })

  it('holds the heads of all frames', () => {
    const { from, to } = startsIn({ faces: [left] }, {}, { faces: [right] })
    expect({ from, to }).toEqual(startsIn({ faces: [left, right] }))
  })
})

describe('completeHeads', () => {
  /** Their heads reach from .18 to .3 and from .68 to .8. */
  const [left, right] = [box(0.2, 0.3, 0.08, 0.1), box(0.7, 0.3, 0.08, 0.1)]
  const startFrom = (start: number, faces: Scene['faces'], share = 0.5) =>
    completeHeads([{ ...EMPTY, faces, objects: [{ ...box(0.6, 0.3, 0.2, 0.2), category: CAT }] }], 'x', share, start)

  it.each([
    ['moves the window back to the first head', 0.2, left, 0.18 + 0.02 * 0.12],
    ['moves the window on to the last head', 0.26, right, 0.3 - 0.02 * 0.12],
    ['keeps the window if the head is whole', 0.17, left, 0.17],
    ['keeps the window if the cut is not noticeable', 0.182, left, 0.182],
    ['keeps the window if it shows half of a head', 0.24, left, 0.24],
  ])('%s', (_, start, face, moved) => expect(startFrom(start, [face])).toBeCloseTo(moved))

  it('cuts a head that is slightly longer than the window equally at both ends', () => {
    const long = box(0.4, 0.3, 0.2, 0.2)
    const { from, to } = headOfFace(long, 'x', 0)
    expect(startFrom(0.4, [long], 0.28)).toBeCloseTo((from + to - 0.28) / 2)
    expect(startFrom(0.4, [long], 0.2)).toBe(0.4)
  })

  it('cuts a head at the edge of the image only at its other end', () =>
    expect(startFrom(0.06, [box(0, 0.3, 0.24, 0.3)], 0.29)).toBeCloseTo(0.02 * 0.3))

  it('does not move the window to a head that it hardly shows', () =>
    expect(startFrom(0.27, [left, right])).toBeCloseTo(0.3 - 0.02 * 0.12))
})

describe('the head of a face', () => {
  const face = box(0.3, 0.4, 0.1, 0.1)
  const person = { ...box(0.25, 0.3, 0.3, 0.6, 0.5), category: PERSON }

  it("reaches the top of the person's box, as with a hat", () =>
    expect(crownOf(face, { faces: [face], objects: [person] })).toBeCloseTo(1.05))

  it.each([
    ['ends lower', { ...person, y: 0.38 }],
    ['ends far above, being another person too', { ...person, y: 0.25 }],
    ['is doubtful', { ...person, score: 0.4 }],
    ['is an animal', { ...person, category: CAT }],
  ])('has the default height if the box %s', (_, object) =>
    expect(crownOf(face, { faces: [face], objects: [object] })).toBe(0.6))

  it('has the default height if the face is upside down', () =>
    expect(crownOf({ ...face, upsideDown: true }, { faces: [], objects: [{ ...person, y: 0.05, height: 0.5 }] })).toBe(
      0.6,
    ))

  it('has the default height if the box is that of a person behind', () =>
    expect(crownOf(face, { faces: [face, { ...face, y: 0.32 }], objects: [person] })).toBe(0.6))

  it('is the head part of facesOn if the window can hold it', () => {
    for (const axis of ['x', 'y'] as const) {
      const face = { ...box(0.4, 0.4, 0.1, 0.1), turn: 0.3 }
      const [, weighed] = facesOn({ ...EMPTY, faces: [face] }, axis, 0.6)
      expect(weighed).toMatchObject(headOfFace(face, axis, crownOf(face, EMPTY)))
    }
  })
})
