import type { WebpOptions } from 'sharp'
import { WEBP } from '../core/webp-numbers.ts'
import { fromPixels } from '../raster/raw.ts'
import { type Curve, clamp } from '../search/curve.ts'
import { bindingConstraint } from '../search/margins.ts'
import type { Candidate, SearchRequest, Step, StillCodec } from './format.ts'
import { forHalvedChroma } from './halved-chroma.ts'
import { withLowerSetting } from './lower-setting.ts'
import type { QualityEffort, QualityEncoder } from './quality-encoder.ts'
import { searchLossy } from './quality-on-sample.ts'
import { isSampled } from './sample/sample.ts'
import { detailOf, isSmooth } from './smooth.ts'
import { withSmallestAlpha } from './webp-alpha.ts'
import { encodeExact, searchLossless } from './webp-lossless.ts'

/** On 10 photographs. */
const RISE: Curve = [
  [45, 0.03],
  [57, 0.035],
  [70, 0.055],
  [85, 0.11],
]

/** An encode of pixels that are corrected for the chroma that libwebp halves. */
const effortOf = (options: WebpOptions, msPerMegapixel: number): QualityEffort => ({
  encode: withLowerSetting((pixels, setting) =>
    setting > WEBP.finestQuality
      ? fromPixels(pixels)
          .webp({ quality: WEBP.finestQuality, smartSubsample: true, ...options })
          .toBuffer()
      : fromPixels(forHalvedChroma(pixels))
          .webp({ quality: setting, ...options })
          .toBuffer(),
  ),
  msPerMegapixel,
})

/** Effort 2 takes 1.02 to 1.06 of the bytes of effort 5 and 0.4 of its CPU, at the same margins within 1.3 points (14 photographs). */
const DRAFT: QualityEffort = {
  encode: withLowerSetting((pixels, setting) =>
    fromPixels(pixels)
      .webp({ quality: Math.min(setting, WEBP.finestQuality), effort: 2 })
      .toBuffer(),
  ),
  msPerMegapixel: 235,
}

/**
 * Full encodes. Effort 5 takes 0.96 of the bytes of effort 4 for 1.11 times its CPU; effort 6 takes 0.97 to 0.98 of those of effort 5 for twice the
 * CPU (`npm run bench:efforts`, 7 photographs).
 */
const effortsOf = (preset: NonNullable<WebpOptions['preset']>) => ({
  usual: effortOf({ effort: 5, preset }, 350),
  more: effortOf({ effort: 6, preset }, 700),
})

/** How images of a kind are encoded, and their median score by setting, with what Butteraugli, contours and tile colours count for. */
interface Kind extends ReturnType<typeof effortsOf> {
  readonly curve: Curve
  /** Bytes a pixel of the fast JPEG (`smooth.ts`) where the curve is most often right. */
  readonly detail: number
}

/** The curve is that of 25 photographs. Around it the standard deviation is 9 settings at low and medium, and 1.5 at high. */
const USUAL: Kind = {
  ...effortsOf('default'),
  detail: 0.24,
  curve: [
    [5, 27],
    [25, 50.5],
    [33, 55.2],
    [41, 59],
    [55, 64.7],
    [68, 70.2],
    [76, 74.8],
    [83.4, 80.4],
    [89.7, 85.9],
    [97, 90],
    [101, 92],
  ],
}
/**
 * Moves bits from busy segments to quiet ones and filters less. Of smooth photographs it saves 3.5 % at medium, 4 % at low and 2 % at high; of busy
 * ones it costs as much (14 photographs, all bounds kept). The curve is that of 16.
 */
const SMOOTH: Kind = {
  ...effortsOf('photo'),
  detail: 0.1,
  curve: [
    [5, 19],
    [32, 50],
    [40.5, 55.2],
    [48.5, 59.2],
    [62, 64],
    [70, 67],
    [76.5, 70.2],
    [84.8, 80.4],
    [92, 85.9],
    [101, 91],
  ],
}

/** Points by which a setting scores higher where the fast JPEG takes e times the bytes. */
const POINTS_BY_DETAIL = 4
/** Bytes a pixel of that JPEG of 39 photographs at 800 px. */
const PHOTOGRAPHS = { min: 0.06, max: 0.33 } as const

/** The curve of a kind for an image of this detail. */
const curveFor = ({ curve, detail: usual }: Kind, detail: number): Curve => {
  const points = POINTS_BY_DETAIL * Math.log(clamp(detail, PHOTOGRAPHS.min, PHOTOGRAPHS.max) / usual)
  return curve.map(([setting, score]) => [setting, score + points] as const)
}

interface Efforts {
  readonly curve: Curve
  readonly full: (goal: number) => QualityEffort
  readonly finest?: QualityEffort
}

const encoderOf = (efforts: Efforts): QualityEncoder => ({
  format: 'webp',
  // One more than the finest stands for it with libwebp's own sharp chroma: of a drawing with thin strokes it scores 0.3 points more.
  axis: { min: 1, max: WEBP.finestQuality + 1, step: 1 },
  rise: RISE,
  draft: DRAFT,
  expected: ({ margins }) => margins,
  ...efforts,
})

/** The goal from which large images are encoded like others. */
const FULL_FROM = 80
/**
 * Of large images. On 7 photographs of 4.3 to 12 megapixels (medium, all bounds kept) it takes 0.96 of the bytes and 0.5 of the CPU of a search
 * at effort 5 with sharp chroma.
 */
const LARGE = effortOf({ effort: 2 }, 300)
/** libwebp's own sharp chroma: it keeps bounds of single squares that corrected pixels break at every setting. */
const SHARP: QualityEffort = {
  encode: withLowerSetting((pixels, setting) =>
    fromPixels(pixels)
      .webp({ quality: Math.min(setting, WEBP.finestQuality), effort: 5, smartSubsample: true })
      .toBuffer(),
  ),
  msPerMegapixel: 560,
}

const largeEncoder = ({ curve }: Kind, usual: QualityEffort): QualityEncoder =>
  encoderOf({ curve, finest: SHARP, full: (goal) => (goal >= FULL_FROM ? usual : LARGE) })

/** The encoder that suits an image. */
export const webpEncoderFor = async ({
  pixels,
  effort,
}: Pick<SearchRequest, 'pixels' | 'effort'>): Promise<QualityEncoder> => {
  if (isSampled(pixels)) return largeEncoder(USUAL, USUAL[effort ?? 'usual'])
  const detail = await detailOf(pixels)
  const kind = isSmooth(detail) ? SMOOTH : USUAL
  return encoderOf({ curve: curveFor(kind, detail), full: () => kind[effort ?? 'usual'] })
}

/** A file without loss may take this much of the nearest lossy one where none keeps the promise and no other format is accepted. */
const WITHOUT_LOSS = 1.25

async function* search(request: SearchRequest): AsyncGenerator<Step> {
  if (request.wanted.kind === 'lossless') return yield await encodeExact(request, true)
  const encoder = await webpEncoderFor(request)
  let nearest: Candidate | undefined
  for await (const candidate of searchLossy(encoder, request)) {
    nearest = nearerOf(nearest, candidate)
    yield candidate
  }
  if (nearest !== undefined) yield* stored(request, nearest)
  const limit = (): number => {
    const bytes = request.bytesToBeat()
    if (Number.isFinite(bytes) || !request.alone || nearest === undefined) return bytes
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
