import type { PngOptions } from 'sharp'
import { readPngChunks, writePng } from '../containers/png.ts'
import type { Raster } from '../core/image.ts'
import { fromPixels } from '../raster/raw.ts'
import { MAX_COUNTED_COLOURS } from '../raster/survey.ts'
import { expectedMs, hasTimeFor, lacksTimeFor } from '../search/budget.ts'
import { type Candidate, IDENTICAL, orElse, type SearchRequest, type Step, type StillCodec } from './format.ts'
import { MIN_LEVELS_SHARE, searchLevels, type TruecolourEncoder } from './levels-search.ts'
import { oxipng } from './oxipng.ts'
import type { Histogram } from './palette/histogram.ts'
import { exactPalette, type Indexed } from './palette/remap.ts'
import { writeIndexedPng } from './palette/write-png.ts'
import { writeSmallestPng } from './palette/write-smallest.ts'
import {
  type ImagePalettes,
  needsLargePalette,
  openImagePalettes,
  type PaletteEncoder,
  searchPalette,
} from './palette-search.ts'
import { isHasty, quickPalette } from './quick-palette.ts'
import { isSampled } from './sample/sample.ts'
import { smallerOf } from './smaller-of.ts'
import { type Proven, smaller } from './verified.ts'
import { writeTruecolourPng } from './write-truecolour.ts'

const megapixels = ({ width, height }: Pick<Raster, 'width' | 'height'>): number => (width * height) / 1e6

/** zlib's levels. */
const ZLIB_LEVEL = {
  /** Of estimates that rank images before one is encoded, and of first files: 0.4 to 0.6 of the CPU of level 7 for 1.01 of the bytes of few levels. */
  estimate: 6,
  /** Of the first file without loss: 300 ms for 9 megapixels. */
  quick: 7,
  /** Of an encode without time for oxipng. */
  late: 9,
} as const
/** Final bytes of a large image as a share of the smaller estimate of two filters: 0.87 to 0.9 was measured. */
const OF_ESTIMATE = 0.88

/** oxipng's levels take 0.1 to 0.2 s (1 and 2) or 0.5 to 2 s (4) a megapixel on an idle core. */
const oxipngLevel = (pixels: Raster): number => {
  const size = megapixels(pixels)
  if (size <= 0.15) return 4
  return size <= 4 ? 2 : 1
}
/** Megapixels up to which oxipng also tries a palette image in another form. */
const MAX_MEGAPIXELS = {
  /** As grey. */
  reduced: 0.3,
  /** At level 4, without a palette. */
  icon: 0.02,
} as const
/** The least share of a quick lossless file's bytes that storing it in the smallest way leaves: of images of few bytes, truecolour, and palettes. */
const MIN_STORED = { sparse: 0.4, truecolour: 0.71, indexed: 0.8 } as const
/** Bytes a megapixel below which an image is sparse. */
const SPARSE = 13_000

const withoutResolution = (png: Uint8Array): Uint8Array =>
  writePng([...readPngChunks(png)].filter(({ type }) => type !== 'pHYs' && type !== 'IEND').map(({ whole }) => whole))

/** The smaller of a truecolour PNG and what oxipng makes of it, where there is time. */
const recompress = async (request: SearchRequest, png: Uint8Array): Promise<Uint8Array> => {
  if (lacksTimeFor(request, expectedMs('png', request.pixels))) return png
  return smallerOf(png, await oxipng(png, oxipngLevel(request.pixels), request.wanted.kind === 'score'))
}

/** Stores a palette image as small as can be, where there is time. */
const storeIndexed = async (request: SearchRequest, image: Indexed): Promise<Uint8Array> => {
  if (lacksTimeFor(request, expectedMs('png-indexed', image))) {
    const isFast = hasTimeFor(request, expectedMs('png-indexed-fast', image))
    return isFast ? writeSmallestPng(image, true) : writeIndexedPng(image, ZLIB_LEVEL.late)
  }
  const own = await writeSmallestPng(image)
  if (megapixels(image) > MAX_MEGAPIXELS.reduced) return own
  return smallerOf(
    own,
    await oxipng(own, megapixels(image) <= MAX_MEGAPIXELS.icon ? 4 : 2, request.wanted.kind === 'score'),
  )
}

/** Without loss, quickly: truecolour or grey, with filtered rows or without. libvips adds a resolution, which oxipng would keep. */
const encodeTruecolour = async (pixels: Raster, own: PngOptions = {}): Promise<Uint8Array> => {
  const options = { palette: false, compressionLevel: ZLIB_LEVEL.quick, adaptiveFiltering: false, ...own }
  return withoutResolution(await fromPixels(pixels).png(options).toBuffer())
}

/** Palettes, stored as PNG. */
const openEncoder = (request: SearchRequest): PaletteEncoder => ({
  format: 'png',
  estimate: (image) => writeIndexedPng(image, ZLIB_LEVEL.estimate).length,
  expect: (image, estimate) =>
    OF_ESTIMATE * Math.min(estimate, writeIndexedPng(image, ZLIB_LEVEL.estimate, 'up').length),
  encode: (image) => storeIndexed(request, image),
  ...(isHasty(request, expectedMs('png', request.pixels))
    ? { draft: (image) => writeIndexedPng(image, ZLIB_LEVEL.estimate) }
    : {}),
})

/** Few levels a channel, stored as PNG; `lossless`: bytes of the image without loss. */
const levelsEncoder = (request: SearchRequest, lossless: number): TruecolourEncoder => ({
  format: 'png',
  lossless,
  encode: async (coarse) => recompress(request, await encodeTruecolour(coarse)),
  ...(request.alone ? {} : { estimate: { encode: encodeTruecolour, minShare: MIN_STORED.truecolour } }),
})

/** The fewest levels a channel that keep the promise, stored quickly. Returns them. */
const quickLevels = (request: SearchRequest, haste: ImagePalettes): AsyncGenerator<Step, Proven<Raster> | undefined> =>
  searchLevels(request, {
    format: 'png',
    lossless: 0,
    haste,
    encode: (coarse) => encodeTruecolour(coarse, { compressionLevel: ZLIB_LEVEL.estimate }),
  })

/** The same levels stored with little effort, where there is time. */
async function* storeLevels(request: SearchRequest, proven: Proven<Raster>): AsyncGenerator<Candidate> {
  request.outOfTime()
  if (!hasTimeFor(request, expectedMs('png-fast', request.pixels))) return
  yield* smaller(request, 'png', { bytes: await writeTruecolourPng(proven.shown), ...proven })
}

/** A palette with diffused errors, stored quickly. Returns it where it keeps the promise. */
async function* quickIndexed(
  request: SearchRequest,
  palettes: () => ImagePalettes,
): AsyncGenerator<Candidate, Proven<Indexed> | undefined> {
  if (!hasTimeFor(request, expectedMs('palette-search', request.pixels))) return undefined
  const proven = quickPalette(request, palettes())
  if (proven === undefined) return undefined
  yield* smaller(request, 'png', { bytes: writeIndexedPng(proven.shown, ZLIB_LEVEL.estimate), ...proven })
  return proven
}

/** The results of a search in haste. */
interface Quick {
  readonly palette?: Proven<Indexed>
  readonly hasLevels: boolean
}

/** The quickest palette, and the quickest levels, which always pass: they come first where palettes often fail, else where they failed. */
async function* searchInHaste(request: SearchRequest, palettes: () => ImagePalettes): AsyncGenerator<Step, Quick> {
  const levelsFirst = needsLargePalette(request, palettes())
  const first = levelsFirst ? yield* quickLevels(request, palettes()) : undefined
  const palette = yield* quickIndexed(request, palettes)
  if (palette !== undefined) return { palette, hasLevels: first !== undefined }
  const levels = first ?? (yield* quickLevels(request, palettes()))
  if (levels !== undefined) yield* storeLevels(request, levels)
  return { hasLevels: levels !== undefined }
}

/** A file without loss, and the same stored as small as can be. */
interface Lossless {
  readonly bytes: Uint8Array
  readonly store: () => Promise<Uint8Array>
}

/** As a palette, of an image of at most 256 colours; what hides under full transparency may change. */
const asPalette = (request: SearchRequest, histogram: Histogram): Lossless => {
  const image = exactPalette(request.pixels, histogram)
  return { bytes: writeIndexedPng(image, ZLIB_LEVEL.estimate), store: () => storeIndexed(request, image) }
}

const losslessCandidate = (request: SearchRequest, bytes: Uint8Array): Candidate => {
  request.encoded()
  return { kind: 'candidate', format: 'png', bytes, examined: IDENTICAL, lossless: true }
}

/** Truecolour or grey without loss: plain, then with filtered rows where they take fewer bytes. Returns the smaller file. */
async function* storeTruecolour(request: SearchRequest): AsyncGenerator<Candidate, Uint8Array> {
  const plain = await encodeTruecolour(request.pixels)
  yield losslessCandidate(request, plain)
  // A gradient of 300 x 300 px takes 138 kB plain and 1 kB filtered.
  const smallest = smallerOf(plain, await encodeTruecolour(request.pixels, { adaptiveFiltering: true }))
  if (smallest !== plain) yield losslessCandidate(request, smallest)
  return smallest
}

/** The palettes of an image, opened at first use. `handOver` returns and drops them: they take two bytes a pixel. */
const holdPalettes = (pixels: Raster) => {
  let held: ImagePalettes | undefined
  const palettes = (): ImagePalettes => {
    held ??= openImagePalettes(pixels)
    return held
  }
  const handOver = (): ImagePalettes => {
    const given = palettes()
    held = undefined
    return given
  }
  return { palettes, handOver }
}

/** State of a search that has files without loss. */
interface LossySearch {
  readonly handOver: () => ImagePalettes
  /** The results of a search in haste before. */
  readonly quick: Quick
  /** Whether few levels a channel are searched where no palette passes. */
  readonly mayHaveLevels: boolean
  /** Bytes of the truecolour file without loss. */
  readonly truecolourBytes: number
  /** Fewest bytes that the file without loss is expected to take when stored as small as can be. */
  readonly storedBytes: number
}

/** Palettes, then few levels a channel where no palette passes. */
async function* searchLossy(request: SearchRequest, search: LossySearch): AsyncGenerator<Step> {
  const { quick, storedBytes } = search
  let isPalette = false
  for await (const step of searchPalette(request, openEncoder(request), search.handOver)) {
    isPalette ||= step.kind === 'candidate'
    yield orElse(step, storedBytes)
  }
  if (isPalette) return
  if (quick.palette !== undefined)
    yield* smaller(request, 'png', { bytes: await storeIndexed(request, quick.palette.shown), ...quick.palette })
  if (!search.mayHaveLevels || quick.hasLevels) return
  // Other formats are searched first: most take fewer bytes than that.
  if (!request.alone) yield orElse({ kind: 'estimate', bytes: search.truecolourBytes * MIN_LEVELS_SHARE }, storedBytes)
  for await (const step of searchLevels(request, levelsEncoder(request, search.truecolourBytes)))
    yield orElse(step, storedBytes)
}

/** Share of its bytes that a file without loss keeps at least when it is stored as small as can be. */
const minStored = (pixels: Raster, bytes: number, isTruecolour: boolean): number =>
  MIN_STORED[bytes < SPARSE * megapixels(pixels) ? 'sparse' : isTruecolour ? 'truecolour' : 'indexed']

async function* search(request: SearchRequest): AsyncGenerator<Step> {
  const { pixels, wanted, features } = request
  // No palette has fewer than two colours.
  const isLossy = wanted.kind === 'score' && features.colours > 2
  const hasFew = features.colours <= MAX_COUNTED_COLOURS && (wanted.kind === 'score' || features.opaque)
  const isQuick = request.alone && isLossy && !isSampled(pixels) && isHasty(request, expectedMs('png', request.pixels))
  const { palettes, handOver } = holdPalettes(pixels)
  const few = hasFew ? asPalette(request, palettes().histogram) : undefined
  // It costs little, and the quick search may take all the time without a result.
  if (isQuick && few !== undefined) yield losslessCandidate(request, few.bytes)
  // If the source itself may be the answer, other files without loss can wait.
  const isFirst = isQuick && Number.isFinite(request.bytesToBeat())
  let quick: Quick = isFirst ? yield* searchInHaste(request, palettes) : { hasLevels: false }
  const bytes = yield* storeTruecolour(request)
  if (isQuick && !isFirst) quick = yield* searchInHaste(request, palettes)
  const truecolour: Lossless = { bytes, store: () => recompress(request, bytes) }
  const best = few !== undefined && few.bytes.length < bytes.length ? few : truecolour
  if (best === few && !isQuick) yield losslessCandidate(request, best.bytes)
  const storedBytes = best.bytes.length * minStored(pixels, best.bytes.length, best === truecolour)
  const lossy = { handOver, quick, mayHaveLevels: !hasFew, truecolourBytes: bytes.length, storedBytes }
  if (isLossy) yield* searchLossy(request, lossy)
  yield { kind: 'estimate', bytes: storedBytes }
  if (request.deadline.signal.aborted) return
  const stored = await best.store()
  if (stored.length < best.bytes.length) yield losslessCandidate(request, stored)
}

export const png: StillCodec = { format: 'png', search }
