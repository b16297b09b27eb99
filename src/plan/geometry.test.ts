import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { boxOf, CROP, cropAt, FIT, LIMITS, PAD, SCALE_DOWN } from '../../test/plan-samples.ts'
import type { Extent, Point } from '../core/image.ts'
import { EDGES, type Edge, type Method, type Resize } from '../options/options.ts'
import { type GeometryIntent, pointAfterTrim, solveGeometry } from './geometry.ts'
import type { Geometry } from './plan.ts'

const solve = (source: readonly [number, number], resize: Resize, more: Partial<GeometryIntent> = {}): Geometry =>
  solveGeometry({ resize, source: { width: source[0], height: source[1] }, limits: LIMITS, ...more })

const size = ({ width, height }: Extent): string => `${width}x${height}`

describe('the size of the result (§2)', () => {
  const cases: readonly [string, readonly [number, number], Resize, string][] = [
    ['full does not resize', [400, 300], { kind: 'full' }, '400x300'],
    ['scale-down keeps the aspect ratio inside the box', [400, 300], boxOf(200, 200, SCALE_DOWN), '200x150'],
    ['scale-down takes the tighter side', [300, 400], boxOf(200, 200, SCALE_DOWN), '150x200'],
    ['scale-down never enlarges', [100, 50], boxOf(200, 200, SCALE_DOWN), '100x50'],
    ['a width alone lets the height follow', [400, 300], boxOf(200, 0, SCALE_DOWN), '200x150'],
    ['a height alone lets the width follow', [400, 300], boxOf(0, 150, SCALE_DOWN), '200x150'],
    ['2x allows width x 2', [4000, 3000], boxOf(200, 0, SCALE_DOWN, 2), '400x300'],
    ['3x allows width x 3', [4000, 3000], boxOf(200, 200, SCALE_DOWN, 3), '600x450'],
    ['a source between 1x and 2x stays as it is', [300, 225], boxOf(200, 0, SCALE_DOWN, 2), '300x225'],
    ['fit fits entirely inside, one side may be smaller', [400, 300], boxOf(100, 100, FIT), '100x75'],
    ['fit enlarges small images', [40, 30], boxOf(100, 100, FIT), '100x75'],
    ['fit enlarges to the density', [40, 30], boxOf(100, 100, FIT, 2), '200x150'],
    ['crop gives exactly width x height', [400, 300], boxOf(100, 100, CROP), '100x100'],
    ['crop gives exactly width x height x density', [4000, 3000], boxOf(100, 50, CROP, 3), '300x150'],
    ['crop enlarges small images', [10, 10], boxOf(100, 50, CROP), '100x50'],
    ['pad gives exactly width x height', [400, 300], boxOf(100, 100, PAD), '100x100'],
    ['pad enlarges like fit', [4, 3], boxOf(100, 50, PAD, 2), '200x100'],
    ['a side is never below 1 px', [10000, 1], boxOf(100, 0, SCALE_DOWN), '100x1'],
    ['an odd ratio is rounded to the nearest px', [3, 2], boxOf(2, 0, SCALE_DOWN), '2x1'],
    ['beyond 10000 px a side is scaled down', [200, 100], boxOf(10000, 0, FIT, 3), '10000x5000'],
    ['a crop beyond the limits keeps its shape', [200, 100], boxOf(10000, 5000, CROP, 2), '10000x5000'],
    ['a pad beyond the limits keeps its shape', [200, 100], boxOf(5000, 10000, PAD, 2), '5000x10000'],
    ['an extreme ratio is clamped as well', [1, 10000], boxOf(100, 0, FIT), '1x10000'],
  ]
  it.each(cases)('the size is right: %s', (_, source, resize, expected) => {
    const geometry = solve(source, resize)
    expect(size(geometry.output)).toBe(expected)
    expect(geometry.warnings.length).toBe(/beyond|extreme/.test(_) ? 1 : 0)
  })

  it('a Warning names the size before clamping', () => {
    const { warnings } = solve([200, 100], boxOf(10000, 0, FIT, 3))
    expect(warnings).toEqual([
      'The result would be 30000x15000 px, which is beyond the limits; it is scaled down to 10000x5000 px.',
    ])
  })

  it('draws a vector up to its size x density', () => {
    expect(size(solve([24, 24], boxOf(48, 0, SCALE_DOWN, 2), { vector: true }).output)).toBe('48x48')
    expect(size(solve([24, 24], boxOf(48, 0, SCALE_DOWN), { vector: true }).output)).toBe('24x24')
  })

  it('draws a huge vector smaller, with a Warning', () => {
    const geometry = solve([1e6, 5e5], { kind: 'full' }, { vector: true })
    expect(size(geometry.output)).toBe('10000x5000')
    expect(geometry.warnings.length).toBe(1)
  })

  it('reports when no pixel changes', () => {
    expect(solve([400, 300], { kind: 'full' }).identity).toBe(true)
    expect(solve([400, 300], boxOf(800, 600, SCALE_DOWN)).identity).toBe(true)
    expect(solve([400, 300], boxOf(400, 300, CROP)).identity).toBe(true)
    expect(solve([400, 300], boxOf(400, 300, PAD)).identity).toBe(true)
    expect(solve([400, 300], boxOf(399, 300, CROP)).identity).toBe(false)
    expect(solve([400, 300], boxOf(400, 301, PAD)).identity).toBe(false)
  })

  it('counts the size after trimming', () => {
    const trimmed = { left: 100, top: 100, width: 200, height: 100 }
    expect(size(solve([400, 300], { kind: 'full' }, { trimmed }).output)).toBe('200x100')
    expect(size(solve([400, 300], boxOf(100, 100, FIT), { trimmed }).output)).toBe('100x50')
  })
})

describe('pad lays the image in the middle of its canvas', () => {
  it.each([
    ['above and below', [400, 300], [100, 100], { left: 0, top: 12 }],
    ['left and right', [300, 400], [100, 100], { left: 12, top: 0 }],
  ] as const)('pad leaves space %s', (_, source, [width, height], offset) => {
    expect(solve(source, boxOf(width, height, PAD)).canvas).toEqual({ width, height, ...offset })
  })
})

describe('what a crop keeps', () => {
  const crop = (method: Method, source: readonly [number, number] = [400, 300]) => {
    const { scaleTo, crop: box } = solve(source, boxOf(100, 100, method))
    return { scaleTo: size(scaleTo), left: box?.left, top: box?.top }
  }
  const edge = (name: Edge): Method => ({ kind: 'crop', focus: { kind: 'edge', edge: name } })

  it.each([
    ['the centre', CROP, { left: 17, top: 0 }],
    ['the left', edge('left'), { left: 0, top: 0 }],
    ['the right', edge('right'), { left: 33, top: 0 }],
    ['a point', cropAt(0.6, 0.5), { left: 30, top: 0 }],
    ['a point near the edge, as near its middle as the image allows', cropAt(0.99, 0.5), { left: 33, top: 0 }],
    ['a corner', cropAt(0, 1), { left: 0, top: 0 }],
  ])('a crop keeps %s of a wide image', (_, method, box) => {
    expect(crop(method)).toEqual({ scaleTo: '133x100', ...box })
  })

  it.each([
    ['the top', edge('top'), { left: 0, top: 0 }],
    ['the bottom', edge('bottom'), { left: 0, top: 33 }],
    ['the middle under crop=left', edge('left'), { left: 0, top: 17 }],
  ])('a crop keeps %s of a tall image', (_, method, box) => {
    expect(crop(method, [300, 400])).toEqual({ scaleTo: '100x133', ...box })
  })

  it('crop=auto uses the detected focal point, or the centre without one', () => {
    const auto: Method = { kind: 'crop', focus: { kind: 'auto' } }
    const attention = { x: 0, y: 0.5 }
    expect(solve([400, 300], boxOf(100, 100, auto), { attention }).crop?.left).toBe(0)
    expect(solve([400, 300], boxOf(100, 100, auto)).crop?.left).toBe(17)
  })

  it('a focal point is a fraction of the untrimmed image', () => {
    const trimmed = { left: 200, top: 0, width: 400, height: 100 }
    const geometry = solve([800, 100], boxOf(100, 100, cropAt(0.5, 0.5)), { trimmed })
    // The middle of 800 px is px 200 of the trimmed image.
    expect(geometry.crop).toEqual({ left: 150, top: 0, width: 100, height: 100 })
    expect(pointAfterTrim({ x: 0, y: 1 }, { width: 800, height: 100 }, trimmed)).toEqual({ x: 0, y: 1 })
  })

  it('cuts an extremely long image before scaling it', () => {
    const geometry = solve([10000, 1], boxOf(1000, 1000, CROP))
    expect(size(geometry.output)).toBe('1000x1000')
    expect(geometry.extract).toEqual({ left: 5000, top: 0, width: 1, height: 1 })
  })
})

describe('the filter', () => {
  it.each([
    ['reducing at 1x', boxOf(100, 0, SCALE_DOWN), 'lanczos3'],
    ['reducing at 2x', boxOf(100, 0, SCALE_DOWN, 2), 'lanczos3'],
    ['reducing at 3x, where a softer one is seen no worse', boxOf(100, 0, SCALE_DOWN, 3), 'cubic'],
    ['enlarging at 3x', boxOf(400, 0, FIT, 3), 'lanczos3'],
    ['a crop that reduces at 3x', boxOf(50, 50, CROP, 3), 'cubic'],
    ['a crop that enlarges at 3x', boxOf(400, 400, CROP, 3), 'lanczos3'],
  ] as const)('chooses the filter for %s', (_, resize, kernel) => {
    expect(solve([1000, 800], resize).scaleTo.kernel).toBe(kernel)
  })
})

describe('whatever the image and the box', () => {
  const side = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 10000 }))
  const source = fc.tuple(side, side)
  const density = fc.constantFrom(1, 2, 3)
  const fraction = fc.double({ min: 0, max: 1, noNaN: true })
  const point = fc.record({ x: fraction, y: fraction })
  const method: fc.Arbitrary<Method> = fc.oneof(
    fc.constantFrom<Method>(SCALE_DOWN, FIT, PAD, CROP),
    fc.constantFrom(...EDGES).map((edge): Method => ({ kind: 'crop', focus: { kind: 'edge', edge } })),
    point.map(({ x, y }) => cropAt(x, y)),
  )
  const resize = fc.tuple(side, side, method, density).map(([w, h, m, d]) => boxOf(w, h, m, d as 1 | 2 | 3))
  const inside = (box: Extent & { left: number; top: number }, whole: Extent): boolean =>
    box.left >= 0 && box.top >= 0 && box.left + box.width <= whole.width && box.top + box.height <= whole.height

  it('the output is within the limits, and every step lies inside the previous one', () => {
    fc.assert(
      fc.property(source, resize, (image, wanted) => {
        const whole = { width: image[0], height: image[1] }
        const { extract, scaleTo, crop, canvas, output } = solve(image, wanted)
        for (const length of [output.width, output.height, scaleTo.width, scaleTo.height]) {
          expect(Number.isInteger(length) && length >= 1).toBe(true)
        }
        expect(Math.max(output.width, output.height)).toBeLessThanOrEqual(LIMITS.maxSide)
        expect(output.width * output.height).toBeLessThanOrEqual(LIMITS.maxPixels)
        if (extract !== undefined) expect(inside(extract, whole)).toBe(true)
        if (crop !== undefined) expect(inside(crop, scaleTo)).toBe(true)
        if (canvas !== undefined) expect(inside({ ...scaleTo, left: canvas.left, top: canvas.top }, canvas)).toBe(true)
        expect(size(canvas ?? crop ?? scaleTo)).toBe(size(output))
      }),
    )
  })

  it('no intermediate image is huge', () => {
    fc.assert(
      fc.property(source, resize, (image, wanted) => {
        const { scaleTo, output } = solve(image, wanted)
        const bound = Math.max(2 ** 20, 4 * output.width * output.height)
        expect(scaleTo.width * scaleTo.height).toBeLessThanOrEqual(bound)
      }),
    )
  })

  /** Whether one scale brings both lengths to within one px of the other two. */
  const oneScale = (from: Extent, to: Extent): boolean => {
    const least = Math.max((to.width - 1) / from.width, (to.height - 1) / from.height)
    const most = Math.min((to.width + 1) / from.width, (to.height + 1) / from.height)
    return least < most
  }

  it('the aspect ratio is kept to one pixel of the output, or of the source when single pixels are enlarged', () => {
    fc.assert(
      fc.property(source, resize, (image, wanted) => {
        const { extract, scaleTo, crop } = solve(image, wanted)
        const from = extract ?? { width: image[0], height: image[1] }
        const blownUp = extract !== undefined && crop === undefined
        expect(blownUp ? oneScale(scaleTo, from) : oneScale(from, scaleTo)).toBe(true)
      }),
    )
  })

  it('a focal point is always inside the crop', () => {
    fc.assert(
      fc.property(source, side, side, point, (image, width, height, at) => {
        const { extract, scaleTo, crop, output } = solve(image, boxOf(width, height, cropAt(at.x, at.y)))
        const from = extract ?? { left: 0, top: 0, width: image[0], height: image[1] }
        const box = crop ?? { left: 0, top: 0, ...output }
        const place: Point = {
          x: ((at.x * image[0] - from.left) * scaleTo.width) / from.width - box.left,
          y: ((at.y * image[1] - from.top) * scaleTo.height) / from.height - box.top,
        }
        for (const [where, length] of [
          [place.x, output.width],
          [place.y, output.height],
        ] as const) {
          expect(where).toBeGreaterThanOrEqual(-1e-6)
          expect(where).toBeLessThanOrEqual(length + 1e-6)
        }
      }),
    )
  })
})
