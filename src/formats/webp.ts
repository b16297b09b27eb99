import type { WebpOptions } from 'sharp'
import type { BoundName } from '../plan/promise.ts'
import { fromPixels } from '../raster/raw.ts'
import { type Curve, valueAt } from '../search/curve.ts'
import { bindingConstraint, type Margins } from '../search/margins.ts'
import type { Candidate, SearchRequest, Step, StillCodec } from './format.ts'
import { withLowerSetting } from './lower-setting.ts'
import { type QualityEffort, type QualityEncoder, shifted } from './quality-encoder.ts'
import { searchLossy } from './quality-on-sample.ts'
import { isSampled } from './sample/sample.ts'
import { isSmooth } from './smooth.ts'
import { withSmallestAlpha } from './webp-alpha.ts'
import { encodeExact, searchLossless } from './webp-lossless.ts'

/** On 10 photographs. */
const RISE: Curve = [
  [45, 0.03],
  [57, 0.035],
  [70, 0.055],
  [85, 0.11],
]
/**
 * Points by which sharp chroma raises the margins of the score and of contours, by setting: medians of 14 photographs. Around it
 * they have a standard deviation of 1.8 points at medium and of 1.5 at high. Of the margins of chroma halved chroma predicts nothing.
 */
const SHARP_GAIN: Curve = [
  [46, 0],
  [80, 1],
  [92, 1.6],
]

/**
 * Bytes and CPU at equal quality, relative to effort 4 (`npm run bench:efforts`, 7 photographs, all bounds of medium). Effort 5 takes
 * 0.96 of the bytes and 1.11 of the CPU; with sharp chroma 0.90 and 2.07. Effort 6 with it takes 0.88 and 3.17.
 */
const EFFORT = 5
/** Effort 6 takes 0.97 to 0.98 of the bytes of effort 5 for 2 times the CPU, and with sharp chroma 0.98 for 1.5 times (`npm run bench:efforts`). */
const MORE = { effort: 6, plainCost: 2, sharpCost: 1.5 } as const

/** Effort 2 takes 1.02 to 1.06 of the bytes of effort 5 and 0.4 of its CPU, at the same margins within 1.3 points (14 photographs). */
const DRAFT: QualityEffort = {
  encode: withLowerSetting((pixels, quality) => fromPixels(pixels).webp({ quality, effort: 2 }).toBuffer()),
  msPerMegapixel: 235,
}

type Preset = NonNullable<WebpOptions['preset']>

/** The encodes without and with sharp chroma. */
interface Encodes {
  readonly plain: QualityEffort
  readonly sharp: QualityEffort
}

/** The encodes under one of libwebp's presets, at the usual effort and with more. */
const effortsOf = (preset: Preset): { readonly usual: Encodes; readonly more: Encodes } => {
  const effortWith = (effort: number, options: WebpOptions, msPerMegapixel: number): QualityEffort => ({
    encode: withLowerSetting((pixels, quality) =>
      fromPixels(pixels)
        .webp({ quality, effort, preset, ...options })
        .toBuffer(),
    ),
    msPerMegapixel,
  })
  const sharp: WebpOptions = { smartSubsample: true }
  return {
    usual: { plain: effortWith(EFFORT, {}, 350), sharp: effortWith(EFFORT, sharp, 560) },
    more: {
      plain: effortWith(MORE.effort, {}, 350 * MORE.plainCost),
      sharp: effortWith(MORE.effort, sharp, 560 * MORE.sharpCost),
    },
  }
}

/** How images of a kind are encoded, and their median score by setting, with what Butteraugli, contours and tile colours count for. */
interface Kind extends ReturnType<typeof effortsOf> {
  readonly curve: Curve
}

/** Curve of 14 photographs at effort 5; from 80 on with sharp chroma. */
const USUAL: Kind = {
  ...effortsOf('default'),
  curve: [
    [5, 22],
    [30, 50.5],
    [38, 55.2],
    [46, 59],
    [60, 64],
    [72, 67.8],
    [80, 73],
    [87, 80],
    [92, 86.3],
    [97, 90],
    [100, 93],
  ],
}
/**
 * Moves bits from busy segments to quiet ones and filters less: of smooth photographs it saves 3.5 % at medium, 4 % at low and 2 % at high, of busy
 * ones it costs as much (14 photographs, all bounds kept). The curve is that of 9 of them.
 */
const SMOOTH: Kind = {
  ...effortsOf('photo'),
  curve: [
    [5, 15],
    [30, 48],
    [38, 52.5],
    [46, 57.3],
    [54, 61.5],
    [62, 64],
    [70, 67],
    [78, 71.2],
    [86, 79],
    [92, 86],
    [100, 92],
  ],
}
/** Chroma of half size shows at goals from this score on. */
const SHARP_FROM = 80
/** Points by which chroma must bind before other bounds: below that sharp chroma takes as many bytes for twice the CPU. */
const CHROMA_LEAD = 2
const bindsByChroma = ({
  ssimulacra = Number.POSITIVE_INFINITY,
  contour = Number.POSITIVE_INFINITY,
  tileColour = Number.POSITIVE_INFINITY,
  butteraugli3 = Number.POSITIVE_INFINITY,
}: Margins<BoundName>): boolean => Math.min(tileColour, butteraugli3) + CHROMA_LEAD < Math.min(ssimulacra, contour)

const encoderOf = ({ plain, sharp }: Encodes, curve: Curve): QualityEncoder => ({
  format: 'webp',
  axis: { min: 1, max: 100, step: 1 },
  curve,
  rise: RISE,
  draft: DRAFT,
  expected: ({ setting, effort, margins }, wanted) => {
    if (wanted !== sharp || effort === sharp) return margins
    const { ssimulacra, contour } = shifted(margins, valueAt(SHARP_GAIN, setting))
    return { ...(ssimulacra === undefined ? {} : { ssimulacra }), ...(contour === undefined ? {} : { contour }) }
  },
  full: (goal, measured) => (goal >= SHARP_FROM || measured.some(bindsByChroma) ? sharp : plain),
})

/**
 * Of large images: effort 2 takes 41 ms of CPU per megapixel, effort 5 106, and 228 with sharp chroma. A mosaic of photographs of 12 megapixels
 * takes 0.77 of the bytes of effort 5 with sharp chroma, all bounds of medium kept: effort 2 alters small areas less.
 */
const largeEncoder = ({ sharp }: Encodes): QualityEncoder => ({
  ...encoderOf({ plain: DRAFT, sharp }, USUAL.curve),
  full: (goal) => (goal >= SHARP_FROM ? sharp : DRAFT),
  finest: sharp,
})

/** The encoder that suits an image. */
const encoderFor = async ({ pixels, effort }: SearchRequest): Promise<QualityEncoder> => {
  if (isSampled(pixels)) return largeEncoder(USUAL[effort ?? 'usual'])
  const kind = (await isSmooth(pixels)) ? SMOOTH : USUAL
  return encoderOf(kind[effort ?? 'usual'], kind.curve)
}

/** A file without loss may take this much of the nearest lossy one where none keeps the promise and no other format is accepted. */
const WITHOUT_LOSS = 1.25

async function* search(request: SearchRequest): AsyncGenerator<Step> {
  if (request.wanted.kind === 'lossless') return yield await encodeExact(request, true)
  const encoder = await encoderFor(request)
  let nearest: Candidate | undefined
  for await (const candidate of searchLossy(encoder, request)) {
    nearest = nearerOf(nearest, candidate)
    yield candidate
  }
  if (nearest !== undefined) yield* stored(request, nearest)
  const limit = (): number => {
    const beat = request.beat()
    if (Number.isFinite(beat) || !request.alone || nearest === undefined) return beat
    return nearest.bytes.length * WITHOUT_LOSS
  }
  yield* searchLossless(request, limit)
}

/** A candidate once more with its transparency in fewer bytes: its pixels stay. */
async function* stored({ pixels, deadline }: SearchRequest, candidate: Candidate): AsyncGenerator<Candidate> {
  if (deadline.signal.aborted) return
  const bytes = await withSmallestAlpha(pixels, candidate.bytes)
  if (bytes !== undefined && bytes.length < candidate.bytes.length) yield { ...candidate, bytes }
}

const marginOf = ({ examined }: Candidate): number =>
  examined === undefined ? Number.NEGATIVE_INFINITY : (bindingConstraint(examined.margins)?.margin ?? 0)

const isKept = ({ examined }: Candidate): boolean => examined?.keeps === true

/** The smaller of two candidates that keep the promise, else the one that is nearer to the bound that it breaks most. */
const nearerOf = (one: Candidate | undefined, other: Candidate): Candidate => {
  if (one === undefined) return other
  if (isKept(one) && isKept(other)) return other.bytes.length < one.bytes.length ? other : one
  return marginOf(other) > marginOf(one) ? other : one
}

export const webp: StillCodec = { format: 'webp', search }
