/** The anytime rule: the same request with more time never gets more bytes at the same kept bounds. A counted clock stands for the time. */
import sharp, { type Sharp } from 'sharp'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Raster, StillFormat } from '../../src/core/image.ts'
import { openExaminer } from '../../src/formats/examine.ts'
import { type Candidate, type Measures, SLACK } from '../../src/formats/format.ts'
import { CODECS } from '../../src/formats/registry.ts'
import { openStepPace } from '../../src/formats/step-pace.ts'
import { processMetrics } from '../../src/metric/metrics.ts'
import type { Target } from '../../src/plan/plan.ts'
import { goalFor } from '../../src/plan/targets.ts'
import { survey } from '../../src/raster/survey.ts'
import { drawnImages, HEIGHT, photographs, WIDTH } from './anytime-images.ts'
import { scriptedRequest } from './request.ts'

const FORMATS = ['jpeg', 'webp', 'png', 'avif'] as const
const TARGET: Target = { kind: 'score', score: 70, preset: 'medium' }
/** ms per megapixel of an encode or a decode by sharp, about as on an idle core. */
const SHARP_MS: Readonly<Record<string, (options: Readonly<Record<string, number | boolean>>) => number>> = {
  heif: ({ heifEffort }) => [90, 320, 370, 950, 4700, 3900][Number(heifEffort)]!,
  webp: ({ webpLossless, webpEffort }) => (webpLossless === true ? 100 : 60) * (1 + Number(webpEffort)),
  jpeg: () => 60,
  png: () => 80,
  raw: () => 20,
}
/** The same of one comparison. */
const COMPARISON_MS = 60
/** ms of every step that its pixels do not change. */
const FIXED_MS = 0.5
const MEGAPIXELS = (WIDTH * HEIGHT) / 1e6
/**
 * Factor of the bytes within which results count as equal. A step that fits may end without a result, and a cheaper one no longer fits then: drafts, or the
 * same palette stored harder. Making these first costs more bytes at most timeouts (lab/search.md).
 */
const SAME = 1.1
/** Shares of the time of a search without haste. */
const SHARES = [0.1, 0.2, 0.35, 0.55, 0.8]

/** ms since a search began. */
let clock = 0
let end = Number.POSITIVE_INFINITY
let over = new AbortController()
const passTime = (msPerMegapixel: number): void => {
  clock += FIXED_MS + msPerMegapixel * MEGAPIXELS
  if (clock > end) over.abort(new DOMException('The time is over.', 'TimeoutError'))
}

beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => clock)
  const { toBuffer } = sharp.prototype
  vi.spyOn(sharp.prototype, 'toBuffer').mockImplementation(function (this: Sharp, ...options) {
    const { formatOut, ...own } = (this as unknown as { readonly options: Readonly<Record<string, number | boolean>> })
      .options
    passTime(SHARP_MS[String(formatOut)]!(own))
    return Reflect.apply(toBuffer, this, options)
  })
})
afterEach(() => void vi.restoreAllMocks())

/** Measures that take time. */
const timed = ({ examine, ssimulacra2, tileScore, mostButteraugli }: Measures): Measures => ({
  examine: (...given) => {
    passTime(COMPARISON_MS)
    return examine(...given)
  },
  ssimulacra2: (candidate) => {
    passTime(COMPARISON_MS)
    return ssimulacra2(candidate)
  },
  tileScore: (candidate) => {
    passTime(COMPARISON_MS)
    return tileScore(candidate)
  },
  mostButteraugli,
})

/** Bytes of the best file that was there in time, and whether it keeps the bounds. */
interface Result {
  readonly bytes: number
  readonly keeps: boolean
}

const keeps = ({ lossless, examined }: Candidate): boolean => lossless || examined?.keeps === true

/** The best of a search that has `ms`, and the time that it took. */
const searchWithin = async (
  ms: number,
  pixels: Raster,
  format: StillFormat,
): Promise<{ readonly best: Result | undefined; readonly ms: number }> => {
  clock = 0
  end = ms
  over = new AbortController()
  const features = survey(pixels)
  using examiner = openExaminer(await processMetrics(), { pixels, target: TARGET, density: 1 })
  let best: Result | undefined
  const request = scriptedRequest({
    pixels,
    features,
    wanted: { kind: 'score', goal: { score: goalFor(TARGET.score), slack: SLACK } },
    ...timed(examiner),
    examinePart: (...part) => {
      const measures = examiner.examinePart(...part)
      return { ...timed(measures), [Symbol.dispose]: () => measures[Symbol.dispose]() }
    },
    deadline: { remaining: () => Math.max(0, ms - clock), signal: over.signal },
    pace: openStepPace(),
    bytesToBeat: () => (best?.keeps === true ? best.bytes : Number.POSITIVE_INFINITY),
  })
  for await (const step of CODECS[format].search(request)) {
    if (step.kind === 'estimate') continue
    if (over.signal.aborted) break
    const made = { bytes: step.bytes.length, keeps: keeps(step) }
    if (best === undefined || (made.keeps === best.keeps ? made.bytes < best.bytes : made.keeps)) best = made
  }
  return { best, ms: clock }
}

/** The result at each share of the time that a search without haste takes, and its own. Absent where no file came in time. */
const resultsOf = async (pixels: Raster, format: StillFormat): Promise<readonly Result[]> => {
  const unhurried = await searchWithin(Number.MAX_SAFE_INTEGER, pixels, format)
  const results: (Result | undefined)[] = []
  for (const share of SHARES) results.push((await searchWithin(share * unhurried.ms, pixels, format)).best)
  return [...results, unhurried.best].filter((result) => result !== undefined)
}

/** Whether a later result is worse: it breaks a bound, or takes more bytes at the same bounds. */
const isWorse = (later: Result, earlier: Result): boolean =>
  earlier.keeps && (!later.keeps || later.bytes > earlier.bytes * SAME)

describe('more time', () => {
  for (const format of FORMATS)
    for (const [name, open] of [...drawnImages, ...photographs])
      it(`never gives more bytes: ${name} as ${format}`, async () => {
        const results = await resultsOf(await open(), format)
        const worse = results.slice(1).filter((later, at) => isWorse(later, results[at]!))
        expect({ worse, results }).toEqual({ worse: [], results })
      })
})
