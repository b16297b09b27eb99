import type { AvifOptions } from 'sharp'
import type { Raster } from '../core/image.ts'
import type { BoundName } from '../plan/promise.ts'
import { isMostlyFlat } from '../plan/shortlist.ts'
import { fromPixels, inSixteenBits } from '../raster/raw.ts'
import { cutOut } from '../raster/trim.ts'
import { MIN_SAVING } from '../search/budget.ts'
import { type Curve, valueAt } from '../search/curve.ts'
import type { Margins } from '../search/margins.ts'
import { releaseBuffer } from '../support/release-buffer.ts'
import { decodeAvif, type EncodeTile, encodeInTiles, isTiled } from './avif-tiles.ts'
import { type Candidate, IDENTICAL, type SearchRequest, type StillCodec } from './format.ts'
import { withoutHiddenColours } from './hidden-colours.ts'
import { orLeaner } from './or-leaner.ts'
import { type EffortTrial, type QualityEffort, type QualityEncoder, shifted } from './quality-encoder.ts'
import { searchLossy } from './quality-on-sample.ts'
import { isSampled } from './sample/sample.ts'

/**
 * libavif's encoder has 64 levels, which the quality number 1 to 100 is mapped to: the lowest number of each, found by
 * comparing files. Searching numbers would encode many a file twice.
 */
export const LEVEL_QUALITIES = [
  1, 3, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 35, 37, 39, 40, 42, 44, 45, 47, 49, 50, 52, 54, 55,
  56, 58, 59, 60, 62, 63, 64, 66, 67, 68, 70, 71, 72, 74, 75, 76, 78, 79, 80, 82, 83, 84, 86, 87, 88, 90, 91, 92, 94,
  95, 96, 98, 99, 100,
] as const

/** Median score by level of 7 photographs at effort 3 and eight bits, with what Butteraugli, contours and tile colours count for. */
const CURVE: Curve = [
  [9, 30],
  [15, 48],
  [21, 61],
  [26, 69.5],
  [31, 74.5],
  [36, 78.5],
  [42, 82.8],
  [49, 87],
  [57, 92],
  [63, 94],
]
/** On the same photographs. */
const RISE: Curve = [
  [45, 0.025],
  [57, 0.035],
  [70, 0.042],
  [85, 0.07],
]
/** Points by which the margin of a draft (effort 0) exceeds that of effort 3, by level: medians of the same photographs. */
const DRAFT_BIAS: Curve = [
  [15, -3.2],
  [23, -2],
  [31, -1.3],
  [42, -0.8],
  [49, -0.5],
]

/** Median level by preset where 6 drawings keep every bound at effort 3 (5 at high): Butteraugli asks for more than the score. */
const DRAWING_CURVE: Curve = [
  [4, 35],
  [14, 55],
  [24, 70],
  [36, 85],
  [44, 91],
  [63, 96],
]
/** Of small drawings, whose drafts have effort 3. Drafts at effort 2 have the margin of effort 3 within half a point (median of 5). */
const DRAWING_BIAS: Curve = [
  [6, -2],
  [49, -1],
]

/** How images of a size are encoded: by their pixels alone, so that the same request gives the same bytes. */
interface AvifEffort {
  readonly maxPixels: number
  readonly effort: number
  /** With eight bits a channel. */
  readonly msPerMegapixel: number
  /** Effort of photographs with ten bits a channel at a high goal, which have eight below it. Where absent, ten bits have this effort and begin at medium. */
  readonly tenBits?: AvifEffort
}

/** With ten bits 340 ms on an idle core. */
const IN_TILES: AvifEffort = { maxPixels: Number.POSITIVE_INFINITY, effort: 1, msPerMegapixel: 300 }
const QUICK: AvifEffort = { maxPixels: Number.POSITIVE_INFINITY, effort: 0, msPerMegapixel: 170 }
/** Effort 2 takes 1.05 to 1.07 of the bytes of effort 3 with eight bits, and 0.6 to 0.75 of its CPU (3 photographs and mosaics). */
const MIDDLE: AvifEffort = { maxPixels: 16e6, effort: 2, msPerMegapixel: 500 }
/**
 * Effort 3 takes 1.04 of the bytes of effort 4 and 0.21 of its CPU, effort 0 takes 1.38 and 0.024 (7 photographs, all bounds of medium).
 * Above 4 megapixels effort 3 with eight bits takes 1.1 times the CPU of effort 2 with ten. It takes 0.74 to 0.97 of the bytes at medium: whole searches
 * of 6 photographs of 4.3 to 10 megapixels. At high it takes 1.07 of the bytes (1). It takes 300 ms per megapixel, 250 more to decode and to measure.
 * Tuning for SSIM takes 14 % more bytes than for image quality, sharp's default.
 */
const EFFORTS: readonly AvifEffort[] = [
  { maxPixels: 4e6, effort: 3, msPerMegapixel: 1000 },
  { maxPixels: MIDDLE.maxPixels, effort: 3, msPerMegapixel: 700, tenBits: MIDDLE },
  { maxPixels: Number.POSITIVE_INFINITY, effort: 3, msPerMegapixel: 700, tenBits: IN_TILES },
]
/** Effort 4 takes 0.96 of the bytes of effort 3 for 4.8 times the CPU (`npm run bench:efforts`). */
const MORE: AvifEffort = { maxPixels: 4e6, effort: 4, msPerMegapixel: 4800 }
/**
 * Of small drawings effort 5 takes 0.86 of the bytes of effort 3 at medium and 0.90 at high, for 4 times the CPU; effort 4 takes
 * 0.95 and 0.99 (4 drawings, all bounds kept).
 */
const DRAWING_EFFORT: AvifEffort = { maxPixels: 2e5, effort: 5, msPerMegapixel: 4000 }
/** Drafts of drawings: effort 0 takes up to five times the bytes of effort 3 and predicts nothing, effort 2 takes 1.06 (5 drawings). */
const DRAWING_DRAFT: AvifEffort = { maxPixels: 4e6, effort: 2, msPerMegapixel: 450 }
/** For requests in haste: at equal quality it takes 1.01 to 1.09 of the bytes of effort 3 (7 photographs). */
const BETWEEN: AvifEffort = { maxPixels: Number.POSITIVE_INFINITY, effort: 1, msPerMegapixel: 400 }

/**
 * Score from which images have ten bits a channel. Of photographs they save 5 % of the bytes of eight at high, 1.6 % at medium and nothing at low, for
 * 1.4 times the CPU (7 photographs). Drawings take 5 % more with ten bits and have them where eight break a bound by rounding.
 * `large` is for photographs whose effort differs with ten bits.
 */
const TEN_BITS_FROM = { photographs: 62, large: 80, drawings: 80 } as const
/** CPU of ten bits in terms of that of eight. */
const TEN_BITS_COST = 1.4
/** Settings for an encode that failed: of 48 megapixels they take 1.1 GB and not 2.4 (`sharp().avif()`, one thread, resident memory). */
const LEAN = { effort: 0, bitdepth: 8, chromaSubsampling: '4:2:0' } as const

/** Points by which Butteraugli must bind before the score, for ten bits at a high goal: eight bits round the colours of flat areas, which breaks the bound in two of six drawings. */
const ROUNDING_LEAD = 2
const isRounded = ({ ssimulacra = -1, butteraugli3 = 0 }: Margins<BoundName>): boolean =>
  ssimulacra >= 0 && butteraugli3 < -ROUNDING_LEAD

/** A way to encode within a deadline. */
const effortsWithin =
  ({ deadline }: Pick<SearchRequest, 'deadline'>) =>
  ({ effort, msPerMegapixel }: AvifEffort, bitdepth: 8 | 10): QualityEffort => {
    const hasTime = (share: number, ms: number): boolean => ms * (1 / share - 1) <= deadline.remaining()
    // One frame of 24 megapixels takes 1.3 GB at effort 0 with ten bits, its tiles 0.2 GB at effort 1.
    let effortOfTiles: number | undefined = Math.max(effort, BETWEEN.effort)
    return {
      encode: async (pixels, level) => {
        const quality = LEVEL_QUALITIES[level]!
        const encodeWith = (part: Raster, settings: AvifOptions) => {
          const image = settings.bitdepth === 10 ? inSixteenBits : fromPixels
          return image(part)
            .avif({ quality, ...settings })
            .toBuffer()
        }
        const encode: EncodeTile = async (tile, tileEffort) => {
          const part = cutOut(pixels, tile)
          const file = await encodeWith(part, { effort: tileEffort, bitdepth })
          releaseBuffer(part.data)
          return file
        }
        const hasTiles = isTiled(pixels, effort)
        if (hasTiles && effortOfTiles !== undefined) {
          const tiled = await encodeInTiles(pixels, { effort: effortOfTiles, encode, hasTime })
          // The next encode does not try again what failed.
          effortOfTiles = tiled?.effort
          if (tiled !== undefined) return tiled.file
        }
        return orLeaner(
          () => encodeWith(pixels, hasTiles ? { ...LEAN, chromaSubsampling: '4:4:4' } : { effort, bitdepth }),
          () => encodeWith(pixels, LEAN),
        )
      },
      msPerMegapixel: msPerMegapixel * (bitdepth === 10 ? TEN_BITS_COST : 1),
    }
  }

/**
 * `minWholes`: one that aims higher takes 1.06 of the bytes, the next effort 1.1 to 1.3. `maxJump` in levels: the finest one takes twice the CPU
 * of a usual one. `patience` in points: Butteraugli takes a fifth of the CPU of an encode.
 */
const COMMON = {
  format: 'avif',
  axis: { min: 0, max: LEVEL_QUALITIES.length - 1, step: 1 },
  maxJump: 10,
  patience: 10,
  narrows: true,
  minWholes: 1,
  decode: decodeAvif,
  rise: RISE,
} as const
/** Moves the margins of a draft to where those of a full encode are expected; those of an effort between lie half way. */
const correctedBy =
  (efforts: Pick<QualityEncoder, 'draft' | 'between'>, bias: Curve): QualityEncoder['expected'] =>
  ({ setting, effort, margins }, wanted) => {
    const shareOf = (one: QualityEffort): number => (one === efforts.draft ? 1 : one === efforts.between ? 0.5 : 0)
    return shifted(margins, valueAt(bias, setting) * (shareOf(wanted) - shareOf(effort)))
  }

/** Expected margins without those of a trial that say nothing of another effort. */
const withoutMisleading =
  (
    expected: QualityEncoder['expected'],
    misleading: (trial: EffortTrial, wanted: QualityEffort) => readonly BoundName[],
  ): QualityEncoder['expected'] =>
  (trial, wanted) => {
    const margins = { ...expected(trial, wanted) }
    if (trial.effort !== wanted) for (const bound of misleading(trial, wanted)) delete margins[bound]
    return margins
  }

/** Butteraugli's margin where rounding binds it: it says nothing of the other number of bits. */
const roundedBound = ({ margins }: EffortTrial): readonly BoundName[] => (isRounded(margins) ? ['butteraugli3'] : [])

type EffortOf = ReturnType<typeof effortsWithin>

const encoderOfPhotographs = (usual: AvifEffort, effortOf: EffortOf): QualityEncoder => {
  const { tenBits = usual } = usual
  const [eight, ten] = [effortOf(usual, 8), effortOf(tenBits, 10)]
  const tenFrom = usual.tenBits === undefined ? TEN_BITS_FROM.photographs : TEN_BITS_FROM.large
  const draft = effortOf(QUICK, 10)
  const efforts = { draft, between: effortOf(BETWEEN, 10) }
  return {
    ...COMMON,
    curve: CURVE,
    ...efforts,
    // Drafts lose the colour of tiles that full encodes keep, by 14 points in a drawing of hills.
    expected: withoutMisleading(correctedBy(efforts, DRAFT_BIAS), ({ effort }) =>
      effort === draft ? ['tileColour'] : [],
    ),
    full: (goal) => (goal < tenFrom ? eight : ten),
  }
}

const encoderOfDrawings = (usual: AvifEffort, effortOf: EffortOf, isSmall: boolean): QualityEncoder => {
  const cheaper = usual.effort > DRAWING_DRAFT.effort && !isSmall ? DRAWING_DRAFT : usual
  const full = isSmall ? DRAWING_EFFORT : usual
  const [draft, eight, ten] = [effortOf(cheaper, 8), effortOf(full, 8), effortOf(full, 10)]
  const expected = isSmall ? correctedBy({ draft }, DRAWING_BIAS) : ({ margins }: EffortTrial) => margins
  return {
    ...COMMON,
    curve: DRAWING_CURVE,
    draft,
    expected: withoutMisleading(expected, (trial, wanted) => (wanted === ten ? roundedBound(trial) : [])),
    full: (goal, measured) => (goal >= TEN_BITS_FROM.drawings && measured.some(isRounded) ? ten : eight),
  }
}

/** Time of a whole in tiles over the CPU of a sample per megapixel: two tiles are encoded and decoded at once (mosaic of 24 megapixels: 490 of 857 ms). */
const TILED_TIME = 0.57

/**
 * Share of the bytes that another encode must be expected to save, by score: a level is 4 to 8 % of them. At medium searches from 4.5 % on take 0.90 of the
 * full encodes of those from 3 % on, for 1.003 of the bytes: 4 of 68 photographs end one level higher. At high, searches from 4 % on end at 1.042 of the
 * smallest file at worst; these end at 1.021, for 1.17 times the full encodes (19 photographs).
 * `tiled` is for large images, whose whole misses the setting of the sample by a step: a third of the sample's encodes is left out.
 */
const SAVINGS: Readonly<Record<'usual' | 'tiled', Curve>> = {
  usual: [
    [55, 0.03],
    [70, 0.045],
    [85, 0.02],
  ],
  tiled: [
    [0, 2 * MIN_SAVING],
    [100, 2 * MIN_SAVING],
  ],
}

export const avifEncoderFor = (request: SearchRequest): QualityEncoder => {
  const { pixels, features, effort } = request
  const count = pixels.width * pixels.height
  const efforts = effort === 'more' ? [MORE, ...EFFORTS] : EFFORTS
  const usual = efforts.find(({ maxPixels }) => count <= maxPixels)!
  const effortOf = effortsWithin(request)
  const saving = isSampled(pixels) ? {} : { minSaving: SAVINGS.usual }
  const whole = isTiled(pixels, usual.effort) ? { wholeTime: TILED_TIME, canDrop: true, minSaving: SAVINGS.tiled } : {}
  if (!isMostlyFlat(features)) return { ...encoderOfPhotographs(usual, effortOf), ...saving, ...whole }
  return { ...encoderOfDrawings(usual, effortOf, count <= DRAWING_EFFORT.maxPixels), ...saving }
}

/** Of lossless files, where more effort gains little. */
const LOSSLESS_EFFORT = 2

async function* search(request: SearchRequest): AsyncGenerator<Candidate> {
  if (request.wanted.kind === 'score') {
    const pixels = withoutHiddenColours(request.pixels, isMostlyFlat(request.features))
    return yield* searchLossy(avifEncoderFor(request), { ...request, pixels })
  }
  const bytes = await fromPixels(request.pixels).avif({ lossless: true, effort: LOSSLESS_EFFORT }).toBuffer()
  request.encoded()
  yield { kind: 'candidate', format: 'avif', bytes, examined: IDENTICAL, lossless: true }
}

export const avif: StillCodec = { format: 'avif', search }
