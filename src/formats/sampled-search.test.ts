import { describe, expect, it } from 'vitest'
import { scriptedRequest } from '../../test/formats/request.ts'
import type { Raster } from '../core/image.ts'
import type { Candidate, Examined } from './format.ts'
import { type SampledFormat, searchSampled } from './sampled-search.ts'

/** 5.2 megapixels of black. */
const PIXELS: Raster = { data: new Uint8Array(2600 * 2000 * 3), width: 2600, height: 2000, channels: 3 }

const examinedAt = (margin: number): Examined => ({
  score: 70 + margin,
  keeps: margin >= 0,
  broken: margin >= 0 ? [] : ['contour'],
  effective: 70 + margin,
  margins: { ssimulacra: margin },
  figures: {},
})

interface Script {
  /** Measurements of the encodes of the whole, in turns. */
  readonly examined: readonly Examined[]
  readonly remaining?: number
  /** ms that the search of the sample takes of them. */
  readonly sampleMs?: number
  /** ms that each encode of the whole takes of them. */
  readonly wholeMs?: number
  /** Bytes of the source's own file. */
  readonly ownBytes?: number
  /** Whether the sample keeps its bounds; undefined where its search finds no setting. */
  readonly keeps?: boolean | undefined
  /** Whether encodes follow between a whole that breaks a bound and one that keeps all. */
  readonly narrows?: boolean
  /** Whether an encode that takes too long goes on with a lower effort. */
  readonly canDrop?: boolean
}

/** Runs a search whose encoder writes its setting, and adds `points` to it where it is adjusted. */
const run = async ({
  examined,
  remaining = 1e9,
  sampleMs = 0,
  wholeMs = 0,
  ownBytes = Number.POSITIVE_INFINITY,
  narrows = false,
  canDrop = false,
  ...others
}: Script) => {
  const keeps = 'keeps' in others ? others.keeps : true
  const turns = [...examined]
  let left = remaining
  const log = {
    samples: [] as Raster[],
    settings: [] as number[],
    patiences: [] as (number | undefined)[],
    isOutOfTime: false,
  }
  const request = scriptedRequest({
    pixels: PIXELS,
    bytesToBeat: () => ownBytes,
    examine: (_pixels, _format, patience) => {
      log.patiences.push(patience)
      return turns.shift()!
    },
    examinePart: (part) => {
      log.samples.push(part)
      return { ...request, [Symbol.dispose]: () => undefined }
    },
    deadline: { remaining: () => left, signal: new AbortController().signal },
    outOfTime: () => {
      log.isOutOfTime = true
    },
  })
  const format: SampledFormat<number> = {
    format: 'jpeg',
    msPerMegapixel: 100,
    canDrop,
    quick: async function* () {
      yield { kind: 'candidate', format: 'jpeg', bytes: Uint8Array.of(0), lossless: false }
    },
    open: () => ({
      predict: async () => {
        left -= sampleMs
        return keeps === undefined ? undefined : { setting: 50, keeps }
      },
      adjust: (setting, points) => setting + points,
      between: narrows
        ? (fails, passes) => (passes.setting - fails.setting > 1 ? (fails.setting + passes.setting) / 2 : undefined)
        : undefined,
      encode: async (setting) => {
        log.settings.push(setting)
        left -= wholeMs
        return { bytes: Uint8Array.of(1), shown: async () => PIXELS }
      },
    }),
  }
  const candidates: Candidate[] = []
  for await (const candidate of searchSampled(request, format)) candidates.push(candidate)
  return { ...log, candidates }
}

describe('the search on a sample of a large image', () => {
  it('encodes the whole once where it keeps its bounds by little', async () => {
    const { settings, samples } = await run({ examined: [examinedAt(1)] })
    expect(settings).toEqual([50])
    expect(samples.map(({ width, height }) => [width, height])).toEqual([[2048, 1024]])
  })

  it('encodes at a lower setting once more where the whole exceeds its bounds by much', async () => {
    const { settings } = await run({ examined: [examinedAt(6), examinedAt(3)] })
    expect(settings).toEqual([50, 44.5])
  })

  it('ends where the encode at a lower setting breaks a bound', async () => {
    const { settings, candidates } = await run({ examined: [examinedAt(6), examinedAt(-1), examinedAt(1)] })
    expect(settings).toEqual([50, 44.5])
    expect(candidates.some(({ examined }) => examined?.keeps)).toBe(true)
  })

  it('yields the first encode of the whole before it is measured', async () => {
    const { candidates } = await run({ examined: [examinedAt(1)] })
    expect(candidates.map(({ examined }) => examined?.keeps)).toEqual([undefined, true])
  })

  it('aims higher each time the whole breaks a bound', async () => {
    const { settings } = await run({ examined: [examinedAt(-1), examinedAt(-1), examinedAt(0.5)] })
    expect(settings).toEqual([50, 51.5, 53.5])
  })

  it('encodes between a whole that breaks a bound and one that keeps all, where the encoder has settings between', async () => {
    const examined = [examinedAt(-5.5), examinedAt(8), examinedAt(-1), examinedAt(1)]
    const { settings } = await run({ examined, narrows: true })
    expect(settings).toEqual([50, 56, 53, 54.5])
    expect((await run({ examined })).settings).toEqual([50, 56])
  })

  it('is not cut short where there is no time for an encode between two wholes', async () => {
    const examined = [examinedAt(-5.5), examinedAt(8)]
    const { settings, isOutOfTime } = await run({ examined, narrows: true, remaining: 5_000, wholeMs: 2_500 })
    expect(settings).toEqual([50, 56])
    expect(isOutOfTime).toBe(false)
  })

  it('measures Butteraugli of a whole that breaks a cheaper bound only where no other encode follows', async () => {
    const { patiences } = await run({ examined: [1, 1, 1, 1].map((miss) => examinedAt(-miss)) })
    expect(patiences).toEqual([0, 0, 0, 12])
    expect((await run({ examined: [examinedAt(-3)], keeps: false })).patiences).toEqual([12])
  })

  it('measures a whole up to its first broken bound where the answer is the own file of the source', async () => {
    const { patiences } = await run({ examined: [examinedAt(-1), examinedAt(1)], ownBytes: 100 })
    expect(patiences).toEqual([-1, -1])
  })

  it('encodes the whole once where no setting keeps the bounds of the sample', async () => {
    const { settings } = await run({ examined: [examinedAt(-3)], keeps: false })
    expect(settings).toEqual([50])
  })

  it('yields a quick file first where the whole fits into the time, but not twice', async () => {
    // An encode of the whole takes 520 ms, the search of the sample up to 1,258 ms.
    const { candidates } = await run({ examined: [examinedAt(1)], remaining: 1_900, sampleMs: 1_000 })
    expect(candidates.map(({ bytes }) => bytes[0])).toEqual([0, 1, 1])
  })

  it('yields no quick file where the whole fits into the time and can drop to a lower effort', async () => {
    const { candidates } = await run({ examined: [examinedAt(1)], remaining: 1_900, sampleMs: 1_000, canDrop: true })
    expect(candidates.map(({ bytes }) => bytes[0])).toEqual([1, 1])
  })

  it('yields a quick file where the search of the sample left no time for an encode of the whole', async () => {
    const { candidates, isOutOfTime } = await run({ examined: [], remaining: 1_900, sampleMs: 1_500 })
    expect(candidates.map(({ bytes }) => bytes[0])).toEqual([0])
    expect(isOutOfTime).toBe(true)
  })

  it('yields a quick file where the search of the sample found no setting and there is no other file', async () => {
    const { candidates, isOutOfTime } = await run({ examined: [], keeps: undefined })
    expect([candidates.map(({ bytes }) => bytes[0]), isOutOfTime]).toEqual([[0], true])
    const beside = await run({ examined: [], keeps: undefined, ownBytes: 100 })
    expect([beside.candidates, beside.isOutOfTime]).toEqual([[], false])
  })

  it('yields a quick file alone where there is no time for an encode of the whole', async () => {
    const { candidates, settings, isOutOfTime } = await run({ examined: [], remaining: 10 })
    expect(candidates.map(({ bytes }) => bytes[0])).toEqual([0])
    expect(settings).toEqual([])
    expect(isOutOfTime).toBe(true)
  })
})
