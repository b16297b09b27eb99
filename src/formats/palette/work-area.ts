import type { Extent, Raster } from '../../core/image.ts'
import { selectBusyBlocks } from '../../raster/busy-blocks.ts'
import { lazily } from '../../support/lazily.ts'
import type { Examine, Measures, SearchRequest } from '../format.ts'
import { hasBands } from './bands.ts'
import type { Palette } from './cluster.ts'
import { diffuse } from './diffuse.ts'
import type { Histogram } from './histogram.ts'
import { losesColours } from './lost-colours.ts'
import { type Indexed, remap } from './remap.ts'
import { findSmoothAreas } from './smooth-areas.ts'
import { breaksThinStructures, findThinStructures } from './thin-structures.ts'

/** Pixels up to which a search works on the whole image. */
const WHOLE_PIXELS = 6e5
/** Pixels of busy blocks that it works on in larger images. */
export const PART_PIXELS = 4e5

/** Whether an image is searched by its busy blocks. */
const isLarge = ({ width, height }: Extent): boolean => width * height > WHOLE_PIXELS

/** How pixels get their palette entries, apart from the palette. */
export interface Mapping {
  /** In the units of the points; 0 without diffusion is the nearest entry. */
  readonly tolerance: number
  readonly diffused: boolean
}

/** Pixels that palettes are tried on. */
export interface WorkArea extends Disposable {
  readonly pixels: Raster
  readonly isWhole: boolean
  /** Share of the pixels that lie in gradients. */
  readonly smoothShare: () => number
  readonly map: (palette: Palette, mapping: Mapping) => Indexed
  /** Whether gradients show in bands; `visible` in the units of the points. */
  readonly isBanded: (image: Indexed, visible: number) => boolean
  /** Whether thin things lost their hue; `visible` in the units of the points. */
  readonly losesColours: (image: Indexed, visible: number) => boolean
  /** Whether rims or strokes lost their colours; `visible` in the units of the points. */
  readonly breaksThin: (image: Indexed, visible: number) => boolean
  readonly examine: Examine
  readonly ssimulacra2: Measures['ssimulacra2']
}

const areaOf = (
  pixels: Raster,
  histogram: Histogram,
  { isWhole, smooth }: { readonly isWhole: boolean; readonly smooth: () => Uint8Array },
) => {
  const thin = lazily(() => findThinStructures(pixels, histogram))
  return {
    pixels,
    isWhole,
    smoothShare: () => smooth().reduce((sum, one) => sum + one, 0) / smooth().length,
    isBanded: (image: Indexed, visible: number) => hasBands(image, histogram, smooth(), visible),
    losesColours: (image: Indexed, visible: number) => losesColours(image, histogram, visible),
    breaksThin: (image: Indexed, visible: number) => breaksThinStructures(image, { histogram, thin: thin() }, visible),
    map: (palette: Palette, { tolerance, diffused }: Mapping): Indexed => {
      if (diffused) return diffuse(pixels, histogram, palette, { smooth: smooth(), tolerance })
      return remap(pixels, histogram, palette, tolerance === 0 ? { tolerance } : { tolerance, smooth: smooth() })
    },
  }
}

/** Finds where pixels are a gradient, once and when it is asked. */
const lazilySmooth = (pixels: Raster): (() => Uint8Array) => lazily(() => findSmoothAreas(pixels))

/** The whole image as a work area. */
export const wholeArea = (
  request: SearchRequest,
  histogram: Histogram,
  smooth = lazilySmooth(request.pixels),
): WorkArea => ({
  ...areaOf(request.pixels, histogram, { isWhole: true, smooth }),
  examine: request.examine,
  ssimulacra2: request.ssimulacra2,
  [Symbol.dispose]: () => undefined,
})

/** The pixels that a search over palettes uses: the image, or the busy blocks of a large one. */
export const openWorkArea = (request: SearchRequest, histogram: Histogram, smooth?: () => Uint8Array): WorkArea =>
  isLarge(request.pixels) ? openPart(request, histogram, PART_PIXELS) : wholeArea(request, histogram, smooth)

/** Busy blocks of at most `maxPixels`; the image where it has too few of them. */
export const openPart = (request: SearchRequest, histogram: Histogram, maxPixels: number): WorkArea => {
  const blocks = selectBusyBlocks(request.pixels, maxPixels)
  if (blocks === undefined) return wholeArea(request, histogram)
  const entries = Uint16Array.from(blocks.indices, (place) => histogram.entries[place]!)
  const part = request.examinePart(blocks.pixels, blocks.busy)
  return {
    ...areaOf(blocks.pixels, { ...histogram, entries }, { isWhole: false, smooth: lazilySmooth(blocks.pixels) }),
    examine: part.examine,
    ssimulacra2: part.ssimulacra2,
    [Symbol.dispose]: () => part[Symbol.dispose](),
  }
}
