import { expect, it } from 'vitest'
import type { AnyRaster } from '../core/image.ts'
import { amongMirrorImages } from './mirror.ts'

const SIDE = 129

it('continues a small image by its mirror images up to 129 px', () => {
  const image: AnyRaster = { width: 3, height: 1, channels: 2, data: Uint8Array.of(1, 2, 3, 4, 5, 6) }
  const { width, height, channels, data } = amongMirrorImages(image)
  expect([width, height, channels]).toEqual([SIDE, SIDE, 2])
  const row = [1, 2, 3, 4, 5, 6, 5, 6, 3, 4, 1, 2, 1, 2]
  expect([...data.subarray(0, row.length)]).toEqual(row)
  expect(data.subarray(SIDE * 2, SIDE * 4)).toEqual(data.subarray(0, SIDE * 2))
})

it('leaves an image of 129 px a side as it is', () => {
  const image: AnyRaster = { width: SIDE, height: SIDE, channels: 1, data: new Uint8Array(SIDE * SIDE) }
  expect(amongMirrorImages(image)).toBe(image)
})
