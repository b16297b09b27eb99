import { expect, it } from 'vitest'
import type { Raster } from '../../src/core/image.ts'
import { type Candidate, IDENTICAL, type SearchRequest, type Step } from '../../src/formats/format.ts'
import { countColours } from '../../src/formats/palette/histogram.ts'
import { searchLossless, searchLosslessInHaste } from '../../src/formats/webp-lossless.ts'
import { toPixels } from '../../src/raster/raw.ts'
import { scriptedRequest } from './request.ts'

/** 100 x 100 px of noise in two colours: a file without loss takes more than a bit a pixel. */
const noise = () => {
  let state = 1
  const next = () => {
    state = (state * 48_271) % 0x7fffffff
    return state % 2 === 0 ? 255 : 0
  }
  const data = Buffer.concat(Array.from({ length: 100 * 100 }, () => Buffer.alloc(3, next())))
  return { data, width: 100, height: 100, channels: 3 as const }
}

/** Files of a search with time for the usual effort only, and whether it missed the slowest. */
const searched = async (bytesToBeat: number) => {
  const steps: Step[] = []
  let isOutOfTime = false
  const request = scriptedRequest({
    pixels: noise(),
    examine: () => {
      throw new Error('a file without loss needs no examination')
    },
    features: { opaque: true, grey: true, colours: 2, flatness: 0.9, planes: 0 },
    deadline: { remaining: () => 50, signal: new AbortController().signal },
    bytesToBeat: () => bytesToBeat,
    outOfTime: () => {
      isOutOfTime = true
    },
  })
  for await (const step of searchLossless(request, { exact: request.bytesToBeat, reduced: request.bytesToBeat }))
    steps.push(step)
  return { files: steps.length, isOutOfTime }
}

it('a small image is not stored at the slowest effort where that cannot be the smallest file', async () => {
  expect(await searched(600)).toEqual({ files: 0, isOutOfTime: false })
})

it('a small image is stored at the slowest effort where that may be the smallest file', async () => {
  expect((await searched(1300)).isOutOfTime).toBe(true)
})

/** 128 x 128 px of noise in many colours, like a photograph with a plain ground in all features but its flatness. */
const varied = (): Raster => {
  let state = 1
  const data = Uint8Array.from({ length: 128 * 128 * 3 }, () => {
    state = (state * 48_271) % 0x7fffffff
    return state % 256
  })
  return { data: Buffer.from(data), width: 128, height: 128, channels: 3 }
}

/** Full encodes of a search for a varied image whose palettes all fail. */
const encodesOfVaried = async (bytesToBeat: number): Promise<number> => {
  let encodes = 0
  const request = scriptedRequest({
    pixels: varied(),
    examine: () => {
      throw new Error('the score fails')
    },
    ssimulacra2: () => 0,
    features: { opaque: true, grey: false, colours: 257, flatness: 0.6, planes: 0.7 },
    bytesToBeat: () => bytesToBeat,
    encoded: () => {
      encodes += 1
    },
  })
  for await (const _ of searchLossless(request, { exact: request.bytesToBeat, reduced: request.bytesToBeat }));
  return encodes
}

it('no exact file and no levels of a varied image are made where the exact file would exceed the best one by far', async () => {
  expect(await encodesOfVaried(16_000)).toBe(0)
})

it('no file without loss exceeds the limit where no other file keeps the promise', async () => {
  const hasManyColours = ({ data }: Pick<Raster, 'data'>): boolean => {
    const colours = new Set<number>()
    for (let at = 0; at < data.length; at += 3) colours.add((data[at]! << 16) | (data[at + 1]! << 8) | data[at + 2]!)
    return colours.size > 256
  }
  const request = scriptedRequest({
    pixels: varied(),
    // Levels pass, palettes fail.
    examine: () => IDENTICAL,
    ssimulacra2: (candidate) => (hasManyColours(candidate as Raster) ? 71 : 0),
    features: { opaque: true, grey: false, colours: 257, flatness: 0.6, planes: 0.7 },
  })
  const limit = 20_000
  for await (const step of searchLossless(request, { exact: () => limit, reduced: () => limit }))
    if (step.kind === 'candidate') expect(step.bytes.length).toBeLessThan(limit)
})

/** 256 x 256 px in flat blocks of 8 px, in 1,024 colours. */
const drawing = (): Raster => {
  const side = 256
  const data = new Uint8Array(side * side * 3)
  for (let i = 0; i < side * side; i += 1) {
    const block = Math.floor((i % side) / 8) * 32 + Math.floor(i / side / 8)
    data.set([100 + 2 * (block % 32), 100 + 2 * (block >> 5), 120], i * 3)
  }
  return { data, width: side, height: side, channels: 3 }
}

/** Bytes of the files without search that a drawing has, and whether each is exact. */
const inHaste = async (given: Partial<SearchRequest>) => {
  const pixels = drawing()
  const part = { examine: () => IDENTICAL, ssimulacra2: () => 100, tileScore: () => 100, mostButteraugli: 1.5 }
  const request = scriptedRequest({
    pixels,
    features: { opaque: true, grey: false, colours: 257, flatness: 0.9, planes: 0 },
    ...part,
    examinePart: () => ({ ...part, [Symbol.dispose]: () => undefined }),
    deadline: { remaining: () => 400, signal: new AbortController().signal },
    ...given,
  })
  const candidates: Candidate[] = []
  for await (const candidate of searchLosslessInHaste(request)) candidates.push(candidate)
  return candidates
}

it('a drawing whose search may not end in time has its exact file first, then a palette', async () => {
  const [exact, palette, ...others] = await inHaste({})
  expect([exact?.lossless, palette?.lossless, others]).toEqual([true, false, []])
  expect(countColours(await toPixels(palette!.bytes)).counts.length).toBeLessThanOrEqual(256)
})

it('a drawing of more colours than 16,384 has no hasty palette, which takes the time of two lossy files', async () => {
  const pixels = drawing()
  for (let i = 0; i < pixels.data.length; i += 3) pixels.data.set([i & 255, (i >> 8) & 255, i >> 16], i)
  const candidates = await inHaste({ pixels })
  expect(candidates.map(({ lossless }) => lossless)).toEqual([true])
})

it('a drawing with time for its whole search, and a photograph, have no hasty file', async () => {
  const photograph = { opaque: true, grey: false, colours: 257, flatness: 0, planes: 0 }
  expect(await inHaste({ deadline: { remaining: () => 60_000, signal: new AbortController().signal } })).toEqual([])
  expect(await inHaste({ features: photograph })).toEqual([])
})
