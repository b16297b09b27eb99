import type { Raster } from '../core/image.ts'
import { fromPixels } from '../raster/raw.ts'
import { type Candidate, IDENTICAL, type SearchRequest, type StillCodec } from './format.ts'
import { oxipng } from './oxipng.ts'
import { countColours } from './palette/histogram.ts'
import { exactPalette, type Indexed } from './palette/remap.ts'
import { writeIndexedPng } from './palette/write-png.ts'
import { searchPalette } from './palette-search.ts'

const megapixels = ({ width, height }: Pick<Raster, 'width' | 'height'>): number => (width * height) / 1e6

/** zlib's level by which images are compared before one of them is encoded. */
const ESTIMATE_LEVEL = 6
const BEST_LEVEL = 9
/** sharp's level for the first file, which is there within 300 ms of 9 megapixels. */
const QUICK_LEVEL = 7

/** oxipng saves 4 to 10 % of what zlib's best level makes, in 0.2 s (levels 0 and 1) to 1.5 s (4) a megapixel on an idle core. */
const oxipngLevel = (pixels: Raster): number => {
  const size = megapixels(pixels)
  if (size <= 0.15) return 4
  return size <= 1.5 ? 2 : 1
}
/** Below so many bytes a megapixel oxipng's second is not worth what it saves. */
const SPARSE = 13_000
/** ms per megapixel of oxipng on a slow core. */
const OXIPNG_MS = 1500
/** A lossless file this much larger than the best candidate so far cannot win by oxipng. */
const HOPELESS = 1.4
/** sharp's files of images with few colours are not reduced to palettes: these are written anew before they are compared. */
const FEW_COLOURS = 256

/** The smaller of a PNG and what oxipng makes of it, where its time is well spent. */
const recompress = async (request: SearchRequest, png: Uint8Array): Promise<Uint8Array> => {
  const { pixels, wanted, deadline } = request
  if (png.length < SPARSE * megapixels(pixels)) return png
  if (megapixels(pixels) * OXIPNG_MS > deadline.remaining()) {
    request.outOfTime()
    return png
  }
  const bytes = await oxipng(png, oxipngLevel(pixels), wanted.kind === 'score')
  return bytes.length < png.length ? bytes : png
}

/** Without loss, quickly: truecolour or grey. */
const encodeTruecolour = (pixels: Raster): Promise<Uint8Array> =>
  fromPixels(pixels).png({ palette: false, compressionLevel: QUICK_LEVEL }).toBuffer()

/** Stored as small as zlib can; where that is little, rows are tried as differences too, and no oxipng follows. */
const writeBest = (image: Indexed): Uint8Array => {
  const plain = writeIndexedPng(image, BEST_LEVEL)
  if (plain.length >= SPARSE * megapixels(image)) return plain
  const differences = writeIndexedPng(image, BEST_LEVEL, 'up')
  return differences.length < plain.length ? differences : plain
}

/** Without loss as a palette, of an image of at most 256 colours; what hides under full transparency may change. */
const encodeExactly = (pixels: Raster): Uint8Array => writeBest(exactPalette(pixels, countColours(pixels)))

async function* search(request: SearchRequest): AsyncGenerator<Candidate> {
  const { pixels, wanted, features } = request
  const lossless = (bytes: Uint8Array): Candidate => {
    request.encoded()
    return { format: 'png', bytes, examined: IDENTICAL, lossless: true }
  }
  const quick = await encodeTruecolour(pixels)
  yield lossless(quick)
  const asPalette = features.colours <= FEW_COLOURS && (wanted.kind === 'score' || features.opaque)
  const exact = asPalette ? encodeExactly(pixels) : quick
  if (exact.length < quick.length) yield lossless(exact)
  // No palette has fewer than two colours.
  if (wanted.kind === 'score' && features.colours > 2) {
    yield* searchPalette(request, {
      format: 'png',
      estimate: (image) => writeIndexedPng(image, ESTIMATE_LEVEL).length,
      encode: (image) => recompress(request, writeBest(image)),
    })
  }
  const smaller = exact.length < quick.length ? exact : quick
  if (smaller.length > request.beat() * HOPELESS || request.deadline.signal.aborted) return
  const bytes = await recompress(request, smaller)
  if (bytes.length < smaller.length) yield lossless(bytes)
}

export const png: StillCodec = { format: 'png', search }
