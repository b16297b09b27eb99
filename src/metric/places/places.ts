import type { AnyRaster, Box } from '../../core/image.ts'
import { lazily } from '../../core/lazily.ts'
import type { Density } from '../../core/units.ts'
import { type KernelPool, kernelPool } from '../kernel-pool.ts'
import { DEFAULT_LIMITS, type MetricLimits } from '../limits.ts'
import { assertSameSize, assertWhole, hasTransparency } from '../raster.ts'
import { BLEEDING_SIDE, type PlainTiles, plainTilesOf, worstBleeding } from './bleeding.ts'
import { COLOUR_SIDE, largestShift, tileColours, type WorstTile } from './colour.ts'
import { CONTOUR_SIDE, worstContour } from './contour.ts'
import { loadPlaces, type PlacesKernel } from './kernel.ts'
import { gridOf, type TileGrid, tileBox, tilesIn } from './tiles.ts'

/** A figure of the worst place, and where that is. */
export interface WorstPlace {
  readonly figure: number
  readonly at: Box
}

/** What no mean may hide. */
export interface PlaceFigures {
  /** The largest shift (CIEDE2000) of the mean colour of any tile of 16 px as seen. */
  readonly colour: WorstPlace
  /** Where the reference is smooth, false contours and block edges of the worst tile of 32 px as seen, in sample values of one straight step across it; or colour that bled, if that is minded more. */
  readonly contour: WorstPlace
}

/** A reference whose tiles' colours and smooth places are known; `free` it when done. */
export interface PlacesReference extends Disposable {
  /** Throws a RangeError for another size. */
  worst(candidate: AnyRaster): PlaceFigures
  free(): void
}

/** Looks at the places of images. */
export interface Places {
  /** Makes a reference ready; its data must not change until `free`. At a density tiles and contours are those of the size that is seen. Throws a RangeError where memory does not suffice. */
  prepare(reference: AnyRaster, density: Density): PlacesReference
}

/** Where anything is transparent in either image, on black and on white; the worse counts. */
const BACKGROUNDS = [0, 1]
/** Without transparency there is nothing to composite on. */
const OPAQUE = [-1]

/** A kernel that holds the reference as it looks on a grey (below 0: alpha ignored). */
interface Kept {
  readonly grey: number
  readonly kernel: PlacesKernel
  readonly colours: Float64Array
  readonly plain: PlainTiles
}

interface Grids {
  readonly colour: TileGrid
  readonly contour: TileGrid
  readonly bleeding: TileGrid
}

const gridsOf = (image: AnyRaster, density: Density): Grids => ({
  colour: gridOf(image, COLOUR_SIDE * density),
  contour: gridOf(image, CONTOUR_SIDE * density),
  bleeding: gridOf(image, BLEEDING_SIDE * density),
})

const worse = (one: WorstTile, other: WorstTile): WorstTile => (other.figure > one.figure ? other : one)

const prepareIn = (pool: KernelPool<PlacesKernel>, reference: AnyRaster, density: Density): PlacesReference => {
  assertWhole(reference)
  const grids = gridsOf(reference, density)
  const held: PlacesKernel[] = []

  const keepOn = (grey: number): Kept => {
    const kernel = pool.take()
    held.push(kernel)
    if (!kernel.configure(reference, density))
      throw new RangeError(`no memory to look at ${reference.width} x ${reference.height} px`)
    kernel.feed('reference', reference, grey)
    const colours = tileColours(kernel.colours(tilesIn(grids.colour)), grids.colour)
    return { grey, kernel, colours, plain: plainTilesOf(kernel, grids.bleeding) }
  }
  const transparent = hasTransparency(reference)
  const opaque = lazily(() => OPAQUE.map(keepOn))
  const onBoth = lazily(() => BACKGROUNDS.map(keepOn))

  const compareOn = ({ kernel, grey, colours, plain }: Kept, candidate: AnyRaster) => {
    kernel.feed('candidate', candidate, grey)
    const shown = tileColours(kernel.colours(tilesIn(grids.colour)), grids.colour)
    return {
      colour: largestShift(colours, shown),
      contour: worstContour(kernel.steps(tilesIn(grids.contour))),
      bleeding: worstBleeding(plain, kernel.shownInPlain(plain.marks.length)),
    }
  }

  const worst = (candidate: AnyRaster): PlaceFigures => {
    assertWhole(candidate)
    assertSameSize(reference, candidate)
    const alpha = transparent || hasTransparency(candidate)
    const found = (alpha ? onBoth() : opaque()).map((kept) => compareOn(kept, candidate))
    const colour = found.map((one) => one.colour).reduce(worse)
    const contour = found.map((one) => one.contour).reduce(worse)
    const bleeding = found.map((one) => one.bleeding).reduce(worse)
    return {
      colour: { figure: colour.figure, at: tileBox(grids.colour, colour.tile) },
      contour:
        bleeding.figure > contour.figure
          ? { figure: bleeding.figure, at: tileBox(grids.bleeding, bleeding.tile) }
          : { figure: contour.figure, at: tileBox(grids.contour, contour.tile) },
    }
  }

  const free = (): void => {
    for (const kernel of held.splice(0)) pool.give(kernel)
  }
  return { worst, free, [Symbol.dispose]: free }
}

/** Loads the kernel; throws when it has not been built. One serves a process for its whole life. */
export const openPlaces = async ({ idle }: Partial<MetricLimits> = {}): Promise<Places> => {
  const pool = kernelPool(loadPlaces(), idle ?? DEFAULT_LIMITS.idle)
  return { prepare: (reference, density) => prepareIn(pool, reference, density) }
}
