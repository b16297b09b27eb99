import { describe, expect, it } from 'vitest'
import { box, CAT, EMPTY, PERSON } from '../../test/attention/scenes.ts'
import type { Extent } from '../core/image.ts'
import { placeWindow } from '../plan/window.ts'
import { chooseFocus } from './choose-focus.ts'
import { MAP_SIDE } from './saliency/saliency.ts'
import type { Scene } from './scene.ts'

const EVEN: Scene = { ...EMPTY, saliency: EMPTY.saliency.map(() => 0.1) }

const CHAIR = 56
const MOTORCYCLE = 3

/** The window in fractions: left, top, right, bottom. */
const windowIn = (scenes: readonly Scene[], output: Extent) => {
  const [{ width, height }] = scenes as [Scene]
  const window = placeWindow({ width, height }, output, chooseFocus(scenes, output))
  return {
    left: window.left / width,
    top: window.top / height,
    right: (window.left + window.width) / width,
    bottom: (window.top + window.height) / height,
  }
}

const SQUARE = { width: 100, height: 100 }
/** Shows a third of the width. */
const NARROW = { width: 150, height: 300 }
/** Shows a quarter of the height. */
const WIDE = { width: 300, height: 50 }

describe('the window of crop=auto', () => {
  it('is centred on an even image', () => {
    const { x, y } = chooseFocus([EVEN], SQUARE)
    expect([x, y]).toEqual([expect.closeTo(0.5, 9), expect.closeTo(0.5, 9)])
  })

  it.each([0.02, 0.3, 0.55, 0.8])('holds a whole face at %f', (x) => {
    const { left, right } = windowIn([{ ...EVEN, faces: [box(x, 0.3, 0.15, 0.25)] }], NARROW)
    expect(left).toBeLessThanOrEqual(x)
    expect(right).toBeGreaterThanOrEqual(x + 0.15)
  })

  it('leaves room above a face rather than below', () => {
    const { top, bottom } = windowIn([{ ...EVEN, faces: [box(0.4, 0.3, 0.2, 0.2)] }], WIDE)
    expect(top).toBeLessThan(0.3)
    expect(bottom).toBeGreaterThanOrEqual(0.5)
  })

  it('holds two faces if both fit, and otherwise one whole face rather than two halves', () => {
    const near = windowIn([{ ...EVEN, faces: [box(0.1, 0.3, 0.1, 0.15), box(0.5, 0.3, 0.1, 0.15)] }], SQUARE)
    expect([near.left <= 0.1, near.right >= 0.6]).toEqual([true, true])
    const far = windowIn([{ ...EVEN, faces: [box(0.05, 0.3, 0.2, 0.3), box(0.8, 0.3, 0.1, 0.15)] }], NARROW)
    expect([far.left <= 0.05, far.right >= 0.25]).toEqual([true, true])
  })

  it('keeps the larger of two faces whole if only one fits', () => {
    for (const small of [0.04, 0.85]) {
      const faces = [box(small, 0.3, 0.1, 0.15), box(0.4, 0.25, 0.16, 0.24)]
      const { left, right } = windowIn([{ ...EVEN, faces }], { width: 225, height: 400 })
      expect([left <= 0.36, right >= 0.6]).toEqual([true, true])
    }
  })

  it('cuts no face in half to show a little of a third', () => {
    // Shows 56 % of the width: the first and the second, or the second and the third.
    const output = { width: 300, height: 357 }
    const faces = [box(0.2, 0.42, 0.16, 0.22), box(0.45, 0.56, 0.15, 0.2), box(0.69, 0.42, 0.19, 0.25)]
    const { left, right } = windowIn([{ ...EVEN, faces }], output)
    for (const { x, width } of faces) {
      const kept = Math.max(0, Math.min(right, x + width) - Math.max(left, x)) / width
      expect(kept < 0.05 || kept > 0.99).toBe(true)
    }
  })

  it('shows as much as possible of a face that is higher than it, not the arms below', () => {
    const scene = {
      ...EVEN,
      faces: [box(0.3, 0.05, 0.3, 0.45)],
      objects: [{ ...box(0.1, 0.02, 0.6, 0.97), category: PERSON }],
    }
    const { top, bottom } = windowIn([scene], WIDE)
    expect(Math.min(bottom, 0.5) - Math.max(top, 0.05)).toBeCloseTo(bottom - top)
  })

  it('shows the upper part of a person without a visible face', () => {
    const { top } = windowIn([{ ...EVEN, objects: [{ ...box(0.3, 0.05, 0.3, 0.9), category: PERSON }] }], WIDE)
    expect(top).toBeLessThanOrEqual(0.06)
  })

  it('cuts no head of a face or person, though a salient region is lower', () => {
    const saliency = EVEN.saliency.map((value, at) => (at > 0.5 * MAP_SIDE * MAP_SIDE ? 0.9 : value))
    const half = { width: 300, height: 100 }
    const face = box(0.4, 0.15, 0.08, 0.12)
    expect(windowIn([{ ...EVEN, saliency, faces: [face] }], half).top).toBeLessThanOrEqual(0.15 - 0.45 * 0.12)
    const persons = [box(0.1, 0.1, 0.2, 0.5), box(0.5, 0.2, 0.2, 0.6)].map((one) => ({ ...one, category: PERSON }))
    expect(windowIn([{ ...EVEN, saliency, objects: persons }], half).top).toBeLessThanOrEqual(0.1)
  })

  it('cuts no head for anything else if it can hold all of them', () => {
    const face = box(0.05, 0.3, 0.08, 0.12)
    const small = box(0.3, 0.3, 0.03, 0.05)
    const text = [box(0.4, 0.7, 0.25, 0.1), box(0.42, 0.85, 0.22, 0.1)]
    const { left, right } = windowIn([{ ...EVEN, faces: [face, small], text }], { width: 300, height: 400 })
    expect([left <= 0.05 - 0.02 + 0.001, right >= 0.33]).toEqual([true, true])
  })

  it('leaves room for the head of a rider, though none was detected', () => {
    const saliency = EVEN.saliency.map((value, at) => (at > 0.5 * MAP_SIDE * MAP_SIDE ? 0.9 : value))
    const motorcycle = { ...box(0.2, 0.3, 0.5, 0.6), category: MOTORCYCLE }
    const { top } = windowIn([{ ...EVEN, saliency, objects: [motorcycle] }], { width: 300, height: 160 })
    expect(top).toBeLessThanOrEqual(0.1)
  })

  it('shows the upper part of an animal that stands upright, and the middle of one that lies', () => {
    const topOf = (width: number): number =>
      windowIn([{ ...EVEN, objects: [{ ...box(0.3, 0.05, width, 0.9), category: CAT }] }], WIDE).top
    expect(topOf(0.3)).toBeLessThanOrEqual(0.06)
    expect(topOf(0.65)).toBeGreaterThan(0.2)
  })

  it('prefers objects inside to objects that the left or right edge cuts', () => {
    const inside = { ...box(0.15, 0.4, 0.15, 0.3), category: CHAIR }
    const cut = { ...box(0.7, 0.3, 0.3, 0.6), category: CHAIR }
    const { left, right } = windowIn([{ ...EVEN, objects: [inside, cut] }], NARROW)
    expect([left <= 0.15, right >= 0.3]).toEqual([true, true])
    const apart = windowIn([{ ...EVEN, objects: [inside, { ...cut, x: 0.65 }] }], NARROW)
    expect([apart.left <= 0.65, apart.right >= 0.95]).toEqual([true, true])
  })

  it('prefers an animal to furniture', () => {
    const animal = { ...box(0.05, 0.4, 0.25, 0.3), category: CAT }
    const furniture = { ...box(0.7, 0.3, 0.25, 0.6), category: CHAIR }
    const { left, right } = windowIn([{ ...EVEN, objects: [animal, furniture] }], NARROW)
    expect([left <= 0.05, right >= 0.3]).toEqual([true, true])
  })

  it('holds a whole line of text with a margin', () => {
    const { top, bottom } = windowIn([{ ...EVEN, text: [box(0.1, 0.8, 0.6, 0.1)] }], WIDE)
    expect([top <= 0.8 - 0.03, bottom >= 0.9 + 0.03]).toEqual([true, true])
  })

  it('gives doubtful detections less weight', () => {
    const doubtful = { ...EVEN, faces: [box(0.02, 0.3, 0.15, 0.25, 0.53)], text: [box(0.7, 0.4, 0.25, 0.1, 0.95)] }
    expect(windowIn([doubtful], NARROW).right).toBeGreaterThanOrEqual(0.95)
  })

  it('is decided on all frames: a title in one of four does not win', () => {
    const title = { ...EVEN, text: [box(0.02, 0.4, 0.2, 0.1)] }
    const scene = { ...EVEN, faces: [box(0.7, 0.3, 0.2, 0.3)] }
    expect(windowIn([title], NARROW).left).toBeLessThanOrEqual(0.02)
    expect(windowIn([title, scene, scene, scene], NARROW).right).toBeGreaterThanOrEqual(0.9)
  })

  it('follows the saliency if nothing was detected', () => {
    const saliency = EVEN.saliency.map((value, at) => (at % MAP_SIDE > 22 && at % MAP_SIDE < 28 ? 0.9 : value))
    const { left, right } = windowIn([{ ...EVEN, saliency }], NARROW)
    expect([left <= 23 / 32, right >= 28 / 32]).toEqual([true, true])
  })
})
