import type { WebpOptions } from 'sharp'
import type { Raster } from '../core/image.ts'
import { VP8, WEBP } from '../core/webp-numbers.ts'
import type { BoundName } from '../plan/promise.ts'
import { isPhotograph } from '../plan/shortlist.ts'
import { fromPixels } from '../raster/raw.ts'
import { hasTimeFor } from '../search/budget.ts'
import { type Curve, clamp, inverse, valueAt } from '../search/curve.ts'
import { bindingConstraint, type Margins } from '../search/margins.ts'
import { decodeWebp } from './decode-webp.ts'
import type { Candidate, SearchRequest, Step, StillCodec } from './format.ts'
import { forHalvedChroma } from './halved-chroma.ts'
import { withLowerSetting } from './lower-setting.ts'
import type { QualityEffort, QualityEncoder } from './quality-encoder.ts'
import { searchLossy } from './quality-on-sample.ts'
import { isSampled } from './sample/sample.ts'
import { detailOf, isSmooth } from './smooth.ts'
import { hasSourceBlocks } from './source-blocks.ts'
import { ALPHA_QUALITIES, findAlphaQuality, withSmallestAlpha } from './webp-alpha.ts'
import { type LoopFilter, setLoopFilter } from './webp-filter.ts'
import { encodeExact, type LosslessLimits, searchLossless, searchLosslessInHaste } from './webp-lossless.ts'

/** Medians of 52 photographs of 0.1 to 0.9 megapixels. */
const RISE: Curve = [
  [55, 0.031],
  [70, 0.04],
  [80, 0.05],
  [85, 0.07],
]

/**
 * Sharpness of the loop filter. 7 smooths only what is nearly flat and saves bytes of photographs; 0 smooths stairs of 4 px in drawn gradients.
 * `blocks`: the source's own, which libwebp's filter smooths away, from the goal `blocksFrom` on. Below, it smooths libwebp's blocks too. Measured,
 * lab/search.md: "WebP by its quantiser", "Stairs of 4 px in drawn gradients as WebP", "The loop filter and the blocks of a JPEG".
 */
const FILTER = { photograph: 7, drawing: 0, blocks: 'off', blocksFrom: 62 } as const

const filterFor = ({ pixels, features, wanted }: SearchRequest): LoopFilter => {
  if (wanted.kind === 'score' && wanted.goal.score >= FILTER.blocksFrom && hasSourceBlocks(pixels)) return FILTER.blocks
  return FILTER[isPhotograph(features, pixels) ? 'photograph' : 'drawing']
}

interface Encoding extends WebpOptions {
  readonly filter: LoopFilter
}

/** Encodes by libwebp, without the correction for halved chroma. */
const encodeBy = async (pixels: Raster, { filter, ...options }: Encoding): Promise<Uint8Array> =>
  setLoopFilter(await fromPixels(pixels).webp(options).toBuffer(), filter)

/** An encode of pixels that are prepared for the chroma that libwebp halves, without `faint` detail. */
const effortOf = (options: Encoding, msPerMegapixel: number, faint = 0): QualityEffort => ({
  encode: withLowerSetting((pixels, setting) =>
    setting > WEBP.finestQuality
      ? encodeBy(pixels, { quality: WEBP.finestQuality, smartSubsample: true, ...options })
      : encodeBy(forHalvedChroma(pixels, faint), { quality: setting, ...options }),
  ),
  msPerMegapixel,
})

/** Effort 2 takes 1.02 to 1.06 of the bytes of effort 5 and 0.4 of its CPU, at the same margins within 1.3 points (14 photographs). */
const draftOf = (options: Encoding): QualityEffort => ({
  encode: withLowerSetting((pixels, setting) =>
    encodeBy(pixels, { quality: Math.min(setting, WEBP.finestQuality), effort: 2, ...options }),
  ),
  msPerMegapixel: 235,
})

/**
 * Full encodes. Effort 5 takes 0.96 of the bytes of effort 4 for 1.11 times its CPU; effort 6 takes 0.97 to 0.98 of those of effort 5 for twice the
 * CPU (`npm run bench:efforts`, 7 photographs). Sharp chroma takes 1.8 and 2.9 times the CPU of effort 5 (the same table, lab/search.md).
 */
const EFFORTS = {
  usual: { effort: 5, msPerMegapixel: 350, sharpMsPerMegapixel: 560 },
  more: { effort: 6, msPerMegapixel: 700, sharpMsPerMegapixel: 1000 },
} as const

/**
 * libwebp's preset for smooth images moves bits from busy segments to quiet ones and filters less. Of smooth photographs it saves 3.5 % at medium,
 * 4 % at low; of busy ones it costs as much (14 photographs, all bounds kept). At high it costs 2 % of smooth ones (24 photographs).
 */
const PRESETS = { smooth: 'photo', busy: 'default' } as const

const fullEffort = (effort: SearchRequest['effort'], options: Encoding, faint = 0): QualityEffort => {
  const { effort: own, msPerMegapixel } = EFFORTS[effort ?? 'usual']
  return effortOf({ effort: own, ...options }, msPerMegapixel, faint)
}

/** The index of the quantiser that libwebp's `QualityToCompression` gives a quality. */
const quantiserOf = (quality: number): number => {
  const share = quality / WEBP.finestQuality
  return VP8.maxIndex * (1 - Math.cbrt(share < 0.75 ? share / 1.5 : 2 * share - 1))
}

/**
 * The median score, with what Butteraugli, contours and tile colours count for. It falls with the quantiser's index and with every e times the
 * megapixels, and rises with every e times the bytes a pixel of the fast JPEG (`smooth.ts`). Fitted to 82 photographs (PNG and JPEG) where they meet
 * the bounds of low, medium and high, and a goal of 80: standard deviations of 3.9, 2.9, 2.1 and 1.8.
 */
const SCORE = { finest: 98.6, byQuantiser: -0.75, byDetail: 4.2, byMegapixels: -1.5 } as const
/** Most of these photographs: bytes a pixel of that JPEG, and megapixels. */
const FITTED = { detail: { min: 0.06, usual: 0.15, max: 0.33 }, megapixels: { usual: 0.4, max: 2 } } as const
/** Settings between which the score is nearly straight; at 75 its slope changes. */
const KNOTS = [1, 5, 10, 20, 35, 50, 65, 75, 80, 85, 90, 95, 100]

/** The median score by setting for an image of this detail. */
const curveFor = ({ width, height }: Raster, detail: number): Curve => {
  const megapixels = Math.min(FITTED.megapixels.max, (width * height) / 1e6) / FITTED.megapixels.usual
  const top =
    SCORE.finest +
    SCORE.byDetail * Math.log(clamp(detail, FITTED.detail.min, FITTED.detail.max)) +
    SCORE.byMegapixels * Math.log(megapixels)
  return KNOTS.map((setting) => [setting, top + SCORE.byQuantiser * quantiserOf(setting)] as const)
}

/**
 * Detail that is taken away by the quantiser's step beyond `shownUpTo`, in sample values. Bytes where all bounds are just kept: 0.969 of those with all
 * detail at low (15 photographs), 0.988 at medium (the 15 of `photo-png`; 18 JPEGs: 0.995). At high, whose steps are 8 to 18, any of it costs 1 to 3 %.
 */
const FAINT = { perStep: 1.1, shownUpTo: 13 } as const

/** Points of score for each unit of amplitude up to which detail is taken away: means of 30 photographs at low and medium. */
const SCORE_BY_FAINT = -0.022

/** The amplitude up to which detail of the highest frequency is taken away, for the quantiser with which most images of this curve reach the goal. */
const faintFor = (wanted: SearchRequest['wanted'], curve: Curve): number => {
  if (wanted.kind === 'lossless') return 0
  const step = valueAt(VP8.acSteps, quantiserOf(valueAt(inverse(curve), wanted.goal.score)))
  return FAINT.perStep * Math.max(0, step - FAINT.shownUpTo)
}

/** The curve of pixels without detail up to an amplitude. */
const lowered = (curve: Curve, faint: number): Curve =>
  curve.map(([setting, score]) => [setting, score + SCORE_BY_FAINT * faint] as const)

interface Efforts {
  readonly curve: Curve
  readonly minSaving?: Curve
  readonly full: QualityEncoder['full']
  readonly expected?: QualityEncoder['expected']
  readonly finest?: QualityEffort
  readonly tileNoise?: number
  /** Options of every encode, drafts too. */
  readonly options: Shared
}

interface Shared extends Encoding {
  readonly alphaQuality: number
}

interface WebpEncoder extends QualityEncoder {
  /** libwebp's quality of transparency, 0..100. */
  readonly alphaQuality: number
}

const encoderOf = ({ options, ...efforts }: Efforts): WebpEncoder => ({
  format: 'webp',
  // One more than the finest stands for it with libwebp's own sharp chroma: of a drawing with thin strokes it scores 0.3 points more.
  axis: { min: 1, max: WEBP.finestQuality + 1, step: 1 },
  rise: RISE,
  draft: draftOf(options),
  decode: decodeWebp,
  expected: ({ margins }) => margins,
  alphaQuality: options.alphaQuality,
  ...efforts,
})

/** The goal from which large images are encoded like others. */
const FULL_FROM = 80
/**
 * Of large images. On 7 photographs of 4.3 to 12 megapixels (medium, all bounds kept) it takes 0.96 of the bytes and 0.5 of the CPU of a search
 * at effort 5 with sharp chroma.
 */
const quickOf = (options: Shared): QualityEffort => effortOf({ effort: 2, ...options }, 300)
/** libwebp's own sharp chroma: it keeps bounds of colours that corrected pixels break at every setting. */
const sharpOf = (options: Shared, requested?: SearchRequest['effort']): QualityEffort => {
  const { effort, sharpMsPerMegapixel } = EFFORTS[requested ?? 'usual']
  return {
    encode: withLowerSetting((pixels, setting) =>
      encodeBy(pixels, { quality: Math.min(setting, WEBP.finestQuality), effort, smartSubsample: true, ...options }),
    ),
    msPerMegapixel: sharpMsPerMegapixel,
  }
}

/** The bounds that break where saturated edges lose their colour. */
const BOUNDS_OF_CHROMA = ['butteraugli3', 'tileColour'] as const satisfies readonly BoundName[]
/**
 * Points by which one of them must bind before the score, for sharp chroma: corrected pixels then keep it at far finer settings or at none. Bytes of 69
 * photographs: 0.983 at low, 0.979 at medium, 0.991 at high; one of 640 x 480 px takes 0.42 at medium.
 */
const CHROMA_LEAD = 2
const losesChroma = ({ ssimulacra = -1, ...margins }: Margins<BoundName>): boolean =>
  ssimulacra >= 0 &&
  BOUNDS_OF_CHROMA.some((bound) => {
    const margin = margins[bound] ?? 0
    return margin < 0 && ssimulacra - margin > CHROMA_LEAD
  })

/** Margins of another effort, without those of colours. */
const withoutChroma = (margins: Margins<BoundName>): Margins<BoundName> => {
  const { butteraugli3: _, tileColour: __, ...others } = margins
  return others
}

const largeEncoder = (curve: Curve, options: Shared, effort: SearchRequest['effort']): WebpEncoder => {
  const [usual, quick] = [fullEffort(effort, options), quickOf(options)]
  return encoderOf({
    curve,
    // Neighbouring settings differ by one to two points of noise. With 1 four of 12 images take 0.89 to 0.97 of the bytes with 2.
    tileNoise: 1,
    finest: sharpOf(options),
    full: (goal) => (goal >= FULL_FROM ? usual : quick),
    options,
  })
}

/**
 * Share of the bytes that another encode must be expected to save, by score. Searches of 79 photographs at medium take 1, 0.996 and 0.992 of the
 * bytes with 6, 5 and 4 %, in 2.01, 2.11 and 2.25 encodes. At low 6 % would leave 5 %, and at high 8 % left a third of one of six.
 */
const MIN_SAVINGS: Readonly<Record<'usual' | 'more', Curve>> = {
  usual: [
    [45, 0.03],
    [55, 0.03],
    [70, 0.05],
    [80, 0.06],
    [85, 0.06],
  ],
  more: [
    [45, 0.02],
    [85, 0.02],
  ],
}

/** The quality of transparency that suits an image: a full encode near its bounds shows it. */
const alphaQualityFor = async (request: SearchRequest, curve: Curve, full: QualityEffort): Promise<number> => {
  const { pixels, wanted, effort } = request
  if (pixels.channels === 3 || wanted.kind === 'lossless') return WEBP.finestQuality
  // Twice the time of these trials, so that as much is left for the search.
  const ms = 2 * ALPHA_QUALITIES.length * ((pixels.width * pixels.height) / 1e6) * full.msPerMegapixel
  if (!hasTimeFor(request, request.pace.expected(ms))) return WEBP.finestQuality
  const goal = wanted.goal.score
  return findAlphaQuality(request, {
    file: await full.encode(pixels, Math.round(valueAt(inverse(curve), goal))),
    effort: EFFORTS.usual.effort,
    rise: valueAt(RISE, goal),
    minSaving: valueAt(MIN_SAVINGS[effort ?? 'usual'], goal),
  })
}

/** The encoder that suits an image. */
export const webpEncoderFor = async (request: SearchRequest): Promise<WebpEncoder> => {
  const { pixels, effort, wanted, features } = request
  const { grey } = features
  const filter = filterFor(request)
  if (isSampled(pixels)) {
    const options = { filter, alphaQuality: WEBP.finestQuality }
    return largeEncoder(curveFor(pixels, FITTED.detail.usual), options, effort)
  }
  const detail = await detailOf(pixels)
  const whole = curveFor(pixels, detail)
  const faint = faintFor(wanted, whole)
  const curve = lowered(whole, faint)
  const preset = isSmooth(detail) && faint > 0 ? PRESETS.smooth : PRESETS.busy
  const fullBy = (options: Encoding) => fullEffort(effort, { preset, ...options }, faint)
  const options = { filter, alphaQuality: await alphaQualityFor(request, curve, fullBy({ filter })) }
  const [full, sharp] = [fullBy(options), sharpOf(options, effort)]
  return encoderOf({
    curve,
    full: (_, measured) => (!grey && measured.some(losesChroma) ? sharp : full),
    expected: (trial, wanted) =>
      wanted === sharp && trial.effort !== sharp ? withoutChroma(trial.margins) : trial.margins,
    minSaving: MIN_SAVINGS[effort ?? 'usual'],
    options,
  })
}

/**
 * Bytes over those of the nearest lossy file, where none keeps the promise and no other format is accepted: of a file without loss; of a palette, few
 * levels or a nearly lossless file. Of four thumbnails at high these take 1.5 to 1.9, where lossy files have scores of 73 to 83 instead of 85.
 */
const MAX_BYTES: Readonly<Record<keyof LosslessLimits, number>> = { exact: 1.25, reduced: 2 }

async function* search(request: SearchRequest): AsyncGenerator<Step> {
  if (request.wanted.kind === 'lossless') return yield await encodeExact(request, true)
  yield* searchLosslessInHaste(request)
  const encoder = await webpEncoderFor(request)
  let nearest: Candidate | undefined
  for await (const candidate of searchLossy(encoder, request)) {
    nearest = nearerOf(nearest, candidate)
    yield candidate
  }
  if (nearest !== undefined) yield* stored(request, nearest, encoder.alphaQuality)
  const limitOf = (kind: keyof LosslessLimits) => (): number => {
    const bytes = request.bytesToBeat()
    if (Number.isFinite(bytes) || !request.alone || nearest === undefined) return bytes
    return nearest.bytes.length * MAX_BYTES[kind]
  }
  yield* searchLossless(request, { exact: limitOf('exact'), reduced: limitOf('reduced') })
}

/** A candidate once more with the same levels of transparency in fewer bytes: its pixels stay. */
async function* stored(
  { pixels, deadline }: SearchRequest,
  candidate: Candidate,
  alphaQuality: number,
): AsyncGenerator<Candidate> {
  if (deadline.signal.aborted) return
  const bytes = await withSmallestAlpha(pixels, candidate.bytes, alphaQuality)
  if (bytes !== undefined && bytes.length < candidate.bytes.length) yield { ...candidate, bytes }
}

/** The smallest margin of a candidate of which every bound was measured. */
const marginOf = ({ examined }: Candidate): number =>
  examined?.butteraugli === undefined ? Number.NEGATIVE_INFINITY : (bindingConstraint(examined.margins)?.margin ?? 0)

const isKept = ({ examined }: Candidate): boolean => examined?.keeps === true

/** The smaller of two candidates that keep the promise, else the one that is nearer to the bound that it breaks most. */
const nearerOf = (one: Candidate | undefined, other: Candidate): Candidate => {
  if (one === undefined) return other
  if (isKept(one) && isKept(other)) return other.bytes.length < one.bytes.length ? other : one
  return marginOf(other) > marginOf(one) ? other : one
}

export const webp: StillCodec = { format: 'webp', search }
