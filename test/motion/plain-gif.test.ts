import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openAnimation } from '../../src/motion/frames/animation.ts'
import { type PlainFrame, plainGif } from '../../src/motion/gif/write-gif.ts'
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
