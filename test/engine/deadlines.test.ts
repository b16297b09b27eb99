import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import type { Raster } from '../../src/core/image.ts'
import type { Candidate } from '../../src/formats/format.ts'
import { CODECS } from '../../src/formats/registry.ts'
import { openSsimulacra2 } from '../../src/metric/ssimulacra2/ssimulacra2.ts'
import { mediumRequest } from '../formats/request.ts'
import { run } from './run.ts'
import { PHOTO } from './samples.ts'

const readPhoto = async (): Promise<Raster> => {
  const { data, info } = await sharp(PHOTO).raw().toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, channels: 3, data }
}

/** How often a search said that time was short. */
let timeLimited = 0

const search = async (format: keyof typeof CODECS, ms: number): Promise<Candidate[]> => {
  const pixels = await readPhoto()
  using prepared = (await openSsimulacra2()).prepare(pixels)
  const found: Candidate[] = []
  const request = mediumRequest({
    pixels,
    prepared,
    remaining: () => ms,
    bytesToBeat: () => Math.min(Number.POSITIVE_INFINITY, ...found.map(({ bytes }) => bytes.length)),
    outOfTime: () => {
      timeLimited += 1
    },
  })
  for await (const step of CODECS[format].search(request)) if (step.kind === 'candidate') found.push(step)
  return found
}

describe('a search with hardly any time left', () => {
  it.each(['jpeg', 'png', 'webp', 'avif'] as const)('still returns a %s', async (format) => {
    timeLimited = 0
    const found = await search(format, 1)
    expect(timeLimited).toBeGreaterThan(0)
    expect(found.length).toBeGreaterThan(0)
    expect((await sharp(found[0]!.bytes).metadata()).width).toBe(190)
  })

  it.each(['webp', 'avif'] as const)('needs fewer encodes than a whole search of %s', async (format) => {
    const timeLimited = await search(format, 1)
    expect(timeLimited).toHaveLength(1)
    expect((await search(format, 60_000)).at(-1)!.bytes.length).toBeLessThan(timeLimited[0]!.bytes.length)
  })
})

describe('a search interrupted at any moment', () => {
  // Before the search, or in the middle of it.
  it.each([0, 2, 5, 10, 20, 40, 80])('returns an image of the requested size after %i ms', async (ms) => {
    const source = await readFile(PHOTO)
    const { result: chosen } = await run(source, { options: '120x80,crop', seconds: ms / 1000 })
    expect([chosen.format, chosen.width]).toEqual(['jpeg', 120])
    for (const format of ['jpeg', 'webp'] as const) {
      const { result, bytes } = await run(source, {
        options: `120x80,crop,format=${format}`,
        seconds: ms / 1000,
      })
      expect([result.width, result.height, (await sharp(bytes).metadata()).width]).toEqual([120, 80, 120])
    }
  })
})
