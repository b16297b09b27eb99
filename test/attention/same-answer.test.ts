import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { chooseFocus } from '../../src/attention/choose-focus.ts'
import { findAttention } from '../../src/attention/find-attention.ts'
import type { Extent, Raster } from '../../src/core/image.ts'
import { placeWindow } from '../../src/plan/window.ts'

const FIXTURES = join(import.meta.dirname, '../fixtures')
const PHOTOGRAPHS = [
  'jpeg/pillow__iptc_roundUp.jpg',
  'jpeg/kodim23-190x158.png',
  'jpeg/kodim05-190x158.png',
  'jpeg/pillow__hopper_orientation_5.jpg',
  'pixels/testdata__sideways_bench.jpg',
]
const SHAPES: readonly Extent[] = [
  { width: 400, height: 400 },
  { width: 640, height: 360 },
  { width: 300, height: 400 },
  { width: 600, height: 300 },
]

const read = async (name: string, scale: number): Promise<Raster> => {
  const upright = await sharp(join(FIXTURES, name)).autoOrient().removeAlpha().toColourspace('srgb').png().toBuffer()
  const { width, height } = await sharp(upright).metadata()
  const { data, info } = await sharp(upright)
    .resize(Math.round(width * scale), Math.round(height * scale), { fit: 'fill' })
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height, channels: 3 }
}

/** For each shape the window's left and top as shares of the sides. */
const windowsOf = async (image: Raster): Promise<(readonly [number, number])[]> => {
  const scene = await findAttention(image)
  return SHAPES.map((output) => {
    const { left, top } = placeWindow(image, output, chooseFocus([scene], output))
    return [left / image.width, top / image.height]
  })
}

describe('the window lies at the same place, within 1 % of the side,', () => {
  it.each(PHOTOGRAPHS)('in copies of %s of 1.5, 2 and 3 times its size', async (name) => {
    const windows = await windowsOf(await read(name, 1))
    for (const scale of [1.5, 2, 3]) {
      const copies = await windowsOf(await read(name, scale))
      for (const [at, [left, top]] of windows.entries()) {
        const [x, y] = copies[at]!
        expect([Math.abs(x - left) <= 0.01, Math.abs(y - top) <= 0.01]).toEqual([true, true])
      }
    }
  })
})
