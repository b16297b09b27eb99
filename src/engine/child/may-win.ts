import type { StillFormat } from '../../core/image.ts'
import { lazily } from '../../core/lazily.ts'
import type { Candidate, SearchRequest } from '../../formats/format.ts'
import { CODECS } from '../../formats/registry.ts'
import { minJpegBytes } from '../../plan/min-jpeg-bytes.ts'
import { selectBusyBlocks } from '../../raster/busy-blocks.ts'

/** Images with at least this many pixels are tried on a part before the whole is searched. */
const LARGE = 1e6
/** Pixels of that part. */
const PART = 3e5
/** A format whose part exceeds the best file by this factor is not searched; parts err by a tenth. */
const HOPELESS = 1.3
/** Bytes of formats that hold a JPEG's coefficients, relative to the JPEG. */
const SHARES: Partial<Record<StillFormat, number>> = { jpeg: 1, jxl: 0.88 }
/** Estimates below this share of another's are likely smaller. */
const LIKELY = 0.9

/**
 * Estimated bytes of the smallest JPEG that meets the target: those of an image's busy blocks scaled to the whole, and the
 * minimum for its quiet ones. undefined if that gives no estimate.
 */
const estimate = async (request: SearchRequest): Promise<number | undefined> => {
  const { pixels } = request
  const blocks = selectBusyBlocks(pixels, PART)
  if (blocks === undefined) return undefined
  using part = request.examinePart(blocks.pixels, blocks.busy)
  const found: Candidate[] = []
  const beat = (): number => Number.POSITIVE_INFINITY
  const search = CODECS.jpeg.search({
    ...request,
    ...part,
    pixels: blocks.pixels,
    beat,
    encoded: () => undefined,
  })
  for await (const candidate of search) if (candidate.examined?.keeps === true) found.push(candidate)
  if (found.length === 0) return undefined
  const bytes = Math.min(...found.map((candidate) => candidate.bytes.length))
  const ofBusy = (bytes * blocks.busy * pixels.width * pixels.height) / (blocks.pixels.width * blocks.pixels.height)
  return ofBusy + (1 - blocks.busy) * minJpegBytes(pixels, request.features.grey)
}

/** Predictions of the sizes of formats. */
export interface Odds {
  /** Whether a format may still be smaller than the best file. Formats that certainly are not, or for a large image by far, are not searched. */
  readonly mayWin: (format: StillFormat) => Promise<boolean>
  /** Whether a part of a large image predicts that a format is smaller than that. */
  readonly isLikelyBelow: (format: StillFormat, bytes: () => number) => Promise<boolean>
}

/** Opens the predictions for one image. Each is computed once. */
export const openOdds = (request: SearchRequest): Odds => {
  const { pixels, features, wanted } = request
  const isLarge = pixels.width * pixels.height >= LARGE && wanted.kind === 'score'
  const priceOfJpeg = lazily(() => (isLarge ? estimate(request) : Promise.resolve(undefined)))
  return {
    mayWin: async (format) => {
      const best = request.beat()
      const share = SHARES[format]
      if (share === undefined || !Number.isFinite(best)) return true
      if (minJpegBytes(pixels, features.grey) * share >= best) return false
      return ((await priceOfJpeg()) ?? 0) * share <= best * HOPELESS
    },
    isLikelyBelow: async (format, bytes) => {
      const share = SHARES[format]
      if (share === undefined || !isLarge) return false
      const most = (bytes() * LIKELY) / share
      if (minJpegBytes(pixels, features.grey) >= most) return false
      const price = await priceOfJpeg()
      return price !== undefined && price < most
    },
  }
}
