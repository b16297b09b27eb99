import type { Raster } from '../core/image.ts'
import { lazily } from '../metric/lazily.ts'
import { fromPixels } from '../raster/raw.ts'
import { type Candidate, IDENTICAL, type SearchRequest, type StillCodec } from './format.ts'
import { oxipng } from './oxipng.ts'
import { countColours, type Histogram } from './palette/histogram.ts'
import { exactPalette, type Indexed } from './palette/remap.ts'
import { writeIndexedPng } from './palette/write-png.ts'
import { type PaletteEncoder, searchPalette } from './palette-search.ts'

const megapixels = ({ width, height }: Pick<Raster, 'width' | 'height'>): number => (width * height) / 1e6

/** zlib's level by which images are compared before one of them is encoded. */
const ESTIMATE_LEVEL = 6
const BEST_LEVEL = 9
/** sharp's level for the first file, which is there within 300 ms of 9 megapixels. */
const QUICK_LEVEL = 7

/** oxipng saves 4 to 40 % of what zlib's best level makes, in 0.1 to 0.2 s (levels 1 and 2) or 0.5 to 2 s (4) a megapixel on an idle core. */
const oxipngLevel = (pixels: Raster): number => {
  const size = megapixels(pixels)
  if (size <= 0.15) return 4
  return size <= 4 ? 2 : 1
}
/** ms per megapixel of oxipng on a slow core. */
const OXIPNG_MS = 1500
/** A lossless file this much larger than the best candidate so far cannot win by oxipng. */
const HOPELESS = 1.4
/** sharp's files of images with few colours are not reduced to palettes: these are written anew before they are compared. */
const FEW_COLOURS = 256

/** The smaller of a PNG and what oxipng makes of it, where its time is well spent. */
const recompress = async (request: SearchRequest, png: Uint8Array): Promise<Uint8Array> => {
  const { pixels, wanted, deadline } = request
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

/** Below so many bytes a megapixel rows are tried as differences, too: oxipng's quick levels do not. */
const SPARSE = 13_000

/** Stored as small as zlib can. */
const writeBest = (image: Indexed): Uint8Array => {
  const plain = writeIndexedPng(image, BEST_LEVEL)
  if (plain.length >= SPARSE * megapixels(image)) return plain
  const differences = writeIndexedPng(image, BEST_LEVEL, 'up')
  return differences.length < plain.length ? differences : plain
}

/** Without loss as a palette, of an image of at most 256 colours; what hides under full transparency may change. */
const encodeExactly = (pixels: Raster, histogram: Histogram): Uint8Array => writeBest(exactPalette(pixels, histogram))

async function* search(request: SearchRequest): AsyncGenerator<Candidate> {
  const { pixels, wanted, features } = request
  const lossless = (bytes: Uint8Array): Candidate => {
    request.encoded()
    return { format: 'png', bytes, examined: IDENTICAL, lossless: true }
  }
  const quick = await encodeTruecolour(pixels)
  yield lossless(quick)
  const histogram = lazily(() => countColours(pixels))
  const asPalette = features.colours <= FEW_COLOURS && (wanted.kind === 'score' || features.opaque)
  const exact = asPalette ? encodeExactly(pixels, histogram()) : quick
  if (exact.length < quick.length) yield lossless(exact)
  // No palette has fewer than two colours.
  if (wanted.kind === 'score' && features.colours > 2) {
    const encoder: PaletteEncoder = {
      format: 'png',
      estimate: (image) => writeIndexedPng(image, ESTIMATE_LEVEL).length,
      encode: (image) => recompress(request, writeBest(image)),
    }
    yield* searchPalette(request, encoder, histogram())
  }
  const smaller = exact.length < quick.length ? exact : quick
  if (smaller.length > request.beat() * HOPELESS || request.deadline.signal.aborted) return
  const bytes = await recompress(request, smaller)
  if (bytes.length < smaller.length) yield lossless(bytes)
}

export const png: StillCodec = { format: 'png', search }
