import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { chooseFocus } from '../../src/attention/choose-focus.ts'
import { enlarge } from '../../src/attention/enlarge.ts'
import { findAttention, roundFocus } from '../../src/attention/find-attention.ts'
import { mirror, type View } from '../../src/attention/view.ts'
import type { Extent, Raster } from '../../src/core/image.ts'
import { placeWindow } from '../../src/plan/window.ts'

const FIXTURES = join(import.meta.dirname, '../fixtures')
/** Thumbnails, with the sizes of the copies of each: others of all but the third move by 1 to 4 %. */
const SMALL: readonly (readonly [string, readonly number[]])[] = [
  ['jpeg/kodim23-190x158.png', [1.5, 2, 3]],
  ['jpeg/kodim05-190x158.png', [1.5, 3]],
  ['jpeg/pillow__hopper_orientation_5.jpg', [0.5, 0.75, 1.5, 2, 3]],
  ['pixels/testdata__sideways_bench.jpg', [0.75]],
]
/** Photographs, likewise: at 0.75 the window of the third moves by 2 %, at 1.5 that of the last. */
const LARGE: readonly (readonly [string, readonly number[]])[] = [
  ['colour/bimg__test_icc_prophoto.jpg', [0.5, 0.75]],
  ['colour/pilbox__example.jpg', [0.5, 0.75, 1.5, 2]],
  ['jpeg/pillow__iptc_roundUp.jpg', [0.5, 1.5, 2]],
  ['jpeg/serenity__rgb_components.jpg', [0.5, 0.75, 1.5]],
  ['jpeg/squoosh__screenshot2.jpg', [0.5, 0.75, 2]],
]
const SHAPES: readonly Extent[] = [
  { width: 400, height: 400 },
  { width: 640, height: 360 },
  { width: 300, height: 400 },
  { width: 600, height: 300 },
]

const read = async (name: string): Promise<View> => {
  const image = sharp(join(FIXTURES, name)).autoOrient().removeAlpha().toColourspace('srgb')
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height, channels: 3 }
}

/** A copy whose pixels lie where they lay: libvips moves what it enlarges by up to half a px. */
const copyOf = async ({ data, width, height, channels }: View, scale: number): Promise<Raster> => {
  const size = { width: Math.round(width * scale), height: Math.round(height * scale) }
  if (scale > 1) return enlarge({ data, width, height, channels }, size)
  const reduced = sharp(data, { raw: { width, height, channels } }).resize({ ...size, fit: 'fill' })
  return { ...size, channels, data: await reduced.raw().toBuffer() }
}

/** For each shape the window's left and top as shares of the sides. */
const windowsOf = async (image: Raster): Promise<(readonly [number, number])[]> => {
  const scene = await findAttention(image)
  return SHAPES.map((output) => {
    const { left, top } = placeWindow(image, output, roundFocus(chooseFocus([scene], output)))
    return [left / image.width, top / image.height]
  })
}

const expectSame = async (image: View, scales: readonly number[]): Promise<void> => {
  const windows = await windowsOf(image)
  for (const scale of scales) {
    const copies = await windowsOf(await copyOf(image, scale))
    for (const [at, [left, top]] of windows.entries()) {
      const [x, y] = copies[at]!
      expect({ scale, moved: [Math.abs(x - left), Math.abs(y - top)].map((by) => by <= 0.01 + 1e-9) }).toEqual({
        scale,
        moved: [true, true],
      })
    }
  }
}

describe('the window of copies in other sizes', () => {
  it.each([...SMALL, ...LARGE])('is at the same place within 1 %% of the side for %s', async (name, scales) => {
    await expectSame(await read(name), scales)
  })
})

const NARROW: readonly Extent[] = [
  { width: 200, height: 400 },
  { width: 600, height: 200 },
]

describe('the window of a mirrored picture', () => {
  it.each([...SMALL, ...LARGE])('is the mirror image of the window of %s', async (name) => {
    const image = await read(name)
    const [scene, mirrored] = [await findAttention(image), await findAttention(mirror(image))]
    for (const output of [...SHAPES, ...NARROW]) {
      const placed = placeWindow(image, output, roundFocus(chooseFocus([scene], output)))
      const other = placeWindow(image, output, roundFocus(chooseFocus([mirrored], output)))
      const moved = [other.left - (image.width - placed.left - placed.width), other.top - placed.top]
      expect(moved.map((by, at) => Math.abs(by) / (at === 0 ? image.width : image.height) <= 0.0011)).toEqual([
        true,
        true,
      ])
    }
  })
})
