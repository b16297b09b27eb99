import type { Raster, StillFormat } from '../core/image.ts'
import { fromPixels, toPixels } from '../raster/raw.ts'
import { expectedMs, hasTimeFor } from '../search/budget.ts'
import type { Curve } from '../search/curve.ts'
import type { Candidate, SearchRequest, Step, StillCodec } from './format.ts'
import { estimates } from './jpeg-estimate.ts'
import { largeJpeg } from './jpeg-large.ts'
import { type JpegForm, searchOwn } from './jpeg-own.ts'
import type { QualityEncoder } from './quality-encoder.ts'
import { quickest } from './quality-search.ts'
import { isSampled } from './sample/sample.ts'
import { searchSampled } from './sampled-search.ts'

/** Median SSIMULACRA 2.1 by setting of sharp's mozjpeg with table 5, over 14 photographs of the corpus. Plain encodes were not measured. */
const CURVE: Curve = [
  [17.5, 30],
  [27, 45],
  [37.5, 55],
  [49, 62],
  [66.5, 70],
  [76, 75],
  [85, 80],
  [91.5, 85],
  [97, 90],
]
/** Rise of the natural logarithm of its bytes per point. */
const RISE: Curve = [
  [55, 0.035],
  [85, 0.06],
]

const encode = (pixels: Raster, quality: number): Promise<Uint8Array> => fromPixels(pixels).jpeg({ quality }).toBuffer()
const DRAFT = { encode, msPerMegapixel: 100 }
/** For a quick file: it is never searched. */
const SHARP: QualityEncoder = {
  format: 'jpeg',
  axis: { min: 1, max: 100, step: 1 },
  curve: CURVE,
  rise: RISE,
  draft: DRAFT,
  expected: ({ margins }) => margins,
  full: () => DRAFT,
}

/** Another encoder's JPEG in this form, measured on the pixels that the form decodes to. */
const inForm = async (form: JpegForm, request: SearchRequest, candidate: Candidate): Promise<Candidate> => {
  if (form.coefficients === undefined) return candidate
  const bytes = form.fromJpeg(candidate.bytes)
  const examined = request.examine(await form.pixelsOf(bytes))
  return { kind: 'candidate', format: form.format, bytes, examined, lossless: false }
}

/** Searches the image itself; yields a quick file first where time is short. */
async function* searchWhole(
  form: JpegForm,
  request: SearchRequest,
  quick: () => AsyncGenerator<Candidate>,
): AsyncGenerator<Candidate> {
  const { pixels, deadline } = request
  if (!hasTimeFor(request, expectedMs('jpeg-search', pixels))) yield* quick()
  const searchDeadline = {
    remaining: () => deadline.remaining() - expectedMs('jpeg-entropy-coding', pixels),
    signal: deadline.signal,
  }
  for await (const { candidate } of searchOwn(form, request, searchDeadline)) yield candidate
  if (searchDeadline.remaining() <= 0) request.outOfTime()
}

/** Our own encoder; large images are searched on a sample. */
async function* searchAs(form: JpegForm, request: SearchRequest): AsyncGenerator<Step> {
  const { pixels, wanted } = request
  if (wanted.kind === 'lossless') return
  const { score } = wanted.goal
  // Estimates choose between formats: a large image whose only format is JPEG needs none.
  if (!request.alone || !isSampled(pixels)) yield* estimates(form, request)
  async function* quick(): AsyncGenerator<Candidate> {
    for await (const candidate of quickest(SHARP, request, score)) {
      yield await inForm(form, request, candidate)
      // Its own form has been measured.
      if (form.coefficients !== undefined) return
    }
  }
  if (isSampled(pixels)) yield* searchSampled(request, largeJpeg(form, request, quick))
  else yield* searchWhole(form, request, quick)
}

const AS_JPEG: JpegForm = { format: 'jpeg', fromJpeg: (jpeg) => jpeg, pixelsOf: toPixels, minShare: 1 }

/** The codec of a format that holds what the JPEG search finds; each search has a form of its own. */
export const codecOf = (format: StillFormat, openForm: () => JpegForm): StillCodec => ({
  format,
  search: (request) => searchAs(openForm(), request),
})

export const jpeg: StillCodec = codecOf('jpeg', () => AS_JPEG)
