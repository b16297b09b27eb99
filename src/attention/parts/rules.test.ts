import { describe, expect, it } from 'vitest'
import { box, CAT, EMPTY, PERSON } from '../../../test/attention/scenes.ts'
import type { Scene } from '../scene.ts'
import { avoidHalves, preferWhole, worthOfParts } from './rules.ts'

describe('the worth of showing a share', () => {
  it.each([preferWhole, avoidHalves])('is 1 for the whole and 0 for none: %o', (worth) => {
    expect([worth(1, 1), Math.abs(worth(0, 1))]).toEqual([1, 0])
  })

  it('is negative for half a face', () => expect(avoidHalves(0.5, 1)).toBeLessThan(0))

  it('is that of a whole face for as much of it as fits', () => expect(avoidHalves(0.4, 0.4)).toBe(1))
})

describe('worthOfParts', () => {
  const worthAt = (start: number, axis: 'x' | 'y', scene: Partial<Scene>): number =>
    worthOfParts({ ...EMPTY, ...scene }, { axis, share: 0.4 })(start)

  it('is 0 in a scene without findings', () => expect(worthAt(0.3, 'x', {})).toBe(0))

  it('falls as soon as a window cuts the head, which reaches above the face', () => {
    const faces = [box(0.4, 0.4, 0.1, 0.1)]
    expect(worthAt(0.33, 'y', { faces })).toBeCloseTo(2.2)
    expect(worthAt(0.38, 'y', { faces })).toBeLessThan(1.8)
  })

  it('counts the upper part of a person who is higher than the window', () => {
    const objects = [{ ...box(0.4, 0.1, 0.2, 0.8), category: PERSON }]
    expect(worthAt(0.08, 'y', { objects })).toBeGreaterThan(1.5 * worthAt(0.3, 'y', { objects }))
  })

  it('counts the middle of an animal that lies, and the upper part of one that stands', () => {
    const lies = [{ ...box(0.1, 0.1, 0.7, 0.8), category: CAT }]
    expect(worthAt(0.3, 'y', { objects: lies })).toBeGreaterThanOrEqual(worthAt(0.08, 'y', { objects: lies }))
    const stands = [{ ...box(0.1, 0.1, 0.3, 0.8), category: CAT }]
    expect(worthAt(0.08, 'y', { objects: stands })).toBeGreaterThan(worthAt(0.3, 'y', { objects: stands }))
  })

  it('keeps room above what people ride', () => {
    const motorcycle = [{ ...box(0.3, 0.5, 0.3, 0.3), category: 3 }]
    expect(worthAt(0.35, 'y', { objects: motorcycle })).toBeGreaterThan(worthAt(0.5, 'y', { objects: motorcycle }))
  })
})
