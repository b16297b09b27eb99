import { describe, expect, it } from 'vitest'
import { box, CAT, EMPTY, PERSON } from '../../../test/attention/scenes.ts'
import type { Scene } from '../scene.ts'
import { corroborateFaces } from './corroborate-faces.ts'
import { facesOn } from './face-parts.ts'
import { objectsOn } from './object-parts.ts'
import { avoidHalves, keptOf, ofWhatFits, preferWhole, refuseCuts, shareOut, takeShare } from './scene-part.ts'

describe('the worth of showing a share', () => {
  it.each([preferWhole, avoidHalves, refuseCuts, takeShare])('is 1 for the whole and 0 for none: %o', (worth) => {
    expect([worth(1), Math.abs(worth(0))]).toEqual([1, 0])
  })

  it('falls faster for a cut head than for anything else', () => {
    const lost = [takeShare, preferWhole, avoidHalves, refuseCuts].map((worth) => 1 - worth(0.95))
    expect(lost).toEqual([...lost].sort((a, b) => a - b))
    expect(refuseCuts(0.8)).toBeCloseTo(0)
  })

  it('is negative for half a face', () => expect(avoidHalves(0.5)).toBeLessThan(0))

  it('is that of the whole for as much of a longer range as fits', () => {
    const [long, short] = [0.8, 0.3].map((length) => ofWhatFits({ from: 0.1, to: 0.1 + length }, 0.4, avoidHalves))
    expect([long!(0.5), long!(0.25), short!(1), short!(0.5)]).toEqual([1, avoidHalves(0.5), 1, avoidHalves(0.5)])
  })
})

describe('shareOut', () => {
  it('gives the total if one region is certain, and less if none is', () => {
    const total = (...scores: number[]): number =>
      shareOut(
        scores.map((score) => ({ region: box(0, 0, 1, 1, score), weight: 2 })),
        10,
        [0.4, 0.8],
      ).reduce((sum, { weight }) => sum + weight, 0)
    expect([total(0.9, 0.5), total(0.5), total(0.3)].map((sum) => Number(sum.toFixed(6)))).toEqual([10, 2.5, 0])
  })
})

describe('facesOn', () => {
  it('extends the head to the side that the face is turned away from', () => {
    const headOf = (turn: number) => facesOn({ ...EMPTY, faces: [{ ...box(0.4, 0.4, 0.1, 0.1), turn }] }, 'x', 0.6)[1]!
    const [left, ahead, right] = [headOf(-0.4), headOf(0), headOf(0.4)]
    expect([left.from > ahead.from, left.to > ahead.to]).toEqual([true, true])
    expect([left.from - 0.4, left.to - 0.5]).toEqual([expect.closeTo(0.5 - right.to), expect.closeTo(0.4 - right.from)])
    expect(left.to - ahead.to).toBeCloseTo(0.02)
  })

  it('extends further down than up if the face is upside down', () => {
    const faces = [{ ...box(0.4, 0.4, 0.1, 0.1), upsideDown: true }]
    const upright = facesOn({ ...EMPTY, faces: [box(0.4, 0.5, 0.1, 0.1)] }, 'y', 0.6)
    for (const [at, { from, to }] of facesOn({ ...EMPTY, faces }, 'y', 0.6).entries())
      expect([from, to]).toEqual([expect.closeTo(1 - upright[at]!.to), expect.closeTo(1 - upright[at]!.from)])
  })

  it('returns the face, its head with hair, and room, each around the one before', () => {
    for (const axis of ['x', 'y'] as const) {
      const [itself, head, room] = facesOn({ ...EMPTY, faces: [box(0.4, 0.4, 0.1, 0.1)] }, axis, 0.6)
      const starts = [room!.from, head!.from, itself!.from, 0.4]
      const ends = [0.5, itself!.to, head!.to, room!.to]
      expect(starts).toEqual(starts.toSorted((a, b) => a - b))
      expect(ends).toEqual(ends.toSorted((a, b) => a - b))
    }
  })

  it('leaves out the hair that does not fit in a low window', () => {
    const face = { ...EMPTY, faces: [box(0.4, 0.4, 0.2, 0.3)] }
    const [, head] = facesOn(face, 'y', 0.4)
    expect(head!.to - head!.from).toBeCloseTo(0.4)
    const [itself] = facesOn(face, 'y', 0.3)
    expect(itself!.from).toBeCloseTo(0.4)
  })
})

describe('the score of a doubtful face', () => {
  const face = box(0.15, 0.25, 0.1, 0.15, 0.5)
  const scoreBeside = (x: number, width: number, score: number): number =>
    corroborateFaces({
      ...EMPTY,
      faces: [face],
      objects: [{ ...box(x, 0.2, width, 0.6, score), category: PERSON }],
    })[0]!.score

  it('rises with that of a person whose upper part it is', () => {
    expect(scoreBeside(0.1, 0.2, 0.9)).toBeCloseTo(0.75)
    expect(scoreBeside(0.1, 0.2, 0.3)).toBeCloseTo(0.625)
  })

  it('does not rise without a person, nor on a much larger person', () => {
    expect(scoreBeside(0.6, 0.2, 0.9)).toBe(0.5)
    expect(scoreBeside(0.05, 0.9, 0.9)).toBe(0.5)
    expect(
      corroborateFaces({ ...EMPTY, faces: [face], objects: [{ ...box(0.1, 0.2, 0.2, 0.6), category: CAT }] })[0]!.score,
    ).toBe(0.5)
  })

  it('rises upside down in the lower part of a person', () => {
    const person = { ...box(0.1, 0.2, 0.2, 0.6, 0.9), category: PERSON }
    const scoreAt = (y: number, upsideDown: boolean): number =>
      corroborateFaces({ ...EMPTY, faces: [{ ...box(0.15, y, 0.1, 0.1, 0.5), upsideDown }], objects: [person] })[0]!
        .score
    expect([scoreAt(0.65, true), scoreAt(0.25, false)]).toEqual([expect.closeTo(0.75), expect.closeTo(0.75)])
    expect([scoreAt(0.25, true), scoreAt(0.65, false)]).toEqual([0.5, 0.5])
  })

  it('counts less next to an animal', () => {
    const weightOf = (scene: Partial<Scene>): number =>
      facesOn({ ...EMPTY, faces: [box(0.15, 0.25, 0.1, 0.15)], ...scene }, 'x', 0.6)[0]!.weight
    const animal = { ...box(0.6, 0.2, 0.2, 0.6), category: CAT }
    expect(weightOf({ objects: [animal] })).toBeLessThan(0.5 * weightOf({}))
    expect(weightOf({ objects: [{ ...animal, score: 0.1 }] })).toBe(weightOf({}))
  })
})

describe('objectsOn', () => {
  it('returns the whole, and along the height the head of a person separately', () => {
    const person = { ...box(0.4, 0.2, 0.2, 0.5), category: PERSON }
    const [whole, head] = objectsOn({ ...EMPTY, objects: [person] }, 'y', 0.9)
    expect(keptOf({ from: 0.2, to: 0.7 }, whole!.from, whole!.to - whole!.from)).toBe(1)
    expect([head!.from <= 0.2, head!.to > 0.25, head!.to < 0.35]).toEqual([true, true, true])
    const cat = objectsOn({ ...EMPTY, objects: [{ ...person, category: CAT }] }, 'y', 0.9)
    expect(cat.filter(({ weight }) => weight > 0)).toHaveLength(1)
  })

  it('returns across a person the whole, and the head in the middle if no face was found', () => {
    const person = { ...box(0.4, 0.2, 0.2, 0.5), category: PERSON }
    const [whole, head] = objectsOn({ ...EMPTY, objects: [person] }, 'x', 0.9)
    expect([whole!.from <= 0.4, whole!.to >= 0.6]).toEqual([true, true])
    expect([head!.from > 0.41, head!.to < 0.59, (head!.from + head!.to) / 2]).toEqual([true, true, expect.closeTo(0.5)])
    expect(head!.weight).toBeGreaterThan(0.4 * whole!.weight)
    const seen = { ...EMPTY, objects: [person], faces: [box(0.45, 0.22, 0.08, 0.1)] }
    expect(objectsOn(seen, 'x', 0.9)[1]!.weight).toBeCloseTo(0)
  })

  it('returns the head of a person where it was found', () => {
    const person = { ...box(0.4, 0.2, 0.2, 0.5), category: PERSON, head: box(0.52, 0.35, 0.06, 0.1) }
    for (const [axis, from, to] of [
      ['x', 0.52, 0.58],
      ['y', 0.35, 0.45],
    ] as const) {
      const [, head] = objectsOn({ ...EMPTY, objects: [person] }, axis, 0.9)
      expect(head).toMatchObject({ from: expect.closeTo(from), to: expect.closeTo(to) })
    }
  })

  it('does not prefer the upper part of an animal that contains a face', () => {
    const cat = { ...box(0.3, 0.05, 0.3, 0.9), category: CAT }
    const upperWeight = (faces: Scene['faces']): number =>
      objectsOn({ ...EMPTY, faces, objects: [cat] }, 'y', 0.4)[1]!.weight
    expect(upperWeight([])).toBeGreaterThan(1)
    expect(upperWeight([box(0.35, 0.3, 0.2, 0.3, 0.75)])).toBeCloseTo(0)
    expect(upperWeight([box(0.7, 0.3, 0.2, 0.3, 0.75)])).toBe(upperWeight([]))
  })

  it('gives a person with a face less weight', () => {
    const person = { ...box(0.1, 0.2, 0.2, 0.6), category: PERSON }
    const cat = { ...box(0.6, 0.2, 0.2, 0.6), category: CAT }
    const weightOfPerson = (scene: Partial<Scene>): number =>
      objectsOn({ ...EMPTY, objects: [person, cat], ...scene }, 'x', 0.5)[0]!.weight
    expect(weightOfPerson({ faces: [box(0.15, 0.25, 0.1, 0.1)] })).toBeLessThan(0.2 * weightOfPerson({}))
  })
})
