import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openAnimation } from '../../src/motion/frames/animation.ts'
import { asPlainFrames, type PlainFrame, plainGif } from '../../src/motion/gif/write-gif.ts'
import { scratchDirectory } from '../scratch.ts'

const [WIDTH, HEIGHT] = [61, 43]
const palette = Array.from({ length: 256 }, (_, i) => (i << 16) | ((255 - i) << 8) | ((i * 7) & 255))

it.each([0, 1, 2, 7])('a plain GIF that plays %i times reads back as it was written', async (loop) => {
  const random = (seed: number) => (_: unknown, i: number) => (i * 7919 + seed * 104729) % 255
  const frames: PlainFrame[] = [30, 40, 655_350].map((delay, seed) => ({
    indices: Uint8Array.from({ length: WIDTH * HEIGHT }, random(seed)),
    palette,
    delay,
  }))
  const path = join(await scratchDirectory('gif'), 'plain.gif')
  await writeFile(path, plainGif({ width: WIDTH, height: HEIGHT, loop }, frames))
  const read = await openAnimation(path, { format: 'gif' })
  expect(read).toMatchObject({ extent: { width: WIDTH, height: HEIGHT }, frames: 3, loop, delays: [30, 40, 655_350] })
  for (const [number, { data }] of (await read.read(0, 3)).entries()) {
    const colours = Array.from({ length: WIDTH * HEIGHT }, (_, i) => Buffer.from(data).readUIntBE(i * 4, 3))
    expect(colours).toEqual(Array.from(frames[number]!.indices, (index) => palette[index]))
  }
})

/** Two frames of 4 x 3 px one below the other, in red, green and a third colour. */
const indexed = (third: readonly number[]) => ({
  width: 4,
  height: 6,
  table: Uint8Array.from([255, 0, 0, 255, 0, 255, 0, 255, ...third]),
  indices: Uint8Array.from({ length: 24 }, (_, at) => (at * 7 + (at > 12 ? 1 : 0)) % 3),
})

it.each([
  ['opaque', [0, 0, 255, 255]],
  ['transparent, in other places from frame to frame', [0, 0, 0, 0]],
])('frames of an indexed image read back as they were: %s', async (_, third) => {
  const image = indexed(third)
  const frames = asPlainFrames(image, { width: 4, height: 3 }, [50, 70])!
  const path = join(await scratchDirectory('gif'), 'indexed.gif')
  await writeFile(path, plainGif({ width: 4, height: 3, loop: 0 }, frames))
  const read = await openAnimation(path, { format: 'gif' })
  expect(read.delays).toEqual([50, 70])
  const shown = Buffer.concat((await read.read(0, 2)).map(({ data }) => data))
  const wanted = Buffer.concat(Array.from(image.indices, (index) => image.table.subarray(index * 4, index * 4 + 4)))
  expect(shown.equals(wanted)).toBe(true)
})

it('a half transparent colour has no place in a GIF', () => {
  expect(asPlainFrames(indexed([0, 0, 255, 128]), { width: 4, height: 3 }, [50, 70])).toBeUndefined()
})
