import { describe, expect, it } from 'vitest'
import { openAnimation } from '../../src/motion/frames/animation.ts'
import { fixture, make } from './request.ts'

const png = { format: 'png' } as const
const pixel = (data: Uint8Array, at = 0): number[] => [...data.subarray(at, at + 4)]
const GREEN = [0, 255, 0, 255]

describe('APNG as a source', () => {
  // These files are made so that a right reader ends on plain green.
  it.each([
    'pillow__blend_op_over.png',
    'pillow__dispose_op_none.png',
    'image__fcTL-dispose-in-region-none.png',
  ])('%s ends on green', async (name) => {
    const animation = await openAnimation(fixture(name), png)
    const frames = await animation.read(0, animation.frames)
    expect(pixel(frames.at(-1)!.data)).toEqual(GREEN)
  })

  it('reads delays as fractions of a second', async () => {
    expect((await openAnimation(fixture('pillow__delay.png'), png)).delays).toEqual([500, 1000, 500, 1000])
  })

  it('reads back as well as forth', async () => {
    const animation = await openAnimation(fixture('pillow__dispose_op_background_region.png'), png)
    const all = await animation.read(0, animation.frames)
    for (const number of [2, 0, 1]) expect((await animation.read(number, 1))[0]?.data).toEqual(all[number]?.data)
  })

  it.each(['gif', 'webp', 'h264'] as const)('becomes %s with all frames', async (format) => {
    const { made } = await make('pillow__delay.png', format, { neverLarger: false })
    expect(made).toMatchObject({ frames: 4, durationMs: 3000 })
  })
})
