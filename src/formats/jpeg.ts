import type { AnyRaster, Raster } from '../core/image.ts'
import { CLOSED_LOOP_PIXELS, goalInFull, searchJpeg } from '../jpeg/search/closed-loop.ts'
import type { JpegGoal } from '../jpeg/search/goal.ts'
import type { Reference } from '../jpeg/search/trial.ts'
import type { Axis } from '../plan/probe.ts'
import { fromPixels, toPixels } from '../raster/raw.ts'
import type { Candidate, Examined, SearchRequest, StillCodec } from './format.ts'
import { type QualityEncoder, quickest, searchQuality } from './quality-search.ts'

/** Median setting of sharp's mozjpeg with table 5 over 14 photographs of the corpus by score; measured by `bench/curves.ts`. */
const AXIS: Axis = {
  min: 1,
  max: 100,
  step: 1,
  curve: [
    [30, 17.5],
    [45, 27],
    [55, 37.5],
    [62, 49],
    [70, 66.5],
    [75, 76],
    [80, 85],
    [85, 91.5],
    [90, 97],
  ],
}

/** 4:2:0 wins up to about 88 in score; from there chroma detail costs less than luma. */
const FULL_CHROMA_FROM = 94
/** Drawings of no more colours than this are tried with full chroma too. */
const FEW_COLOURS = 256

const encode = (pixels: Raster, quality: number): Promise<Uint8Array> =>
  fromPixels(pixels)
    .jpeg({
      quality,
      mozjpeg: true,
      quantisationTable: 5,
      chromaSubsampling: quality >= FULL_CHROMA_FROM ? '4:4:4' : '4:2:0',
    })
    .toBuffer()

const fast = (pixels: Raster, quality: number): Promise<Uint8Array> => fromPixels(pixels).jpeg({ quality }).toBuffer()
const SHARP: QualityEncoder = { format: 'jpeg', axis: AXIS, encode, draft: fast, msPerMegapixel: 400 }

const megapixels = ({ width, height }: Raster): number => (width * height) / 1e6
/** ms per megapixel on a slow core (twice what was measured here): of a whole search with both chromas, and of the entropy coding that ends it. */
const SEARCH_MS = 500
const FINISH_MS = 100

/** Stands for a distance that was not worked out, because the score alone fails. */
const HOPELESSLY_FAR = 100

/** A request's metrics as the search asks for them, and all that was examined, in the order of its comparisons. */
const referenceOf = (
  request: Pick<SearchRequest, 'examine' | 'places' | 'similarity'>,
): { readonly reference: Reference; readonly examined: readonly Examined[] } => {
  const examined: Examined[] = []
  const butteraugli = (shown: AnyRaster): number => {
    examined.push(request.examine(shown))
    return examined.at(-1)!.distance ?? HOPELESSLY_FAR
  }
  return { reference: { compare: request.similarity, places: request.places, butteraugli }, examined }
}

/** One search, whose trials show what every decoder makes of the file to the last bit: what was examined of them is not worked out again. */
const searchOnce = async (request: SearchRequest, goal: JpegGoal) => {
  const { reference, examined } = referenceOf(request)
  const found = searchJpeg(request.pixels, reference, goal)
  if (found === undefined) return undefined
  request.encoded()
  const { bytes, comparison } = found
  const known = comparison === undefined ? request.examine(await toPixels(bytes)) : examined[comparison]!
  return { found, candidate: { format: 'jpeg', bytes, examined: known, lossless: false } satisfies Candidate }
}

/** Our own encoder, closed over the metric: 4:2:0 first, full chroma where that misses the goal or may be smaller. */
async function* search(request: SearchRequest): AsyncGenerator<Candidate> {
  const { pixels, wanted, deadline } = request
  if (wanted.kind === 'lossless') return
  if (pixels.width * pixels.height > CLOSED_LOOP_PIXELS) {
    yield* searchQuality(SHARP, request)
    return
  }
  if (megapixels(pixels) * SEARCH_MS > deadline.remaining()) yield await quickest(SHARP, request, wanted.goal.score)
  const searchDeadline = {
    remaining: () => deadline.remaining() - megapixels(pixels) * FINISH_MS,
    signal: deadline.signal,
  }
  const goal = {
    target: wanted.goal.score,
    butteraugli: request.mostButteraugli,
    deadline: searchDeadline,
    beat: request.beat(),
  }
  const usual = await searchOnce(request, { ...goal, subsampling: '4:2:0' })
  if (searchDeadline.remaining() <= 0) request.outOfTime()
  if (usual !== undefined) yield usual.candidate
  const { grey, colours } = request.features
  const next = goalInFull({ ...goal, beat: request.beat() }, usual?.found, colours <= FEW_COLOURS)
  if (grey || next === undefined) return
  const full = await searchOnce(request, next)
  if (full !== undefined) yield full.candidate
}

export const jpeg: StillCodec = { format: 'jpeg', search }
