import type { StillFormat } from '../../core/image.ts'
import type { Candidate, SearchRequest } from '../../formats/format.ts'
import { CODECS } from '../../formats/registry.ts'
import { leastJpegBytes } from '../../plan/least-jpeg.ts'
import { selectBusyBlocks } from '../../raster/busy-blocks.ts'

/** From this many pixels on a format is tried on a part before the whole is searched. */
const LARGE = 2e6
/** Pixels of that part. */
const PART = 3e5
/** A format whose part comes to so many times the best file is not searched; parts err by a tenth. */
const HOPELESS = 1.3

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

/** Whether a lossy format may still come to fewer bytes than the best file: what certainly or, of a large image, by far cannot is not searched. */
export const mayWin = async (format: StillFormat, request: SearchRequest): Promise<boolean> => {
  const best = request.beat()
  if (format !== 'jpeg' || !Number.isFinite(best)) return true
  if (leastJpegBytes(request.pixels, request.features.grey) >= best) return false
  if (request.pixels.width * request.pixels.height < LARGE || request.wanted.kind === 'lossless') return true
  const bytes = await estimate(request)
  return bytes === undefined || bytes <= best * HOPELESS
}
