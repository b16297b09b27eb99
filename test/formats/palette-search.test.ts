import { expect, it } from 'vitest'
import { searchPalette } from '../../src/formats/palette-search.ts'
import { scriptedRequest } from './request.ts'

/** 64 colours in squares of 4 px: nothing to diffuse. */
const squares = () => {
  const data = Buffer.alloc(32 * 32 * 3)
  for (let at = 0; at < 32 * 32; at += 1) {
    const colour = ((at >> 7) << 3) | ((at & 31) >> 2)
    data.set([colour * 4, 255 - colour * 4, (colour * 37) & 255], at * 3)
  }
  return { data, width: 32, height: 32, channels: 3 as const }
}

/** The number of palettes that are measured while the best file has some bytes, each palette's estimate is 1,000, and files take `minShare` of it. */
const measured = async (bytesToBeat: number, minShare: number): Promise<number> => {
  let count = 0
  const request = scriptedRequest({
    pixels: squares(),
    examine: () => {
      throw new Error('no palette reaches the goal')
    },
    ssimulacra2: () => {
      count += 1
      return 0
    },
    bytesToBeat: () => bytesToBeat,
  })
  const encoder = { format: 'webp', estimate: () => 1000, encode: () => Buffer.alloc(1000), minShare } as const
  for await (const step of searchPalette(request, encoder)) throw new Error(`a ${step.kind} that breaks its goal`)
  return count
}

it('palettes whose least bytes exceed the best file are not measured', async () => {
  expect(await measured(600, 0.75)).toBe(0)
})

it('palettes whose least bytes are below the best file are measured', async () => {
  expect(await measured(800, 0.75)).toBeGreaterThan(0)
})
