import { expect, it, vi } from 'vitest'
import type { Raster } from '../../src/core/image.ts'
import { type Candidate, type Examine, IDENTICAL, type Measures, type SearchRequest } from '../../src/formats/format.ts'
import { searchLevels, type TruecolourEncoder } from '../../src/formats/levels-search.ts'
import { fromPixels } from '../../src/raster/raw.ts'
import { scriptedRequest } from './request.ts'

const SIDE = 900

/** More colours than a palette holds, in blocks that are all busy. */
const varied: Raster = {
  width: SIDE,
  height: SIDE,
  channels: 3,
  data: Uint8Array.from({ length: SIDE * SIDE * 3 }, (_, at) => (at * at * 31) >> 7),
}

const encode = async (pixels: Raster): Promise<Uint8Array> => fromPixels(pixels).png({ compressionLevel: 1 }).toBuffer()

/** A request whose part may have any levels; `examine` measures the whole. */
const requestOf = (examine: Examine, others: Partial<SearchRequest> = {}) => {
  const measures: Measures = {
    examine: () => IDENTICAL,
    ssimulacra2: () => 100,
    tileScore: () => 100,
    mostButteraugli: 1.5,
  }
  const examinePart = (): Measures & Disposable => ({ ...measures, [Symbol.dispose]: () => undefined })
  return scriptedRequest({ pixels: varied, alone: false, ...measures, examine, examinePart, ...others })
}

it('yields what the levels of a large image take at least before its whole is measured', async () => {
  let measured = 0
  const request = requestOf(() => {
    measured += 1
    return IDENTICAL
  })
  const lossless = (await encode(varied)).length
  const encoder: TruecolourEncoder = { format: 'png', lossless, encode, estimate: { encode, minShare: 1 } }
  const estimates: number[] = []
  let file: Candidate | undefined
  for await (const step of searchLevels(request, encoder))
    if (step.kind === 'candidate') file = step
    else {
      expect(measured).toBe(0)
      estimates.push(step.bytes)
    }
  expect(measured).toBeGreaterThan(0)
  expect(estimates).toHaveLength(1)
  const share = estimates[0]! / file!.bytes.length
  expect(share).toBeGreaterThan(0.8)
  expect(share).toBeLessThan(1.25)
})

it('reports no lack of time before its estimate, which may show that another format takes fewer bytes', async () => {
  // Trials seem to take no time, so that nothing here depends on how fast the machine is.
  using _ = vi.spyOn(performance, 'now').mockReturnValue(0)
  let isLate = false
  const request = requestOf(() => IDENTICAL, {
    // The table names 405 ms for the whole.
    deadline: { remaining: () => 300, signal: new AbortController().signal },
    outOfTime: () => {
      isLate = true
    },
  })
  const encoder: TruecolourEncoder = { format: 'png', lossless: 1e6, encode, estimate: { encode, minShare: 1 } }
  const search = searchLevels(request, encoder)
  expect((await search.next()).value).toMatchObject({ kind: 'estimate' })
  expect(isLate).toBe(false)
  expect(await search.next()).toEqual({ done: true, value: undefined })
  expect(isLate).toBe(true)
})

it('measures no whole without the time for it where a large image has too few busy blocks', async () => {
  let measured = 0
  let isLate = false
  const flat: Raster = { ...varied, data: new Uint8Array(varied.data.length) }
  const examine = (): typeof IDENTICAL => {
    measured += 1
    return IDENTICAL
  }
  const request = requestOf(examine, {
    pixels: flat,
    deadline: { remaining: () => 300, signal: new AbortController().signal },
    outOfTime: () => {
      isLate = true
    },
  })
  const encoder: TruecolourEncoder = { format: 'png', lossless: 1e6, encode, estimate: { encode, minShare: 1 } }
  for await (const _ of searchLevels(request, encoder));
  expect([measured, isLate]).toEqual([0, true])
})
