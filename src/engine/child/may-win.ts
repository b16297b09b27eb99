import type { StillFormat } from '../../core/image.ts'
import { lazily } from '../../core/lazily.ts'
import type { Candidate, SearchRequest } from '../../formats/format.ts'
import { CODECS } from '../../formats/registry.ts'
import { leastJpegBytes } from '../../plan/least-jpeg.ts'
import { selectBusyBlocks } from '../../raster/busy-blocks.ts'

/** From this many pixels on a format is tried on a part before the whole is searched. */
const LARGE = 1e6
/** Pixels of that part. */
const PART = 3e5
/** A format whose part comes to so many times the best file is not searched; parts err by a tenth. */
const HOPELESS = 1.3
/** One that comes to so much of what another may come to is likely to be smaller. */
const LIKELY = 0.9

/**
 * Bytes of the smallest JPEG that keeps the promise, about: those of an image's busy blocks in terms of the whole, and the fewest
 * that its quiet ones can take. Undefined where that tells nothing.
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
  return ofBusy + (1 - blocks.busy) * leastJpegBytes(pixels, request.features.grey)
}

/** How likely formats are to come to fewer bytes than others. */
export interface Odds {
  /** Whether a format may still come to fewer bytes than the best file: what certainly or, of a large image, by far cannot is not searched. */
  readonly mayWin: (format: StillFormat) => Promise<boolean>
  /** Whether a part of a large image tells that a format comes to fewer bytes than that. */
  readonly isLikelyBelow: (format: StillFormat, bytes: () => number) => Promise<boolean>
}

/** Opens the odds of one image's formats; what a part of it tells is worked out once. */
export const openOdds = (request: SearchRequest): Odds => {
  const { pixels, features, wanted } = request
  const isLarge = pixels.width * pixels.height >= LARGE && wanted.kind === 'score'
  const priceOfJpeg = lazily(() => (isLarge ? estimate(request) : Promise.resolve(undefined)))
  return {
    mayWin: async (format) => {
      const best = request.beat()
      if (format !== 'jpeg' || !Number.isFinite(best)) return true
      if (leastJpegBytes(pixels, features.grey) >= best) return false
      return ((await priceOfJpeg()) ?? 0) <= best * HOPELESS
    },
    isLikelyBelow: async (format, bytes) => {
      if (format !== 'jpeg' || !isLarge) return false
      const most = bytes() * LIKELY
      if (leastJpegBytes(pixels, features.grey) >= most) return false
      const price = await priceOfJpeg()
      return price !== undefined && price < most
    },
  }
}
