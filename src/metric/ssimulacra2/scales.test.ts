import { describe, expect, it } from 'vitest'
import { keptBytes, packMasks, shapeScales } from './scales.ts'

const sizesOf = (width: number, height: number): string =>
  shapeScales(width, height, 'exact')
    .map((shape) => `${shape.width}x${shape.height}`)
    .join(' ')

describe('scales', () => {
  it.each([
    { width: 8, height: 8, sizes: '8x8 4x4' },
    { width: 79, height: 8, sizes: '79x8 40x4' },
    { width: 16, height: 15, sizes: '16x15 8x8 4x4' },
    { width: 129, height: 300, sizes: '129x300 65x150 33x75 17x38 9x19 5x10' },
    { width: 512, height: 9000, sizes: '512x9000 256x4500 128x2250 64x1125 32x563 16x282' },
  ])('are $sizes for $width x $height', ({ width, height, sizes }) => {
    expect(sizesOf(width, height)).toBe(sizes)
  })

  it('are pruned only when there are six: fewer shift the weights', () => {
    expect(shapeScales(512, 512, 'pruned').map((shape) => shape.mask)).toEqual([2, 3, 3, 7, 7, 0])
    expect(shapeScales(64, 512, 'pruned')).toEqual(shapeScales(64, 512, 'exact'))
  })

  it('pack into three bits each, the largest lowest', () => {
    expect(packMasks(shapeScales(512, 512, 'pruned'))).toBe(0o077332)
    expect(packMasks(shapeScales(8, 8, 'exact'))).toBe(0o77)
  })

  it('keep about 20 bytes per pixel when pruned and 48 when exact', () => {
    expect(keptBytes(shapeScales(1024, 1024, 'pruned')) / 2 ** 20).toBeCloseTo(20.2, 1)
    expect(keptBytes(shapeScales(1024, 1024, 'exact')) / 2 ** 20).toBeCloseTo(48, 1)
    expect(keptBytes(shapeScales(1017, 1024, 'exact'))).toBe(keptBytes(shapeScales(1024, 1024, 'exact')))
  })
})
