import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { readPngChunks, writePng, writePngChunk } from '../../src/containers/png.ts'
import { MAX_FILE_ITEMS } from '../../src/core/untrusted-header.ts'
import { openAnimation } from '../../src/motion/frames/animation.ts'
import { identify } from '../../src/source/identify.ts'
import { inFile } from '../fuzz/corpus.ts'
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

  /** An animation of four frames that declares another number of them, and may have chunks of nothing before its end. */
  const lying = async (declared: number, empty = 0): Promise<Buffer> => {
    const control = Buffer.alloc(8)
    control.writeUInt32BE(declared)
    const chunks = [...readPngChunks(await readFile(fixture('pillow__delay.png')))].filter(
      ({ type }) => type !== 'IEND',
    )
    return writePng([
      ...chunks.map(({ type, whole }) => (type === 'acTL' ? writePngChunk(type, control) : whole)),
      ...Array.from({ length: empty }, () => writePngChunk('zzZz', control)),
    ])
  }

  it.each([
    [2, 2],
    [4, 4],
    [4_000_000_000, 4],
  ])('has the frames that its limits were checked for: of four where it declares %i, %i', async (declared, frames) => {
    await inFile(await lying(declared), async (path) => {
      const facts = await identify(path)
      const animation = await openAnimation(path, facts)
      expect([facts.frames, animation.frames, animation.delays.length]).toEqual([frames, frames, frames])
      expect(await animation.read(0, 9)).toHaveLength(frames)
    })
  })

  it('is refused with more chunks than are walked, whose views would take a gigabyte', async () => {
    await inFile(await lying(4, MAX_FILE_ITEMS), async (path) => {
      await expect(openAnimation(path, png)).rejects.toMatchObject({ code: 'SOURCE_DAMAGED' })
    })
  })

  it.each(['gif', 'webp', 'h264'] as const)('becomes %s with all frames', async (format) => {
    const { result } = await make('pillow__delay.png', format, { neverLarger: false })
    expect(result).toMatchObject({ frames: 4, durationMs: 3000 })
  })
})
