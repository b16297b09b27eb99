import type { Pixels } from '../core/image.ts'
import type { Axis } from '../plan/probe.ts'
import type { Candidate, SearchRequest, StillCodec } from './format.ts'
import { searchQuality } from './quality-search.ts'
import { fromPixels } from './raw.ts'

/** Median setting over 9 photographs of the corpus by score, at effort 2 and 4:2:0; measured by `bench/curves.ts`. */
const AXIS: Axis = {
  min: 1,
  max: 100,
  step: 1,
  curve: [
    [30, 22],
    [45, 31],
    [55, 38],
    [62, 44],
    [70, 52],
    [75, 59],
    [80, 66],
    [85, 78],
    [90, 92.5],
  ],
}

/** Effort 4 costs about ten times effort 2 (§ PERCEPTION "WebP and AVIF"). */
const encode = (pixels: Pixels, quality: number): Promise<Uint8Array> =>
  fromPixels(pixels)
    .avif({ quality, effort: 2, chromaSubsampling: quality > 85 ? '4:4:4' : '4:2:0' })
    .toBuffer()

async function* search(request: SearchRequest): AsyncGenerator<Candidate> {
  if (request.wanted.kind === 'score') return yield* searchQuality({ format: 'avif', axis: AXIS, encode }, request)
  const bytes = await fromPixels(request.pixels).avif({ lossless: true, effort: 2 }).toBuffer()
  request.encoded()
  yield { format: 'avif', bytes, score: 100, lossless: true }
}

export const avif: StillCodec = { format: 'avif', alpha: true, maxSide: 16384, search }
