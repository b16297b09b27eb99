import { minJpegBytes } from '../plan/min-jpeg-bytes.ts'
import { selectBusyBlocks } from '../raster/busy-blocks.ts'
import { ESTIMATE_ERROR } from '../search/budget.ts'
import type { Estimate, SearchRequest } from './format.ts'
import { type JpegForm, searchOwn } from './jpeg-own.ts'

/** Images with at least this many pixels are searched on a part before the whole is. */
const LARGE = 1e6
/** Pixels of that part. */
export const ESTIMATE_PIXELS = 3e5

/**
 * The bytes of the smallest file that meets the target: those of an image's busy blocks scaled to the whole, and the minimum for
 * its quiet ones. undefined where that gives no estimate.
 */
const bytesByPart = async (form: JpegForm, request: SearchRequest): Promise<number | undefined> => {
  const { pixels } = request
  const blocks = selectBusyBlocks(pixels, ESTIMATE_PIXELS)
  if (blocks === undefined) return undefined
  using measures = request.examinePart(blocks.pixels, blocks.busy)
  const bytesToBeat = (): number => Number.POSITIVE_INFINITY
  const part = { ...request, ...measures, pixels: blocks.pixels, bytesToBeat, encoded: () => undefined }
  let bytes = Number.POSITIVE_INFINITY
  for await (const { candidate } of searchOwn(form, part, request.deadline))
    if (candidate.examined?.keeps === true) bytes = Math.min(bytes, candidate.bytes.length)
  if (!Number.isFinite(bytes)) return undefined
  const ofBusy = (bytes * blocks.busy * pixels.width * pixels.height) / (blocks.pixels.width * blocks.pixels.height)
  return ofBusy + (1 - blocks.busy) * leastBytes(form, request)
}

const leastBytes = ({ minShare }: JpegForm, { pixels, features }: SearchRequest): number =>
  minJpegBytes(pixels, features.grey) * minShare

/** Yields what a file takes at least, and of a large image what a part of it predicts; nothing where there is no file to compare with. */
export async function* estimates(form: JpegForm, request: SearchRequest): AsyncGenerator<Estimate> {
  if (!Number.isFinite(request.bytesToBeat())) return
  yield { kind: 'estimate', bytes: leastBytes(form, request) }
  if (request.pixels.width * request.pixels.height < LARGE) return
  const bytes = await bytesByPart(form, request)
  if (bytes !== undefined) yield { kind: 'estimate', bytes: bytes / ESTIMATE_ERROR }
}
