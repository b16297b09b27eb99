import type { Raster } from '../core/image.ts'
import { fromPixels } from '../raster/raw.ts'
import type { Candidate, SearchRequest, StillCodec } from './format.ts'
import { oxipng } from './oxipng.ts'
import { writeIndexedPng } from './palette/write-png.ts'
import { searchPalette } from './palette-search.ts'

/** oxipng takes 1 to 2 s per megapixel at level 2 for photographs: a large image is only deflated well. */
const oxipngLevel = (pixels: Raster): number => {
  const size = pixels.width * pixels.height
  if (size <= 3e5) return 4
  if (size <= 2e6) return 2
  return size <= 8e6 ? 1 : 0
}

const megapixels = ({ width, height }: Raster): number => (width * height) / 1e6
/** ms per megapixel on a slow core, of sharp at level 7 and of oxipng at the level for the size. */
const DEFLATE_MS = 200
const OXIPNG_MS = 1500

/** A truecolour image this much larger than the best candidate so far cannot win by oxipng (which gains 5 to 30 %). */
const HOPELESS = 2
/** Palettes weigh a quarter to a half of truecolour; smaller ones that pass are drawings, where truecolour is small too. */
const HOPELESS_PALETTE = 8

async function* search(request: SearchRequest): AsyncGenerator<Candidate> {
  const { pixels, wanted } = request
  const changeInvisible = wanted.kind === 'score'
  // Few colours deflate fast, and lossless may well win: then the best level is affordable (2 to 22 % over level 1).
  const few = request.traits.colours <= 256
  const level = few && megapixels(pixels) * OXIPNG_MS * 2 < request.deadline.remaining() ? 4 : oxipngLevel(pixels)
  const compressionLevel = megapixels(pixels) * DEFLATE_MS > request.deadline.remaining() / 2 ? 2 : 7
  const quick = await fromPixels(pixels).png({ palette: false, compressionLevel }).toBuffer()
  request.encoded()
  yield { format: 'png', bytes: quick, score: 100, lossless: true }
  if (wanted.kind === 'score' && quick.length < request.beat() * HOPELESS_PALETTE) {
    yield* searchPalette(request, {
      format: 'png',
      encode: (image) => writeIndexedPng(image, 9),
      finish: (bytes) => oxipng(bytes, Math.max(2, level), changeInvisible),
    })
  }
  const inTime = megapixels(pixels) * OXIPNG_MS < request.deadline.remaining()
  const worthwhile = quick.length < request.beat() * (few ? HOPELESS_PALETTE : HOPELESS)
  if (worthwhile && !inTime) request.hurried()
  if (worthwhile && inTime && !request.deadline.signal.aborted) {
    const bytes = await oxipng(quick, level, changeInvisible)
    request.encoded()
    yield { format: 'png', bytes, score: 100, lossless: true }
  }
}

export const png: StillCodec = { format: 'png', search }
